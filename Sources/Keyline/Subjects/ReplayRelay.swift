/// A ``ReplaySubject`` that never ends: it takes elements only.
///
/// - Timing: synchronous, on the thread that calls `accept(_:)`; laws 4 to 7 as for the subject.
/// - Lifetime: a relay that dies disposes the subscriptions to it, without a termination.
/// - SeeAlso: ReactiveX [Replay](https://reactivex.io/documentation/operators/replay.html).
public final class ReplayRelay<Element>: Relay<Element> {
  /// A relay that replays the last `bufferSize` elements; none if that is not positive.
  public static func create(bufferSize: Int) -> ReplayRelay<Element> {
    ReplayRelay(ReplaySubject.create(bufferSize: bufferSize))
  }

  /// A relay that replays everything it ever accepted.
  public static func createUnbound() -> ReplayRelay<Element> {
    ReplayRelay(ReplaySubject.createUnbounded())
  }
}

// Proof of @unchecked: adds nothing that can change to its superclass.
extension ReplayRelay: @unchecked Sendable where Element: Sendable {}
