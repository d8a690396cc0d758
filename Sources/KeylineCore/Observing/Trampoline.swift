/// The tasks that wait on one thread until the work in progress there has returned: synchronous
/// sequences take turns without recursion.
///
/// The outermost `subscribe` of a thread starts its trampoline. A sequence that is subscribed to
/// meanwhile (by an operator, or by an observer) does not emit at once: it becomes a *task*, and
/// all tasks take turns, one step each, first come, first served. When the last is done, the
/// outermost `subscribe` returns.
///
///     combineLatest(of(1, 2), of("a", "b"))   steps   1  a  2  b  |  |
///
/// So two endless sequences can be zipped, and nested sequences do not grow the stack. Operators
/// with several upstreams subscribe to them on a trampoline: they may be run outside any
/// `subscribe` of the thread, by an element of a subject or the action of a scheduler.
///
/// The turns of relays that stand deep in a row wait here as well, until the outermost relay has delivered.
///
/// - Complexity: one look-up of the thread's trampoline per outermost `subscribe`.
@usableFromInline final class Trampoline {
  /// Takes one step; returns whether there are more to take.
  @usableFromInline typealias Task = () -> Bool

  private static let ofThread = ThreadLocal<Trampoline>()

  // In a struct: a bare closure is wrapped in a conversion when it enters a generic queue, and once more
  // for each turn.
  private var waiting = Queue<Unchecked<Task>>()
  private var isRunning = false

  /// How many relays of a row are delivering, each inside the delivery of the one before.
  private(set) var depth = 0
  /// The turns of relays that are too deep in the row to deliver now.
  var postponed = Queue<Unchecked<() -> Void>>()

  static var current: Trampoline {
    if let trampoline = ofThread.value { return trampoline }
    let made = Trampoline()
    ofThread.value = made
    return made
  }

  /// Whether the trampoline of this thread is running.
  static var isRunning: Bool { ofThread.value?.isRunning == true }

  /// Calls `body` and, if this is the outermost call on this thread, performs all tasks enqueued
  /// meanwhile.
  @usableFromInline static func perform(_ body: () -> Void) { current.perform(body) }

  /// Enqueues `task` on the trampoline of this thread, and starts the trampoline if it is not running.
  @usableFromInline static func enqueue(_ task: @escaping Task) {
    let trampoline = current
    trampoline.waiting.append(Unchecked(task))
    trampoline.perform {}
  }

  private func perform(_ body: () -> Void) {
    guard !isRunning else { return body() }
    isRunning = true
    defer { isRunning = false }
    body()
    while let turn = waiting.popFirst() {
      if turn.value() { waiting.append(turn) }
    }
  }

  /// Calls `body`, by which one relay of a row feeds the next. The outermost call also performs the
  /// postponed turns.
  func descend(_ body: () -> Void) {
    depth += 1
    body()
    while depth == 1, let turn = postponed.popFirst() { turn.value() }
    depth -= 1
  }
}
