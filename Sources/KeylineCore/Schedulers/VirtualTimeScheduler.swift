/// Converts between a virtual clock's units and durations. A program's own virtual clocks conform.
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
  /// The first one is earlier.
  case lessThan
  /// Both are the same.
  case equal
  /// The first one is later.
  case greaterThan
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
/// - Isolation: for one thread; not synchronised. A subscription that it has made, by `subscribe(on:)`, is
///   disposed on that thread, too.
/// - Complexity: O(log(pending actions)) to schedule and to run.
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType,
  ThreadConfinedSchedulerType
{
  /// A time of the clock.
  public typealias VirtualTime = Converter.VirtualTimeUnit
  /// The difference of two times.
  public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

  /// The virtual time now.
  public private(set) var clock: VirtualTime
  private let converter: Converter
  private var pending = Heap<ScheduledAction>()
  /// The number of pending actions at which the disposed ones among them are removed.
  private var limit = 16
  private var scheduledCount = 0
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

  /// Schedules `action` to be called `dueTime` from now, as adjusted by ``adjustScheduledTime(_:)``.
  public func scheduleRelative<State>(
    _ state: State, dueTime: Duration, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    let interval = converter.convertToVirtualTimeInterval(dueTime)
    let time = adjustScheduledTime(converter.offsetVirtualTime(clock, offset: interval))
    return scheduleAbsoluteVirtual(state, time: time, action: action)
  }

  /// Schedules `action` to be called `dueTime` from now, without adjustment.
  public func scheduleRelativeVirtual<State>(
    _ state: State, dueTime: VirtualTimeInterval, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    let time = converter.offsetVirtualTime(clock, offset: dueTime)
    return scheduleAbsoluteVirtual(state, time: time, action: action)
  }

  /// Schedules `action` to be called at `time`, without adjustment. The clock does not go back: an
  /// action scheduled for the past runs now, before the actions scheduled for now.
  public func scheduleAbsoluteVirtual<State>(
    _ state: State, time: VirtualTime, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    if pending.elements.count >= limit {
      for action in exchange(&pending, with: Heap()).elements where !action.isDisposed {
        pending.insert(action) { $0.isDue(before: $1) }
      }
      limit = max(16, 2 * pending.elements.count)
    }
    scheduledCount += 1
    let timed = TimedAction(time, by: converter, scheduledCount) { action(state) }
    pending.insert(timed) { $0.isDue(before: $1) }
    return timed
  }

  /// The time at which an action that was scheduled relatively, for `time`, is called; a subclass may
  /// change it.
  open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime { time }

  /// Runs all actions, in order of time, until none is left or `stop()` is called. The clock does
  /// not advance to disposed actions.
  public func start() { run { _ in true } }

  /// Runs all actions due until `virtualTime`, and sets the clock to it. Without effect for a time
  /// in the past.
  public func advanceTo(_ virtualTime: VirtualTime) {
    guard !isRunning, !isLater(clock, than: virtualTime) else { return }
    run { !isLater($0, than: virtualTime) }
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

  private func run(while isIncluded: (VirtualTime) -> Bool) {
    guard !isRunning else { return }
    isRunning = true
    while isRunning, let next = pending.first {
      // A disposed action leaves whenever it is due, so that actions replaced over and over do not pile up.
      if !next.isDisposed {
        guard let next = next as? TimedAction<Converter>, isIncluded(next.time) else { break }
        if isLater(next.time, than: clock) { clock = next.time }
      }
      _ = pending.popFirst { $0.isDue(before: $1) }
      next.invoke()
    }
    isRunning = false
  }

  private func isLater(_ lhs: VirtualTime, than rhs: VirtualTime) -> Bool {
    converter.compareVirtualTime(lhs, rhs) == .greaterThan
  }
}

private final class TimedAction<Converter: VirtualTimeConverterType>: ScheduledAction,
  @unchecked Sendable
{
  // Proof of @unchecked: adds immutable state, used on the scheduler's thread only.

  let time: Converter.VirtualTimeUnit
  private let converter: Converter
  /// The number of the action: actions due at the same time run in the order of scheduling.
  private let order: Int

  init(
    _ time: Converter.VirtualTimeUnit, by converter: Converter, _ order: Int,
    _ action: @escaping () -> any Disposable
  ) {
    self.time = time
    self.converter = converter
    self.order = order
    super.init(action)
  }

  override func isDue(before other: ScheduledAction) -> Bool {
    guard let other = other as? TimedAction else { return false }
    let comparison = converter.compareVirtualTime(time, other.time)
    return comparison == .equal ? order < other.order : comparison == .lessThan
  }
}
