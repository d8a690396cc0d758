/// A ``ReplaySubject`` that never terminates: it accepts elements only.
///
/// - Timing: synchronous, on the thread that calls `accept(_:)`; C4 to C7 as for the subject.
/// - Lifetime: a relay that is released disposes the subscriptions to it, without a termination;
///   ``Relay`` lists the operators behind which a subscription stays.
/// - SeeAlso: ReactiveX [Replay](https://reactivex.io/documentation/operators/replay.html).
public final class ReplayRelay<Element>: Relay<Element> {
  /// A relay that replays the last `bufferSize` elements; none if it is not positive.
  ///
  /// - Parameters:
  ///   - bufferSize: how many elements are replayed.
  ///   - file: the file of the call, for `Resources.places`.
  ///   - line: its line.
  public static func create(bufferSize: Int, file: StaticString = #fileID, line: UInt = #line)
    -> ReplayRelay<Element>
  {
    ReplayRelay(ReplaySubject.create(bufferSize: bufferSize), file, line)
  }

  /// A relay that replays all elements it has ever accepted.
  ///
  /// - Parameters:
  ///   - file: the file of the call, for `Resources.places`.
  ///   - line: its line.
  public static func createUnbound(file: StaticString = #fileID, line: UInt = #line) -> ReplayRelay<
    Element
  > {
    ReplayRelay(ReplaySubject.createUnbounded(), file, line)
  }

  /// The same as a function value, `ReplayRelay.create`.
  // Why disfavored, here and below: a call takes the function above, which records the place of the call.
  @_disfavoredOverload public static func create(bufferSize: Int) -> ReplayRelay<Element> {
    create(bufferSize: bufferSize, file: "", line: 0)
  }

  /// The same as a function value, `ReplayRelay.createUnbound`.
  @_disfavoredOverload public static func createUnbound() -> ReplayRelay<Element> {
    createUnbound(file: "", line: 0)
  }

  private init(_ subject: ReplaySubject<Element>, _ file: StaticString, _ line: UInt) {
    super.init(subject)
    subject.record(file, line, "ReplayRelay")
  }
}

// Proof of @unchecked: adds no mutable state to its superclass.
extension ReplayRelay: @unchecked Sendable where Element: Sendable {}
