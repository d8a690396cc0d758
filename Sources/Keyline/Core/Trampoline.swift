/// The tasks that wait on one thread until the work in progress there has returned: synchronous
/// sequences take turns without recursion.
///
/// The outermost `subscribe` of a thread starts a trampoline. A sequence that is subscribed to
/// meanwhile (by an operator, or by an observer) does not emit at once: it becomes a *task*, and
/// all tasks take turns, one step each, first come, first served. When the last is done, the
/// outermost `subscribe` returns. A single task runs as a plain loop.
///
///     combineLatest(of(1, 2), of("a", "b"))   steps   1  a  2  b  |  |
///
/// So two endless sequences can be zipped, and nested sequences do not grow the stack. Operators
/// with several upstreams subscribe to them on a trampoline: they may be run outside any
/// `subscribe` of the thread, by an element of a subject or the action of a scheduler.
///
/// - Complexity: two look-ups of a thread-local pointer per outermost `subscribe`; no allocation
///   until a task has to wait.
@usableFromInline struct Trampoline {
  /// Takes one step or, while no other task waits, many; returns whether there are more to take.
  @usableFromInline typealias Task = (UnsafePointer<Trampoline>) -> Bool

  /// The running trampoline of a thread, which is on its stack; nil if there is none.
  private static let running = ThreadLocal()

  private var waiting = Queue<Task>()
  /// Whether no task waits.
  @usableFromInline private(set) var isEmpty = true

  private init() {}

  /// Whether this thread has a trampoline.
  static var isRunning: Bool { running.pointer != nil }

  /// Calls `body` and, if this is the outermost call on this thread, performs all tasks enqueued
  /// meanwhile.
  @usableFromInline static func perform(_ body: () -> Void) {
    guard running.pointer == nil else { return body() }
    var trampoline = Trampoline()
    withUnsafeMutablePointer(to: &trampoline) { trampoline in
      running.pointer = UnsafeMutableRawPointer(trampoline)
      defer { running.pointer = nil }
      body()
      while let task = trampoline.pointee.popFirst() {
        if task(trampoline) { trampoline.pointee.append(task) }
      }
    }
  }

  /// Enqueues `task` on the trampoline of this thread, or performs it on a new one.
  @usableFromInline static func enqueue(_ task: @escaping Task) {
    guard let pointer = running.pointer else { return perform { enqueue(task) } }
    pointer.assumingMemoryBound(to: Trampoline.self).pointee.append(task)
  }

  private mutating func append(_ task: @escaping Task) {
    waiting.append(task)
    isEmpty = false
  }

  private mutating func popFirst() -> Task? {
    defer { isEmpty = waiting.isEmpty }
    return waiting.popFirst()
  }
}
