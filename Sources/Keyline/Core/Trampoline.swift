/// The work that waits on one thread until the work under way there has returned: how synchronous
/// sequences take turns without recursion.
///
/// The outermost `subscribe` of a thread starts a trampoline. A sequence that is subscribed to
/// meanwhile (by an operator, or by an observer) does not emit at once: it becomes a *task*, and all
/// tasks take turns, one step each, first come, first served. When the last is done, the outermost
/// `subscribe` returns. A task that is alone is a plain loop.
///
///     combineLatest(of(1, 2), of("a", "b"))   steps   1  a  2  b  |  |
///
/// So two endless sequences can be zipped, and sequences within sequences do not use up the stack.
/// Operators with several upstreams attach to them on a trampoline: they may be run where no
/// `subscribe` is under way on the thread, by an element of a subject or the action of a scheduler.
///
/// - Complexity: two look-ups of a thread-local pointer per outermost `subscribe`; no allocation
///   until something waits.
@usableFromInline struct Trampoline {
  /// Does one step or, while nobody else waits, many; returns whether there are more to do.
  @usableFromInline typealias Task = (UnsafePointer<Trampoline>) -> Bool

  /// Where the running trampoline of a thread lives, on its stack; nil if there is none.
  private static let running = ThreadLocal()

  private var waiting = Fifo<Task>()
  /// Whether no task waits.
  @usableFromInline private(set) var isEmpty = true

  private init() {}

  /// Whether this thread has a trampoline.
  static var isRunning: Bool { running.pointer != nil }

  /// Does `body` and, if that is the outermost on this thread, all tasks added meanwhile.
  @usableFromInline static func run(_ body: () -> Void) {
    guard running.pointer == nil else { return body() }
    var trampoline = Trampoline()
    withUnsafeMutablePointer(to: &trampoline) { trampoline in
      running.pointer = UnsafeMutableRawPointer(trampoline)
      defer { running.pointer = nil }
      body()
      while let task = trampoline.pointee.takeFirst() {
        if task(trampoline) { trampoline.pointee.append(task) }
      }
    }
  }

  /// Leaves `task` to the trampoline of this thread, or runs it on a new one.
  @usableFromInline static func add(_ task: @escaping Task) {
    guard let pointer = running.pointer else { return run { add(task) } }
    pointer.assumingMemoryBound(to: Trampoline.self).pointee.append(task)
  }

  private mutating func append(_ task: @escaping Task) {
    waiting.append(task)
    isEmpty = false
  }

  private mutating func takeFirst() -> Task? {
    defer { isEmpty = waiting.isEmpty }
    return waiting.popFirst()
  }
}
