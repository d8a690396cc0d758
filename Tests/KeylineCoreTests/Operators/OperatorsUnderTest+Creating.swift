import Foundation
import KeylineFoundation
import TestSupport

@testable import KeylineCore

extension OperatorUnderTest {
  /// The operators that create sequences, used for inner sequences, and connectable operators.
  static let creating = [
    OperatorUnderTest("just") { source, _ in source.concatMap { Observable.just($0) } },
    OperatorUnderTest("just(scheduler:)") { source, _ in
      source.concatMap { Observable.just($0, scheduler: ImmediateScheduler()) }
    },
    OperatorUnderTest("of") { source, _ in source.concatMap { Observable.of($0) } },
    OperatorUnderTest("from") { source, _ in source.concatMap { Observable.from([$0]) } },
    OperatorUnderTest("from(optional:)") { source, _ in
      source.concatMap { Observable.from(optional: $0) }
    },
    OperatorUnderTest("range") { source, token in
      source.concatMap { item in
        Observable.range(start: 0, count: 1).map { _ in token.pass(item) }
      }
    },
    OperatorUnderTest("generate") { source, token in
      source.concatMap { item in
        Observable.generate(
          initialState: 0, condition: { token.pass($0) < 1 }, iterate: { token.pass($0) + 1 }
        ).map { _ in item }
      }
    },
    OperatorUnderTest("repeatElement") { source, _ in
      source.concatMap { Observable.repeatElement($0).take(1) }
    },
    OperatorUnderTest("timer") { source, _ in
      source.concatMap { item in
        Observable<Int>.timer(.zero, scheduler: ImmediateScheduler()).map { _ in item }
      }
    },
    OperatorUnderTest("interval") { source, _ in
      source.take(until: Observable<Int>.interval(.seconds(1), scheduler: IdleScheduler()))
    },
    OperatorUnderTest("empty") { source, _ in .concat(.empty(), source, .empty()) },
    OperatorUnderTest("error") { source, _ in .catch(sequence: [.error(Failure()), source]) },
    OperatorUnderTest("never") { source, _ in source.take(until: Observable<Item>.never()) },
    OperatorUnderTest("toArray") { source, _ in
      source.flatMap { Observable.just($0).toArray() }.map { $0[0] }
    },
    OperatorUnderTest("decode") { source, token in
      source.flatMap { item in
        Observable.just(Data("[1]".utf8)).decode(type: [Int].self).map { _ in token.pass(item) }
      }
    },
    OperatorUnderTest("single()") { source, _ in
      source.flatMapLatest { Observable.just($0).single() }
    },
    OperatorUnderTest("reduce(mapResult:)") { source, token in
      source.flatMap { item in
        Observable.just(item).reduce(item, accumulator: { token.pass($1) }, mapResult: token.pass)
      }
    },
    OperatorUnderTest("reduce") { source, token in
      source.flatMap { Observable.just($0).reduce($0) { token.pass($1) } }
    },
    OperatorUnderTest("retry()") { source, _ in
      source.flatMapLatest { Observable.just($0).retry() }
    },
    OperatorUnderTest("multicast") { source, _ in source.multicast(PublishSubject()).refCount() },
    OperatorUnderTest("multicast(makeSubject:)") { source, token in
      source.multicast(makeSubject: { token.pass(PublishSubject()) }).refCount()
    },
    OperatorUnderTest("replayAll, refCount") { source, _ in source.replayAll().refCount() },
    // Nothing can be disposed before `connect` has returned it.
    OperatorUnderTest("connect", stopsSynchronousSource: false) { source, _ in
      Observable.deferred {
        let (connectable, connection) = (source.publish(), SerialDisposable())
        return connectable.do(
          onSubscribed: { connection.disposable = connectable.connect() },
          onDispose: { connection.dispose() })
      }
    },
  ]

  /// The operators of traits that take a scheduler, a predicate or an accumulator.
  static let traitTiming = [
    OperatorUnderTest("Single.subscribe(on:)") { source, _ in
      Single(raw: source).subscribe(on: ImmediateScheduler()).asObservable()
    },
    OperatorUnderTest("Single.delay") { source, _ in
      Single(raw: source).delay(.seconds(1), scheduler: ImmediateScheduler()).asObservable()
    },
    OperatorUnderTest("Maybe.delaySubscription") { source, _ in
      Maybe(raw: source).delaySubscription(.seconds(1), scheduler: ImmediateScheduler())
        .asObservable()
    },
    OperatorUnderTest("Single.timeout") { source, _ in
      Single(raw: source).timeout(.seconds(1), scheduler: IdleScheduler()).asObservable()
    },
    OperatorUnderTest("Single.timeout(other:)") { source, _ in
      Single.never().timeout(
        .seconds(1), other: Single(raw: source), scheduler: ImmediateScheduler()
      ).asObservable()
    },
    OperatorUnderTest("Maybe.ifEmpty(switchTo:)") { source, _ in
      Maybe.empty().ifEmpty(switchTo: Maybe(raw: source)).asObservable()
    },
    OperatorUnderTest("Maybe.debug") { source, _ in
      Maybe(raw: source).debug("", trimOutput: true).asObservable()
    },
    OperatorUnderTest("Infallible.debounce") { source, _ in
      Infallible(raw: source).debounce(.seconds(1), scheduler: ImmediateScheduler()).asObservable()
    },
    OperatorUnderTest("Infallible.throttle") { source, _ in
      Infallible(raw: source).throttle(.seconds(1), scheduler: ImmediateScheduler()).asObservable()
    },
    OperatorUnderTest("Infallible.take(for:)") { source, _ in
      Infallible(raw: source).take(for: .seconds(1), scheduler: IdleScheduler()).asObservable()
    },
    OperatorUnderTest("Infallible.take(while:)") { source, token in
      Infallible(raw: source).take(while: { _ in token.pass(true) }).asObservable()
    },
    OperatorUnderTest("Infallible.skip(while:)") { source, token in
      Infallible(raw: source).skip(while: { _ in token.pass(false) }).asObservable()
    },
    OperatorUnderTest("Infallible.scan") { source, token in
      Infallible(raw: source).scan(nil as Item?) { token.pass($1) }.compactMap { $0 }
        .asObservable()
    },
    OperatorUnderTest("Infallible.enumerated") { source, _ in
      Infallible(raw: source).enumerated().map(\.element).asObservable()
    },
    OperatorUnderTest("Infallible.ifEmpty(switchTo:)") { source, _ in
      Infallible.empty().ifEmpty(switchTo: Infallible(raw: source)).asObservable()
    },
    OperatorUnderTest("Driver.scan(into:)") { source, token in
      Driver(raw: source).scan(into: []) { $0 = [token.pass($1)] }.map { $0[0] }.asObservable()
    },
  ]
}
