import Keyline

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
  ]
}
