import KeylineCore

/// What is reported of derived values.
extension DerivedComputation {
  /// Reports that the value is read while it is being evaluated (D15). What is evaluated in the
  /// cycle is not kept.
  ///
  /// - Returns: the members of the cycle.
  func reportCycle(in scope: UnsafeMutablePointer<ThreadScope>) -> String {
    let rules = scope.pointee.rules
    let first = (0..<rules.count).first { rules[$0]._withUnsafeGuaranteedRef { $0 === self } }
    let members = ((first ?? rules.count)..<rules.count).map { rules[$0] }
    let names = members.map { member in
      member._withUnsafeGuaranteedRef {
        ($0.isCyclic, $0.isMarked) = (true, false)
        return $0.description
      }
    }
    let cycle = (names + [description]).joined(separator: " → ")
    if Diagnostics.isNew(.derivedCycle, cycle) {
      report(.derivedCycle, "derived from itself: \(cycle)")
    }
    return cycle
  }

  func report(_ category: Diagnostics.Category, _ message: String) {
    let node = node
    Diagnostics.report(
      category, message, type: node.owner.map { "\(type(of: $0))" }, property: node.name)
  }
}
