import OpenCombine

/// Virtual time for OpenCombine, which has none: a queue in order of time, from which a cancelled
/// action is removed at once.
///
/// For one thread, without locks. Linear in the actions that are pending: the workloads keep two at
/// most.
final class OpenCombineVirtualTime: OpenCombine.Scheduler {
  struct Tick: Strideable {
    var tick: Int

    func distance(to other: Tick) -> ImmediateScheduler.SchedulerTimeType.Stride {
      .init(other.tick - tick)
    }

    func advanced(by stride: ImmediateScheduler.SchedulerTimeType.Stride) -> Tick {
      Tick(tick: tick + stride.magnitude)
    }
  }

  private final class Action: Cancellable {
    var due: Int
    let interval: Int?
    let perform: () -> Void
    unowned let scheduler: OpenCombineVirtualTime
    var isCancelled = false

    init(
      due: Int, interval: Int?, on scheduler: OpenCombineVirtualTime,
      _ perform: @escaping () -> Void
    ) {
      self.due = due
      self.interval = interval
      self.perform = perform
      self.scheduler = scheduler
    }

    func cancel() {
      isCancelled = true
      scheduler.remove(self)
    }
  }

  typealias SchedulerOptions = Never

  private(set) var now = Tick(tick: 0)
  let minimumTolerance = Tick.Stride(0)
  private var pending: [Action] = []

  func schedule(options: Never?, _ action: @escaping () -> Void) {
    insert(Action(due: now.tick, interval: nil, on: self, action))
  }

  func schedule(
    after date: Tick, tolerance: Tick.Stride, options: Never?, _ action: @escaping () -> Void
  ) {
    insert(Action(due: date.tick, interval: nil, on: self, action))
  }

  func schedule(
    after date: Tick, interval: Tick.Stride, tolerance: Tick.Stride, options: Never?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    let action = Action(due: date.tick, interval: interval.magnitude, on: self, action)
    insert(action)
    return action
  }

  /// Performs the actions due in the next `ticks`, and sets the clock to the end of that interval.
  func advance(by ticks: Int) {
    let end = now.tick + ticks
    while let next = pending.first, next.due <= end {
      pending.removeFirst()
      now.tick = max(now.tick, next.due)
      next.perform()
      guard let interval = next.interval, !next.isCancelled else { continue }
      next.due += interval
      insert(next)
    }
    now.tick = end
  }

  /// Searches from the end, where a new action belongs in most cases.
  private func insert(_ action: Action) {
    let index = pending.lastIndex { $0.due <= action.due }.map { $0 + 1 } ?? 0
    pending.insert(action, at: index)
  }

  private func remove(_ action: Action) {
    guard let index = pending.firstIndex(where: { $0 === action }) else { return }
    pending.remove(at: index)
  }
}
