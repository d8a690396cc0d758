import KeylineCore
import KeylineTest
import Testing

/// A source that has completed is released, though the others go on.
@Suite struct CompletedSourceTests {
  private final class Token {}

  struct Combination: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (Observable<Int>, Observable<Int>) -> Observable<Int>

    init(
      _ name: String,
      _ apply: @escaping @Sendable (Observable<Int>, Observable<Int>) -> Observable<Int>
    ) {
      testDescription = name
      self.apply = apply
    }
  }

  static let combinations = [
    Combination("concat") { $0.concat($1) },
    Combination("concat of an array") { .concat([$0, $1]) },
    Combination("concat of several") { .concat($0, $1, $1) },
    Combination("catch") { source, other in
      .catch(sequence: [source.concat(Observable.error(RxError.unknown)), other])
    },
    Combination("andThen") { $0.ignoreElements().asCompletable().andThen($1) },
    Combination("Completable.concat") { source, other in
      let (first, second) = (source.ignoreElements(), other.ignoreElements())
      return Completable.concat(first.asCompletable(), second.asCompletable()).andThen(.empty())
    },
    Combination("combineLatest") { .combineLatest($0, $1) { $0 + $1 } },
    Combination("combineLatest of three") { .combineLatest($0, $1, $1) { $0 + $1 + $2 } },
    Combination("combineLatest of an array") {
      .combineLatest([$0, $1], resultSelector: { $0[0] })
    },
    Combination("zip") { .zip($0, $1) { $0 + $1 } },
    Combination("zip of three") { .zip($0, $1, $1) { $0 + $1 + $2 } },
    Combination("zip of an array") { .zip([$0, $1], resultSelector: { $0[0] }) },
    Combination("merge") { .merge($0, $1) },
    Combination("concatMap") { Observable.of($0, $1).concatMap { $0 } },
    Combination("withLatestFrom") { $1.withLatestFrom($0) },
    Combination("sample") { $1.sample($0) },
  ]

  @Test("A completed source is released", arguments: combinations)
  func aCompletedSourceIsReleased(_ combination: Combination) {
    let gate = PublishSubject<Int>()
    var token: Token? = Token()
    weak let observed = token
    func source(_ token: Token?) -> Observable<Int> {
      .create { observer in
        observer.onNext(1)
        withExtendedLifetime(token) { observer.onCompleted() }
        return Disposables.create()
      }
    }
    let subscription = combination.apply(source(token), gate).subscribe()
    token = nil
    #expect(gate.hasObservers)
    #expect(observed == nil)
    subscription.dispose()
  }

  @Test("Groups and windows that go on do not retain the closures of the output that was left")
  func groupsDoNotRetainTheOutput() {
    let source = PublishSubject<Int>()
    let scheduler = TestScheduler(initialClock: 0)
    let outputs = [
      source.groupBy { $0 % 2 }.map { $0.asObservable() },
      source.window(timeSpan: .seconds(9), count: 9, scheduler: scheduler),
    ]
    for output in outputs {
      var token: Token? = Token()
      weak let observed = token
      var received: [Int] = []
      let bag = CompositeDisposable()
      let subscription = output.subscribe(onNext: { [token] inner in
        bag.insert(inner.subscribe(onNext: { received.append($0) }))
        withExtendedLifetime(token) {}
      })
      token = nil
      source.onNext(1)
      #expect(observed != nil)
      subscription.dispose()
      #expect(observed == nil)
      source.onNext(3)
      source.onNext(4)
      #expect(received.first == 1 && received.contains(3))
      bag.dispose()
      #expect(!source.hasObservers)
    }
  }
}
