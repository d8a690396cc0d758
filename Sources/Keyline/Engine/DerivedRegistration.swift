import Observation

/// Registers the reads of one derived property with Observation (D21).
final class DerivedRegistration: Observation.Observable {
  private let registrar = ObservationRegistrar()
  private var value: Void { () }

  func access() { if !isUntrackedInRule() { registrar.access(self, keyPath: \.value) } }

  func notify() { registrar.withMutation(of: self, keyPath: \.value) {} }
}

/// Whether a rule that is being evaluated runs untracked code, whose reads Observation does not
/// register either (D10).
@usableFromInline func isUntrackedInRule() -> Bool {
  Transaction.current.evaluation.ruleLevel > 0 && !Transaction.current.isEvaluating
}
