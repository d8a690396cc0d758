import Dispatch
import Synchronization

/// Runs `body` on `count` threads at once, and returns when all have finished.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  DispatchQueue.concurrentPerform(iterations: count, execute: body)
}

/// A list that threads may share.
final class SharedLog<Element: Sendable>: Sendable {
  private let entries = Mutex<[Element]>([])

  var all: [Element] { entries.withLock { $0 } }

  func append(_ element: Element) { entries.withLock { $0.append(element) } }
}
