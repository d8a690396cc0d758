@testable import KeylineCore

extension OperatorUnderTest {
  /// The operators of the traits. The wrapper is forced upon sources that break the trait's
  /// promise, because the laws check that every event passes through the wrapper.
  static let traits = [
    OperatorUnderTest("Maybe.map") { source, token in
      Maybe(raw: source).map { token.pass($0) }.asObservable()
    },
    OperatorUnderTest("Single.compactMap") { source, token in
      Single(raw: source).compactMap { token.pass($0) }.asObservable()
    },
    OperatorUnderTest("Single.filter") { source, token in
      Single(raw: source).filter { _ in token.pass(true) }.asObservable()
    },
    OperatorUnderTest("Single.do") { source, token in
      Single(raw: source).do(onSuccess: { _ = token.pass($0) }).asObservable()
    },
    OperatorUnderTest("Maybe.do") { source, token in
      Maybe(raw: source).do(onNext: { _ = token.pass($0) }).asObservable()
    },
    OperatorUnderTest("Single.observe(on:)") { source, _ in
      Single(raw: source).observe(on: ImmediateScheduler()).asObservable()
    },
    OperatorUnderTest("Single.asMaybe") { source, _ in
      Single(raw: source).asMaybe().asObservable()
    },
    OperatorUnderTest("Completable.andThen") { source, token in
      Completable.empty().andThen(token.pass(source))
    },
    OperatorUnderTest("Single.deferred") { source, token in
      Single.deferred { Single(raw: token.pass(source)) }.asObservable()
    },
    OperatorUnderTest("Single.flatMap, inner") { source, token in
      Single.just(0).flatMap { _ in Single(raw: token.pass(source)) }.asObservable()
    },
    OperatorUnderTest("Single.flatMapMaybe, outer") { source, token in
      Single(raw: source).flatMapMaybe { .just(token.pass($0)) }.asObservable()
    },
    OperatorUnderTest("Maybe.catch") { source, token in
      Maybe(raw: source).catch { .error(token.pass($0)) }.asObservable()
    },
    OperatorUnderTest("Single.retry(when:)") { source, token in
      Single(raw: source).retry { errors in
        errors.flatMap { Observable<Int>.error(token.pass($0)) }
      }.asObservable()
    },
    OperatorUnderTest("Single.retry(count)") { source, _ in
      Single(raw: source).retry(1).asObservable()
    },
    OperatorUnderTest("Infallible.map") { source, token in
      Infallible(raw: source).map { token.pass($0) }.asObservable()
    },
    OperatorUnderTest("Infallible.do") { source, token in
      Infallible(raw: source).do(onNext: { _ = token.pass($0) }).asObservable()
    },
    OperatorUnderTest("Infallible.startWith") { source, _ in
      Infallible(raw: source).startWith().asObservable()
    },
    OperatorUnderTest("Infallible.distinctUntilChanged") { source, token in
      Infallible(raw: source).distinctUntilChanged { token.pass($0.value) }.asObservable()
    },
    OperatorUnderTest("Infallible.withPrevious") { source, _ in
      Infallible(raw: source.map(Optional.some).startWith(nil)).withPrevious()
        .compactMap(\.current).asObservable()
    },
    OperatorUnderTest("Driver.map") { source, token in
      Driver(raw: source).map { token.pass($0) }.asObservable()
    },
    OperatorUnderTest("Driver.flatMapLatest") { source, token in
      Driver(raw: .just(0)).flatMapLatest { _ in Driver(raw: token.pass(source)) }.asObservable()
    },
    OperatorUnderTest("Driver.combineLatest") { source, token in
      Driver.combineLatest(Driver(raw: .just(0)), Driver(raw: source)) { token.pass($1) }
        .asObservable()
    },
    OperatorUnderTest("Driver.merge") { source, _ in
      Driver.merge(.init(raw: .empty()), .init(raw: source)).asObservable()
    },
    OperatorUnderTest("Driver.flatMapFirst") { source, token in
      Driver(raw: .just(0)).flatMapFirst { _ in Driver(raw: token.pass(source)) }.asObservable()
    },
    OperatorUnderTest("Infallible.concatMap") { source, token in
      Infallible(raw: source).concatMap { Infallible.just(token.pass($0)) }.asObservable()
    },
    OperatorUnderTest("Infallible.concat") { source, _ in
      Infallible.concat(.empty(), Infallible(raw: source), .empty()).asObservable()
    },
    OperatorUnderTest("Signal.filter") { source, token in
      Signal(raw: source).filter { _ in token.pass(true) }.asObservable()
    },
    OperatorUnderTest("Signal.withLatestFrom") { source, token in
      Signal(raw: source).withLatestFrom(Signal(raw: .just(0))) { item, _ in token.pass(item) }
        .asObservable()
    },
  ]

  /// Operators across traits.
  static let acrossTraits = [
    OperatorUnderTest("Driver.flatMap into signals") { source, token in
      Driver(raw: source).flatMap { Signal(raw: .just(token.pass($0))) }.asObservable()
    },
    OperatorUnderTest("Driver.flatMapLatest into a signal") { source, token in
      Driver(raw: .just(0)).flatMapLatest { _ in Signal(raw: token.pass(source)) }.asObservable()
    },
    OperatorUnderTest("Signal.flatMapFirst into a driver") { source, token in
      Signal(raw: .just(0)).flatMapFirst { _ in Driver(raw: token.pass(source)) }.asObservable()
    },
    OperatorUnderTest("Signal.concatMap into drivers") { source, token in
      Signal(raw: source).concatMap { Driver(raw: .just(token.pass($0))) }.asObservable()
    },
    OperatorUnderTest("Signal.switchLatest of a driver") { source, _ in
      Signal(raw: .just(Driver(raw: source))).switchLatest().asObservable()
    },
    OperatorUnderTest("Driver.merge of a signal") { source, _ in
      Driver(raw: .just(Signal(raw: source))).merge().asObservable()
    },
    OperatorUnderTest("Driver.merge(maxConcurrent:) of a signal") { source, _ in
      Driver(raw: .just(Signal(raw: source))).merge(maxConcurrent: 1).asObservable()
    },
    OperatorUnderTest("Infallible.flatMap into observables") { source, token in
      Infallible(raw: source).flatMap { Observable.just(token.pass($0)) }.asObservable()
    },
    OperatorUnderTest("Infallible.flatMapLatest into an infallible") { source, token in
      Infallible.just(0).flatMapLatest { _ in token.pass(Infallible(raw: source)) }.asObservable()
    },
    OperatorUnderTest("Infallible.flatMapFirst into observables") { source, token in
      Infallible(raw: source).flatMapFirst { Observable.just(token.pass($0)) }.asObservable()
    },
    OperatorUnderTest("Infallible.concatMap into observables") { source, token in
      Infallible(raw: source).concatMap { Observable.just(token.pass($0)) }.asObservable()
    },
    OperatorUnderTest("Infallible.switchLatest") { source, _ in
      Infallible.just(Infallible(raw: source)).switchLatest().asObservable()
    },
    OperatorUnderTest("Infallible.merge(maxConcurrent:)") { source, _ in
      Infallible.just(Infallible(raw: source)).merge(maxConcurrent: 1).asObservable()
    },
    OperatorUnderTest("Infallible.take(until:) an observable") { source, _ in
      Infallible(raw: source).take(until: Observable<Int>.never()).asObservable()
    },
    OperatorUnderTest("Infallible.skip(until:) an observable") { source, _ in
      Infallible(raw: source).skip(until: Observable.just(0)).asObservable()
    },
    OperatorUnderTest("Signal.withLatestFrom a driver") { source, token in
      delivering {
        Signal(raw: source).withLatestFrom(Driver(raw: .just(0))) { item, _ in token.pass(item) }
      }
    },
    OperatorUnderTest("Infallible.sample") { source, _ in
      source.shared { shared in
        Infallible(raw: shared).sample(Infallible(raw: shared)).asObservable()
      }
    },
    OperatorUnderTest("Driver.combineLatest with an infallible") { source, token in
      delivering {
        Driver.combineLatest(Infallible.just(0), Driver(raw: source)) { token.pass($1) }
      }
    },
    OperatorUnderTest("Signal.zip") { source, token in
      source.shared { shared in
        Signal.zip(Signal(raw: shared), Signal(raw: shared)) { first, _ in token.pass(first) }
          .asObservable()
      }
    },
  ]

  /// What `make` returns, with deliveries of drivers and signals inside the call that causes them.
  private static func delivering(
    _ make: () -> some ObservableConvertibleType<Item>
  ) -> Observable<Item> {
    var made: Observable<Item> = .never()
    SharingScheduler.mock(scheduler: ImmediateScheduler()) { made = make().asObservable() }
    return made
  }
}
