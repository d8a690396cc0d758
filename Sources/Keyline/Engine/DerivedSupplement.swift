import Observation

/// What few derived properties need: the errors of the rule, once they are asked for, and the
/// registration of reads with Observation, if the owner's class conforms to it (D21).
final class DerivedSupplement: Observation.Observable {
  var errors: PublishSubject<any Error>?
  private lazy var registrar = ObservationRegistrar()
  private var value: Void { () }

  func access() { if !isUntrackedInRule() { registrar.access(self, keyPath: \.value) } }

  func notify() { registrar.withMutation(of: self, keyPath: \.value) {} }
}

/// Whether a rule that is being evaluated runs untracked code, whose reads Observation does not
/// register either (D10).
@usableFromInline func isUntrackedInRule() -> Bool {
  Transaction.current.evaluation.ruleLevel > 0 && !Transaction.current.isEvaluating
}
