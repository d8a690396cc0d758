import Synchronization

/// The rules and exclusive bindings that a set of a property must pass before the store. They are
/// the observers of this node, which delivers nothing.
final class Validators<Value>: Node, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  /// Whether a rule is evaluating a value now.
  private var isAsking = false
  /// The claims of exclusive bindings, in the order in which they were made. A claim that has ended,
  /// perhaps on another thread, is removed when it is the first one, or when there are many.
  private var claims = Queue<ExclusiveClaim>()
  /// The context of the rule that refuses other writers; it ends after the last claim.
  var exclusion: SubscriptionContext?

  /// The active rules, in the order in which they were added.
  private var rules: [SetRule<Value>] {
    // Proof of the cast: only rules are added.
    owner.all(of: self).filter(\.context.isActive).map { cast($0, to: SetRule<Value>.self) }
  }

  /// The subscription of the binding that owns the property exclusively, if there is one: of several
  /// bindings, the first.
  var exclusiveOwner: SubscriptionContext? {
    while let claim = claims.first, !claim.isActive { _ = claims.popFirst() }
    return claims.first?.binding
  }

  func add(_ claim: ExclusiveClaim) {
    // Counted at each power of two, so that a claim costs O(1).
    if claims.count & (claims.count - 1) == 0 {
      for claim in exchange(&claims, with: Queue()).elements where claim.isActive {
        claims.append(claim)
      }
    }
    claims.append(claim)
  }

  /// Calls `rule`. Sets of the rule's own property are refused during the call.
  func asking<Result>(_ rule: () -> Result) -> Result {
    let outer = exchange(&isAsking, with: true)
    defer { isAsking = outer }
    return rule()
  }

  /// Passes `value` through the rules, which may change it. A write that restores a former value asks
  /// exclusive bindings only.
  ///
  /// - Returns: true unless a rule has refused the value.
  func admit(_ value: inout Value, of node: PropertyNode<Value>) -> Bool {
    var rules = rules
    if rules.isEmpty { return true }
    guard !isAsking else {
      node.report(
        .refusedWrite, "a rule of the property sets it; it was not set",
        once: "\(node.description) in its rule")
      return false
    }
    let write = Transaction.current.write(to: node)
    if write?.isRestoring == true { rules.removeAll { $0.context !== exclusion } }
    var coercing = 0
    for (index, rule) in rules.enumerated() {
      guard let outcome = rule.validate(&value, of: node, write?.writer) else { continue }
      write?.outcome = outcome
      if case .refused = outcome { return false }
      coercing = index
    }
    // The rules before the last one that coerced the value may refuse the result.
    for rule in rules.prefix(coercing) {
      var coerced = value
      let outcome = rule.validate(&coerced, of: node, write?.writer)
      guard case .refused? = outcome else { continue }
      write?.outcome = outcome
      return false
    }
    return true
  }

  /// Called when the object has died.
  func endRules() {
    _ = markEnded()
    for rule in owner.all(of: self) { _ = owner.leave(rule) }
    // Its teardown leads back here.
    exclusion.take()?.dispose()
  }
}

/// A rule that a value must pass before it is stored.
final class SetRule<Value>: Observer, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass; the closure is called in the domain of the
  // property.

  /// Changes or refuses the value, and returns which; returns nil to accept the value as it is. The
  /// second argument is the subscription of the binding that sets the property, if a binding does.
  typealias Closure = (inout Value, AnyObject?) -> SetOutcome?

  private let apply: Closure

  init(_ validators: Node, _ context: SubscriptionContext, _ apply: @escaping Closure) {
    self.apply = apply
    super.init(validators, context)
    Transaction.ruleCount.wrappingAdd(1, ordering: .relaxed)
  }

  deinit { Transaction.ruleCount.wrappingSubtract(1, ordering: .relaxed) }

  /// Applies the rule to a value of `node`.
  fileprivate func validate(
    _ value: inout Value, of node: Node, _ writer: AnyObject?
  ) -> SetOutcome? {
    Instrumentation.enter(.validate(node, value))
    defer { Instrumentation.leave() }
    let outcome = apply(&value, writer)
    switch outcome {
    case .refused(let error): Instrumentation.note(.refuse(error))
    case .coerced: Instrumentation.note(.coerce(value))
    case nil: break
    }
    return outcome
  }
}

/// The claim of an exclusive binding to a property.
///
/// - Isolation: confined, with the property; only the end of the binding may come from any thread.
final class ExclusiveClaim {
  /// The subscription of the binding; nil once the binding writes to another property.
  var binding: SubscriptionContext?

  init(of binding: SubscriptionContext) { self.binding = binding }

  var isActive: Bool { binding?.isActive == true }
}

/// The effect of rules on a value before its store.
@usableFromInline enum SetOutcome {
  case coerced
  case refused(any Error)
}

/// A set made by a binding, and its outcome.
///
/// The write applies to this thread's next set of a property with rules that `isMeant` accepts, and
/// to sets of the same property by its own `didSet`. Sets made by observers during the delivery do
/// not belong to it.
final class PropertyWrite {
  let writer: AnyObject
  /// Whether the value is a former one, which the rules have accepted before.
  fileprivate var isRestoring = false
  /// Nil if the value was stored unchanged.
  var outcome: SetOutcome?
  fileprivate let isMeant: (Node) -> Bool
  /// The first property set by this write, and whether the property was being delivered at that
  /// time.
  fileprivate var taken: (by: Node, isDelivering: Bool)?

  fileprivate init(_ isMeant: @escaping (Node) -> Bool, by writer: AnyObject) {
    self.isMeant = isMeant
    self.writer = writer
  }
}

extension Transaction {
  /// The number of rules in the process.
  static let ruleCount = Atomic<Int>(0)

  /// Calls `set`, which sets a property whose node `isMeant` accepts.
  ///
  /// - Parameter isRestoring: whether the value is a former one, which the rules have accepted before.
  /// - Returns: the effect of the rules; nil if the value was stored unchanged.
  func write(
    to isMeant: @escaping (Node) -> Bool, by writer: AnyObject, isRestoring: Bool = false,
    _ set: () -> Void
  ) -> SetOutcome? {
    let write = PropertyWrite(isMeant, by: writer)
    write.isRestoring = isRestoring
    let outer = exchange(&currentWrite, with: write)
    set()
    currentWrite = outer
    return write.outcome
  }

  /// The write that a set of the property of `node` belongs to, if there is one.
  fileprivate func write(to node: Node) -> PropertyWrite? {
    guard let write = currentWrite, write.isMeant(node) else { return nil }
    let isDelivering = node.state.contains(.underWay)
    let taken = write.taken ?? (node, isDelivering)
    write.taken = taken
    return taken.by === node && taken.isDelivering == isDelivering ? write : nil
  }
}
