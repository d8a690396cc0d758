import Dispatch
import KeylineCore
import Synchronization

/// A queue that always gets a thread: tests run on threads of the global queues, and may block all
/// of them while they wait for work on this queue.
package func ownThread() -> DispatchQueue { DispatchQueue(label: "test") }

/// Runs `body` on `count` threads at once, and returns when all have finished.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  DispatchQueue.concurrentPerform(iterations: count, execute: body)
}

/// Runs `body` on another thread, and returns when it has finished: `sync` would run it on this one.
package func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
  let group = DispatchGroup()
  ownThread().async(group: group, execute: body)
  group.wait()
}

/// A value that threads may share. Not the standard library's mutex, whose locking the thread
/// sanitizer does not see; `Protected` shows it.
package final class Guarded<Value>: Sendable {
  private let value: Protected<Value>

  package init(_ value: sending Value) { self.value = Protected(value) }

  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result { value.withLock(body) }
}

/// A list that threads may share.
package final class SharedLog<Element: Sendable>: Sendable {
  private let entries = Guarded<[Element]>([])

  package init() {}

  package var all: [Element] { entries.withLock { $0 } }

  package func append(_ element: Element) { entries.withLock { $0.append(element) } }
}

/// Disposes `subscriptions` on eight threads, and calls `write` here again and again meanwhile, at
/// least once.
package func whileDisposing(_ subscriptions: [any Disposable], _ write: () throws -> Void) rethrows
{
  let disposed = Atomic<Int>(0)
  let group = DispatchGroup()
  for part in 0..<8 {
    ownThread().async(group: group) {
      for index in stride(from: part, to: subscriptions.count, by: 8) {
        subscriptions[index].dispose()
        disposed.add(1, ordering: .relaxed)
      }
    }
  }
  repeat { try write() } while disposed.load(ordering: .relaxed) < subscriptions.count
  group.wait()
}
