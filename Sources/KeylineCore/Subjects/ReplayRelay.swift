/// A ``ReplaySubject`` that never terminates: it accepts elements only.
///
/// - Timing: synchronous, on the thread that calls `accept(_:)` or, while another thread is delivering, on
///   that one; C4 to C7 as for the subject.
/// - Lifetime: keeps the elements that it replays, and objects in them, alive. A relay that is released
///   disposes the subscriptions to it, without a termination. For subscriptions behind
///   operators, see ``Relay``.
/// - SeeAlso: ReactiveX [Replay](https://reactivex.io/documentation/operators/replay.html).
public final class ReplayRelay<Element>: Relay<Element> {
  /// A relay that replays the last `bufferSize` elements; none if it is not positive.
  ///
  /// - Parameter bufferSize: how many elements are replayed.
  public static func create(bufferSize: Int) -> ReplayRelay<Element> {
    ReplayRelay(ReplaySubject.create(bufferSize: bufferSize), "ReplayRelay")
  }

  /// A relay that replays all elements it has ever accepted.
  public static func createUnbound() -> ReplayRelay<Element> {
    ReplayRelay(ReplaySubject.createUnbounded(), "ReplayRelay")
  }
}

// Proof of @unchecked: adds no mutable state to its superclass.
extension ReplayRelay: @unchecked Sendable where Element: Sendable {}
