import KeylineTest
import TestSupport

@testable import KeylineCore

extension OperatorUnderTest {
  /// Errors, combining, filtering, sharing, timing: one line per operator. Those that wait for the
  /// end of their source get a source of one element for each.
  static let combining = [
    OperatorUnderTest("catch") { source, token in
      source.catch { throw token.pass($0) }
    },
    OperatorUnderTest("catch, second") { source, token in
      Observable.error(Failure()).catch { _ in token.pass(source) }
    },
    OperatorUnderTest("catchAndReturn") { source, token in
      source.flatMapLatest { Observable.error(Failure()).catchAndReturn(token.pass($0)) }
    },
    OperatorUnderTest("catch(sequence:)") { source, _ in
      Observable.catch(sequence: [.error(Failure()), source])
    },
    OperatorUnderTest("retry(1)") { source, _ in source.retry(1) },
    OperatorUnderTest("retry(when:)") { source, token in
      source.retry { errors in errors.flatMapLatest { Observable<Int>.error(token.pass($0)) } }
    },
    OperatorUnderTest("concat, first") { source, _ in source.concat(Observable.empty()) },
    OperatorUnderTest("concat, second") { source, _ in Observable.empty().concat(source) },
    OperatorUnderTest("concat()") { source, _ in Observable.just(source).concat() },
    OperatorUnderTest("merge(maxConcurrent:)") { source, _ in
      Observable.of(.empty(), source).merge(maxConcurrent: 2)
    },
    OperatorUnderTest("zip, collection") { source, token in
      Observable.zip([source]) { token.pass($0[0]) }
    },
    OperatorUnderTest("zip, one") { source, token in
      Observable.zip(source) { token.pass($0) }
    },
    OperatorUnderTest("withUnretained") { source, token in
      source.withUnretained(witness) { token.pass($1) }
    },
    OperatorUnderTest("publish, refCount") { source, _ in source.publish().refCount() },
    OperatorUnderTest("replay(1), refCount") { source, _ in source.replay(1).refCount() },
    OperatorUnderTest("zip, shared") { source, token in
      source.shared { shared in
        Observable.zip(shared, shared) { first, _ in token.pass(first) }
      }
    },
    OperatorUnderTest("sample") { source, token in
      source.shared { shared in shared.sample(token.pass(shared)) }
    },
    OperatorUnderTest("throttle") { source, _ in
      source.throttle(.seconds(1), scheduler: ImmediateScheduler())
    },
    OperatorUnderTest("take(while:)") { source, token in
      source.take(while: { _ in token.pass(true) })
    },
    OperatorUnderTest("take(until: predicate)") { source, token in
      source.take(until: { _ in token.pass(false) })
    },
    OperatorUnderTest("take(for:)") { source, _ in
      source.take(for: .seconds(1), scheduler: IdleScheduler())
    },
    OperatorUnderTest("takeLast") { source, _ in
      source.flatMapLatest { Observable.just($0).takeLast(1) }
    },
    OperatorUnderTest("skip(while:)") { source, token in
      source.skip(while: { _ in token.pass(false) })
    },
    OperatorUnderTest("skip(until:)") { source, _ in
      source.shared { $0.skip(until: Observable.just(0)) }
    },
    OperatorUnderTest("skip(duration)") { source, _ in
      source.skip(.seconds(1), scheduler: ImmediateScheduler())
    },
    OperatorUnderTest("element(at:)") { source, _ in
      source.flatMapLatest { Observable.just($0).element(at: 0) }
    },
    OperatorUnderTest("single") { source, token in
      source.flatMapLatest { Observable.just($0).single { _ in token.pass(true) } }
    },
    OperatorUnderTest("ignoreElements") { source, token in
      source.shared { shared in
        Observable.merge(shared, shared.ignoreElements().map { (_: Never) -> Item in })
      }
    },
    OperatorUnderTest("first") { source, token in
      source.flatMapLatest {
        Observable.just($0).first().asObservable().compactMap { token.pass($0) }
      }
    },
    OperatorUnderTest("debug") { source, token in
      source.debug(longestEvent: 40) { _ = token.pass($0) }
    },
    OperatorUnderTest("do(onDispose:)") { source, token in
      source.do(
        afterError: { _ = token.pass($0) }, afterCompleted: { _ = token.pass(0) },
        onDispose: { _ = token.pass(0) })
    },
    OperatorUnderTest("subscribe(on:)") { source, _ in source.subscribe(on: ImmediateScheduler()) },
    OperatorUnderTest("delay") { source, _ in
      source.delay(.seconds(1), scheduler: ImmediateScheduler())
    },
    OperatorUnderTest("delaySubscription") { source, _ in
      source.delaySubscription(.seconds(1), scheduler: ImmediateScheduler())
    },
    OperatorUnderTest("timeout") { source, _ in
      source.timeout(.seconds(1), scheduler: IdleScheduler())
    },
    OperatorUnderTest("timeout, other") { source, _ in
      Observable.never().timeout(.seconds(1), other: source, scheduler: ImmediateScheduler())
    },
  ]
}

private final class Witness: Sendable {}
private let witness = Witness()
