/// Replays the latest elements to new observers, then emits the elements that follow.
///
///     bufferSize 2
///     input      --1-----2-----3--|
///     observer 1 ^-1-----2-----3--|
///     observer 2           ^12-3--|
///     observer 3                     ^23|
///
/// Laws as for ``PublishSubject``, and: between the replay for a new observer and the next element
/// no element is lost or repeated (C7).
///
/// - Timing: as ``PublishSubject``; the replay inside `subscribe`.
/// - Lifetime: keeps the elements that it replays, and objects in them, alive until it is released, also
///   after its termination.
/// - SeeAlso: ReactiveX [Replay](https://reactivex.io/documentation/operators/replay.html).
public final class ReplaySubject<Element>: Subject<Element> {
  private init(capacity: Int) { super.init(ReplayBroadcaster(capacity: capacity), "ReplaySubject") }

  /// A subject that replays the last `bufferSize` elements; none if it is not positive.
  ///
  /// - Parameter bufferSize: how many elements are replayed.
  public static func create(bufferSize: Int) -> ReplaySubject<Element> {
    ReplaySubject(capacity: max(0, bufferSize))
  }

  /// A subject that replays all elements it has ever received.
  public static func createUnbounded() -> ReplaySubject<Element> { ReplaySubject(capacity: .max) }

  /// The subject itself.
  public override func asObserver() -> ReplaySubject<Element> { self }
}

// Proof of @unchecked: adds no mutable state to its superclass.
extension ReplaySubject: @unchecked Sendable where Element: Sendable {}
