/// The timer of a timed operator: it rings in a turn of the junction, unless it has been set anew or
/// the output has ended meanwhile.
///
/// To be set in turn, or before the upstreams start.
final class Alarm {
  private let junction: Junction
  private let scheduler: any SchedulerType
  private let timer = SerialDisposable()
  private var generation = 0

  init(_ junction: Junction, on scheduler: any SchedulerType) {
    (self.junction, self.scheduler) = (junction, scheduler)
    junction.context.add(timer)
  }

  /// Calls `ring` once, when `dueTime` has passed.
  func set(after dueTime: Duration, _ ring: @escaping () -> Void) {
    generation += 1
    timer.hold {
      scheduler.run(after: dueTime) { [generation] in
        self.junction.pass(generation) { if $0 == self.generation { ring() } }
      }
    }
  }
}
