import KeylineCore

/// A derived value being checked: which of its dependencies comes next.
struct DerivedCheck: BitwiseCopyable {
  // Proof of Unmanaged: the owner is alive meanwhile, and its registry retains the node, which owns
  // the computation; a registry that ends earlier leaves its nodes to the scope.
  let computation: Unmanaged<DerivedComputation>
  let owner: Unmanaged<AnyObject>
  /// Whether the owner is retained for the check.
  let isRetained: Bool
  /// Whether a dependency is newer.
  var isOutdated = false
  /// The next dependency.
  var index = 0
  /// Whether that one has been brought up to date.
  var isDependencyChecked = false
  /// How often the value had been evaluated.
  private(set) var evaluations: UInt
  /// How many deaths elsewhere there had been at the beginning.
  var deaths: UInt = 0

  /// Whether no dependency has been checked.
  @inline(__always) var isBeginning: Bool { index == 0 && !isDependencyChecked }

  init(_ computation: DerivedComputation, _ owner: Unmanaged<AnyObject>, isRetained: Bool) {
    self.computation = .passUnretained(computation)
    self.owner = owner
    self.isRetained = isRetained
    evaluations = computation.evaluations
  }

  /// A check because of `other`: nil if the owner is dying or dead.
  @inline(__always) init?(
    _ computation: Unmanaged<DerivedComputation>, besides other: UnsafeMutablePointer<DerivedCheck>
  ) {
    self.computation = computation
    evaluations = computation._withUnsafeGuaranteedRef { $0.evaluations }
    if computation._withUnsafeGuaranteedRef({ $0.owner.refers(to: other.pointee.owner) }) {
      owner = other.pointee.owner
      isRetained = false
    } else {
      guard let owner = computation._withUnsafeGuaranteedRef({ $0.owner.retained() }) else {
        return nil
      }
      self.owner = owner
      isRetained = true
    }
  }

  /// Begins anew.
  mutating func restart(_ evaluations: UInt) {
    self.evaluations = evaluations
    index = 0
    isDependencyChecked = false
    isOutdated = false
  }
}
