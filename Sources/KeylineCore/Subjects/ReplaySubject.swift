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
/// - Lifetime: retains the elements it replays until it is released, also after its termination.
/// - SeeAlso: ReactiveX [Replay](https://reactivex.io/documentation/operators/replay.html).
public final class ReplaySubject<Element>: Subject<Element> {
  private init(capacity: Int, _ file: StaticString, _ line: UInt) {
    super.init(ReplayBroadcaster(capacity: capacity))
    record(file, line, "ReplaySubject")
  }

  /// A subject that replays the last `bufferSize` elements; none if it is not positive.
  ///
  /// - Parameters:
  ///   - bufferSize: how many elements are replayed.
  ///   - file: the file of the call, for `Resources.places`.
  ///   - line: its line.
  public static func create(bufferSize: Int, file: StaticString = #fileID, line: UInt = #line)
    -> ReplaySubject<Element>
  {
    ReplaySubject(capacity: max(0, bufferSize), file, line)
  }

  /// A subject that replays all elements it has ever received.
  ///
  /// - Parameters:
  ///   - file: the file of the call, for `Resources.places`.
  ///   - line: its line.
  public static func createUnbounded(file: StaticString = #fileID, line: UInt = #line)
    -> ReplaySubject<Element>
  {
    ReplaySubject(capacity: .max, file, line)
  }

  /// The same as a function value, `ReplaySubject.create`.
  // Why disfavored, here and below: a call takes the function above, which records the place of the call.
  @_disfavoredOverload public static func create(bufferSize: Int) -> ReplaySubject<Element> {
    create(bufferSize: bufferSize, file: "", line: 0)
  }

  /// The same as a function value, `ReplaySubject.createUnbounded`.
  @_disfavoredOverload public static func createUnbounded() -> ReplaySubject<Element> {
    createUnbounded(file: "", line: 0)
  }

  /// The subject itself.
  public override func asObserver() -> ReplaySubject<Element> { self }
}

// Proof of @unchecked: adds no mutable state to its superclass.
extension ReplaySubject: @unchecked Sendable where Element: Sendable {}
