/// Converts between a virtual clock's units and durations.
public protocol VirtualTimeConverterType<VirtualTimeUnit, VirtualTimeIntervalUnit> {
  /// A point in virtual time.
  associatedtype VirtualTimeUnit
  /// An interval of virtual time.
  associatedtype VirtualTimeIntervalUnit

  /// The time since the clock's origin that corresponds to `virtualTime`.
  func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> Duration
  /// The virtual time that corresponds to `time` since the clock's origin.
  func convertToVirtualTime(_ time: Duration) -> VirtualTimeUnit
  /// The duration of `virtualTimeInterval`.
  func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> Duration
  /// The virtual interval of `timeInterval`.
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

extension VirtualTimeConverterType where VirtualTimeUnit: Comparable {
  /// The order of the times themselves.
  public func compareVirtualTime(
    _ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit
  ) -> VirtualTimeComparison {
    if lhs == rhs { return .equal }
    return lhs < rhs ? .lessThan : .greaterThan
  }
}

/// Runs actions by a virtual clock, which jumps to the time of the next action.
///
/// - Isolation: for one thread; not synchronised.
/// - Complexity: O(pending actions) to schedule, O(1) to run.
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType,
  ThreadConfinedSchedulerType
{
  public typealias VirtualTime = Converter.VirtualTimeUnit
  public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

  /// The virtual time now.
  public private(set) var clock: VirtualTime
  private let converter: Converter
  /// The earliest last; of those due at the same time, the first scheduled last.
  private var pending: [(time: VirtualTime, action: ScheduledAction)] = []
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

  /// Schedules `action` to be called `dueTime` from now.
  public func scheduleRelativeVirtual<State>(
    _ state: State, dueTime: VirtualTimeInterval, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    let time = converter.offsetVirtualTime(clock, offset: dueTime)
    return scheduleAbsoluteVirtual(state, time: time, action: action)
  }

  /// Schedules `action` to be called at `time`, as adjusted by ``adjustScheduledTime(_:)``.
  public func scheduleAbsoluteVirtual<State>(
    _ state: State, time: VirtualTime, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    let scheduled = ScheduledAction { action(state) }
    let time = adjustScheduledTime(time)
    let index = pending.firstIndex { !isLater($0.time, than: time) } ?? pending.endIndex
    pending.insert((time, scheduled), at: index)
    return scheduled
  }

  /// The time at which an action scheduled for `time` is called; a subclass may change it.
  open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime { time }

  /// Runs all actions, in order of time, until none is left or `stop()` is called. The clock does
  /// not advance to disposed actions.
  public func start() { advance(until: nil) }

  /// Runs all actions due until `virtualTime`, and sets the clock to it. Without effect for a time
  /// in the past.
  public func advanceTo(_ virtualTime: VirtualTime) {
    guard !isRunning, !isLater(clock, than: virtualTime) else { return }
    advance(until: virtualTime)
    if !isLater(clock, than: virtualTime) { clock = virtualTime }
  }

  /// Advances the clock by `virtualInterval` without running actions. A negative interval is
  /// ignored.
  public func sleep(_ virtualInterval: VirtualTimeInterval) {
    let time = converter.offsetVirtualTime(clock, offset: virtualInterval)
    if isLater(time, than: clock) { clock = time }
  }

  /// Ends `start()` after the action that is running.
  public func stop() { isRunning = false }

  private func advance(until limit: VirtualTime?) {
    guard !isRunning else { return }
    isRunning = true
    while isRunning, let next = pending.last {
      if let limit, isLater(next.time, than: limit) { break }
      pending.removeLast()
      if !next.action.isDisposed, isLater(next.time, than: clock) { clock = next.time }
      next.action.invoke()
    }
    isRunning = false
  }

  private func isLater(_ lhs: VirtualTime, than rhs: VirtualTime) -> Bool {
    converter.compareVirtualTime(lhs, rhs) == .greaterThan
  }
}
