import Keyline
import KeylineTest

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
  ]
}

private final class Witness: Sendable {}
private let witness = Witness()
