import Observation

/// Registers the reads of a property with Observation, which is notified of changes, if the class of its
/// object conforms to `Observation.Observable` (D21). Of a derived property, also the errors of the rule,
/// once they are asked for.
@usableFromInline final class DerivedSupplement: Observation.Observable {
  var errors: PublishSubject<any Error>?
  private lazy var registrar = ObservationRegistrar()

  @usableFromInline func access() { registrar.access(self, keyPath: \.self) }

  func notify() { registrar.withMutation(of: self, keyPath: \.self) {} }
}

/// Whether a rule or a path is being evaluated, also while it runs untracked code: its reads are not
/// registered with Observation (D10), which is notified by the property that is evaluated.
@usableFromInline func isInEvaluation() -> Bool {
  Transaction.current.evaluation.ruleLevel > 0 || Transaction.current.isEvaluating
}
