/// Newcomers get the last elements it was fed, then whatever comes.
///
///     bufferSize 2
///     fed        --1-----2-----3--|
///     observer 1 ^-1-----2-----3--|
///     observer 2           ^12-3--|
///     observer 3                     ^23|
///
/// Laws as for ``PublishSubject``, and: between the replay of a newcomer and the next element nothing
/// is lost or doubled (7).
///
/// - Timing: as ``PublishSubject``; the replay inside `subscribe`.
/// - Lifetime: holds what it replays until it dies, also after its termination.
/// - SeeAlso: ReactiveX [Replay](https://reactivex.io/documentation/operators/replay.html).
public final class ReplaySubject<Element>: Subject<Element> {
  private init(capacity: Int) { super.init(Memory(capacity: capacity)) }

  /// A subject that replays the last `bufferSize` elements; none if that is not positive.
  public static func create(bufferSize: Int) -> ReplaySubject<Element> {
    ReplaySubject(capacity: max(0, bufferSize))
  }

  /// A subject that replays everything it was ever fed.
  public static func createUnbounded() -> ReplaySubject<Element> { ReplaySubject(capacity: .max) }

  public override func asObserver() -> ReplaySubject<Element> { self }
}

// Proof of @unchecked: adds nothing that changes to its superclass.
extension ReplaySubject: @unchecked Sendable where Element: Sendable {}
