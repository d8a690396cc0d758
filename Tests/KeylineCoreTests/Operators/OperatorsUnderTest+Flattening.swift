import KeylineCore
import KeylineTest

extension OperatorUnderTest {
  /// What makes, flattens and transforms sequences.
  static let flattening = [
    OperatorUnderTest("flatMap, outer") { source, token in
      source.flatMap { Observable.just(token.pass($0)) }
    },
    OperatorUnderTest("flatMap, inner") { source, token in
      Observable.just(0).flatMap { _ in token.pass(source) }
    },
    OperatorUnderTest("flatMapFirst, outer") { source, token in
      source.flatMapFirst { Observable.just(token.pass($0)) }
    },
    OperatorUnderTest("flatMapFirst, inner") { source, token in
      Observable.just(0).flatMapFirst { _ in token.pass(source) }
    },
    OperatorUnderTest("concatMap, outer") { source, token in
      source.concatMap { Observable.just(token.pass($0)) }
    },
    OperatorUnderTest("concatMap, inner") { source, token in
      Observable.just(0).concatMap { _ in token.pass(source) }
    },
    OperatorUnderTest("deferred") { source, token in Observable.deferred { token.pass(source) } },
    OperatorUnderTest("using") { source, token in
      Observable.using({ CompositeDisposable(Disposables.create { _ = token.pass(0) }) }) { _ in
        token.pass(source)
      }
    },
    OperatorUnderTest("scan") { source, token in
      source.scan(nil as Item?) { token.pass($1) }.compactMap { $0 }
    },
    OperatorUnderTest("scan(into:)") { source, token in
      source.scan(into: []) { $0 = [token.pass($1)] }.map { $0[0] }
    },
    OperatorUnderTest("enumerated") { source, _ in source.enumerated().map(\.element) },
    OperatorUnderTest("materialize, dematerialize") { source, _ in
      source.materialize().dematerialize()
    },
    OperatorUnderTest("buffer") { source, _ in
      source.buffer(timeSpan: .seconds(1), count: 1, scheduler: TestScheduler(initialClock: 0))
        .compactMap(\.first)
    },
    OperatorUnderTest("window") { source, _ in
      source.window(timeSpan: .seconds(1), count: 1, scheduler: TestScheduler(initialClock: 0))
        .flatMap { $0 }
    },
    OperatorUnderTest("groupBy") { source, token in
      source.groupBy { token.pass($0.value) }.flatMap { $0 }
    },
    OperatorUnderTest("ifEmpty(default:)") { source, _ in
      source.ifEmpty(default: Item(0, LifetimeTracker()))
    },
    OperatorUnderTest("ifEmpty(switchTo:)") { source, _ in
      Observable.empty().ifEmpty(switchTo: source)
    },
    OperatorUnderTest("amb, left") { source, _ in source.amb(Observable.never()) },
    OperatorUnderTest("amb, last of three") { source, _ in .amb([.never(), .never(), source]) },
  ]
}
