/// The timer of a timed operator: fires in a turn of the upstream serializer, unless it has been
/// restarted or the output has ended meanwhile.
///
/// To be restarted in turn, or before the upstreams are subscribed to.
final class RestartableTimer {
  private let upstreams: UpstreamSerializer
  private let scheduler: any SchedulerType
  private let timer = SerialDisposable()
  private var generation = 0

  init(_ upstreams: UpstreamSerializer, on scheduler: any SchedulerType) {
    self.upstreams = upstreams
    self.scheduler = scheduler
    upstreams.context.add(timer)
  }

  /// Calls `fire` once, when `dueTime` has passed.
  func restart(after dueTime: Duration, _ fire: @escaping () -> Void) {
    generation += 1
    timer.hold {
      scheduler.scheduleRelative(generation, dueTime: dueTime) { generation in
        self.upstreams.deliver(generation) { if $0 == self.generation { fire() } }
        return Disposables.create()
      }
    }
  }
}
