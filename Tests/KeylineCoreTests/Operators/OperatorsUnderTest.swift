import KeylineCore
import KeylineTest
import Testing

/// An operator set up so that it passes on what its source emits, and captures a token in every
/// closure it takes.
struct OperatorUnderTest: Sendable, CustomTestStringConvertible {
  typealias Token = LifetimeTracker.Tracked

  let testDescription: String
  /// False for `create`: it receives the disposable of its source when that has returned.
  let stopsSynchronousSource: Bool
  let apply: @Sendable (Observable<Item>, Token) -> Observable<Item>

  init(
    _ name: String, stopsSynchronousSource: Bool = true,
    _ apply: @escaping @Sendable (Observable<Item>, Token) -> Observable<Item>
  ) {
    testDescription = name
    self.stopsSynchronousSource = stopsSynchronousSource
    self.apply = apply
  }

  static let all = basic + creating + flattening + combining + traits + acrossTraits + traitTiming

  /// One line per operator.
  static let basic = [
    OperatorUnderTest("map") { source, token in source.map { token.pass($0) } },
    OperatorUnderTest("compactMap") { source, token in source.compactMap { token.pass($0) } },
    OperatorUnderTest("filter") { source, token in source.filter { _ in token.pass(true) } },
    OperatorUnderTest("distinctUntilChanged") { source, _ in source.distinctUntilChanged() },
    OperatorUnderTest("distinctUntilChanged(at:)") {
      $1.pass($0.distinctUntilChanged(at: \.value))
    },
    OperatorUnderTest("distinctUntilChanged(key)") { source, token in
      source.distinctUntilChanged { token.pass($0.value) }
    },
    OperatorUnderTest("distinctUntilChanged(comparer)") { source, token in
      source.distinctUntilChanged { token.pass($0.value) == $1.value }
    },
    OperatorUnderTest("distinctUntilChanged(key, comparer)") { source, token in
      source.distinctUntilChanged({ $0.value }, comparer: { token.pass($0) == $1 })
    },
    OperatorUnderTest("distinctUntilChanged of objects") { source, _ in
      source.map(Holder.init).distinctUntilChanged().map(\.item)
    },
    OperatorUnderTest("distinctUntilChanged of optional objects") { source, _ in
      source.map { Holder?(Holder($0)) }.distinctUntilChanged().compactMap { $0?.item }
    },
    OperatorUnderTest("withPrevious") { source, _ in
      source.map(Optional.some).startWith(nil).withPrevious().compactMap(\.current)
    },
    OperatorUnderTest("take") { source, _ in source.take(1_000) },
    OperatorUnderTest("take(until:)") { source, _ in source.take(until: Observable<Int>.never()) },
    OperatorUnderTest("skip") { source, _ in source.skip(0) },
    OperatorUnderTest("startWith") { source, _ in source.startWith() },
    OperatorUnderTest("combineLatest, last of two") { source, token in
      Observable.combineLatest(Observable.just(0), source) { token.pass($1) }
    },
    OperatorUnderTest("combineLatest, tuple of three") { source, token in
      Observable.combineLatest(Observable.just(0), Observable.just(""), source)
        .map { token.pass($0.2) }
    },
    OperatorUnderTest("combineLatest, collection") { source, token in
      Observable.combineLatest([source]) { token.pass($0[0]) }
    },
    OperatorUnderTest("merge, static") { source, _ in Observable.merge(.empty(), source) },
    OperatorUnderTest("merge") { source, _ in Observable.just(source).merge() },
    OperatorUnderTest("withLatestFrom") { source, token in
      source.withLatestFrom(Observable.just(0)) { item, _ in token.pass(item) }
    },
    OperatorUnderTest("share") { source, _ in source.share() },
    OperatorUnderTest("share(replay: 1)") { source, _ in source.share(replay: 1) },
    OperatorUnderTest("share(replay: 2)") { source, _ in source.share(replay: 2) },
    OperatorUnderTest("do") { source, token in
      source.do(
        onNext: { _ = token.pass($0) }, afterNext: { _ = token.pass($0) },
        onError: { _ = token.pass($0) }, onCompleted: { _ = token.pass(0) },
        onSubscribe: { _ = token.pass(0) }, onDispose: { _ = token.pass(0) })
    },
    OperatorUnderTest("observe(on:)") { source, _ in source.observe(on: ImmediateScheduler()) },
    OperatorUnderTest("debounce") { source, _ in
      source.debounce(.seconds(1), scheduler: ImmediateScheduler())
    },
    OperatorUnderTest("flatMapLatest, outer") { source, token in
      source.flatMapLatest { Observable.just(token.pass($0)) }
    },
    OperatorUnderTest("flatMapLatest, inner") { source, token in
      Observable.just(0).flatMapLatest { _ in token.pass(source) }
    },
    OperatorUnderTest("switchLatest") { source, _ in Observable.just(source).switchLatest() },
    OperatorUnderTest("create", stopsSynchronousSource: false) { source, token in
      Observable.create { token.pass(source).subscribe($0) }
    },
  ]
}
