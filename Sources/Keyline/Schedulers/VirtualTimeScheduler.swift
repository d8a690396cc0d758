/// Translates between a virtual clock's units and durations.
public protocol VirtualTimeConverterType<VirtualTimeUnit, VirtualTimeIntervalUnit> {
  /// A point in virtual time.
  associatedtype VirtualTimeUnit
  /// A span of virtual time.
  associatedtype VirtualTimeIntervalUnit

  /// The time since the clock's origin that `virtualTime` stands for.
  func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> Duration
  /// The virtual time that stands for `time` since the clock's origin.
  func convertToVirtualTime(_ time: Duration) -> VirtualTimeUnit
  /// The span that `virtualTimeInterval` stands for.
  func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> Duration
  /// The virtual span that stands for `timeInterval`.
  func convertToVirtualTimeInterval(_ timeInterval: Duration) -> VirtualTimeIntervalUnit
  /// The time that is `offset` after `time`.
  func offsetVirtualTime(
    _ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit
  ) -> VirtualTimeUnit
  /// Which of two times is earlier.
  func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison
}

/// The order of two virtual times.
public enum VirtualTimeComparison: Sendable {
  case lessThan, equal, greaterThan
}

/// Runs work on a clock that is moved by hand: time passes when there is something to do, at once.
///
/// - Isolation: for one thread; nothing about it is synchronised.
/// - Complexity: O(actions waiting) to schedule, O(1) to run.
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType {
  public typealias VirtualTime = Converter.VirtualTimeUnit
  public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

  /// The virtual time now.
  public private(set) var clock: VirtualTime
  private let converter: Converter
  /// The earliest last; of those due at the same time, the first scheduled last.
  private var waiting: [(time: VirtualTime, action: ScheduledAction)] = []
  private var isRunning = false

  /// A scheduler whose clock starts at `initialClock`.
  public init(initialClock: VirtualTime, converter: Converter) {
    clock = initialClock
    self.converter = converter
  }

  public var now: Duration { converter.convertFromVirtualTime(clock) }

  public func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    scheduleRelative(state, dueTime: .zero, action: action)
  }

  public func scheduleRelative<State>(
    _ state: State, dueTime: Duration, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    scheduleRelativeVirtual(
      state, dueTime: converter.convertToVirtualTimeInterval(dueTime), action: action)
  }

  /// Schedules `action` to be run `dueTime` from now.
  public func scheduleRelativeVirtual<State>(
    _ state: State, dueTime: VirtualTimeInterval, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    let time = converter.offsetVirtualTime(clock, offset: dueTime)
    return scheduleAbsoluteVirtual(state, time: time, action: action)
  }

  /// Schedules `action` to be run at `time`, or at what ``adjustScheduledTime(_:)`` makes of it.
  public func scheduleAbsoluteVirtual<State>(
    _ state: State, time: VirtualTime, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    let scheduled = ScheduledAction { action(state) }
    let time = adjustScheduledTime(time)
    let index = waiting.firstIndex { !isLater($0.time, than: time) } ?? waiting.endIndex
    waiting.insert((time, scheduled), at: index)
    return scheduled
  }

  /// When something that was to be run at `time` is run; a subclass may move it.
  open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime { time }

  /// Runs everything, in order of time, until nothing is left or `stop()` is called. The clock does
  /// not go on to what has been disposed.
  public func start() { run(until: nil) }

  /// Runs everything due until `virtualTime`, and sets the clock to it. A time that has passed
  /// changes nothing.
  public func advanceTo(_ virtualTime: VirtualTime) {
    guard !isRunning, !isLater(clock, than: virtualTime) else { return }
    run(until: virtualTime)
    if !isLater(clock, than: virtualTime) { clock = virtualTime }
  }

  /// Moves the clock by `virtualInterval` without running anything. A negative span is ignored.
  public func sleep(_ virtualInterval: VirtualTimeInterval) {
    let time = converter.offsetVirtualTime(clock, offset: virtualInterval)
    if isLater(time, than: clock) { clock = time }
  }

  /// Ends `start()` after the action that is running.
  public func stop() { isRunning = false }

  private func run(until limit: VirtualTime?) {
    guard !isRunning else { return }
    isRunning = true
    while isRunning, let next = waiting.last {
      if let limit, isLater(next.time, than: limit) { break }
      waiting.removeLast()
      if !next.action.isDisposed, isLater(next.time, than: clock) { clock = next.time }
      next.action.run()
    }
    isRunning = false
  }

  private func isLater(_ lhs: VirtualTime, than rhs: VirtualTime) -> Bool {
    converter.compareVirtualTime(lhs, rhs) == .greaterThan
  }
}
