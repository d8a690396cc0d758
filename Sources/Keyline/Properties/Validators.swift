import Synchronization

/// What a set of a property has to pass before the store: rules, and exclusive bindings. They are the observers
/// of this node, which delivers nothing.
final class Validators<Value>: Node, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  /// Whether a rule is being asked about a value.
  private var isAsking = false

  /// Those in force, in the order in which they were added.
  private var rules: [SetRule<Value>] {
    // Proof of the cast: only rules are added.
    currentObservers.filter(\.context.isActive).map { cast($0, to: SetRule<Value>.self) }
  }

  /// The binding that owns the property exclusively, if there is one.
  var exclusiveOwner: AnyObject? { rules.first { $0.owner != nil }?.owner }

  /// Calls `rule`: what it sets of its own property is refused.
  func asking<Result>(_ rule: () -> Result) -> Result {
    let outer = isAsking
    isAsking = true
    defer { isAsking = outer }
    return rule()
  }

  /// Passes `value` through the rules, which may change it.
  ///
  /// - Returns: whether none has refused it.
  func admit(_ value: inout Value, of node: PropertyNode<Value>) -> Bool {
    let rules = rules
    if rules.isEmpty { return true }
    guard !isAsking else {
      node.report(
        .refusedWrite, "a rule of the property sets it; it was not set",
        once: "\(node.description) in its rule")
      return false
    }
    let write = Transaction.current.write(to: node)
    var coercing = 0
    for (index, rule) in rules.enumerated() {
      guard let outcome = rule.validate(&value, of: node, write?.writer) else { continue }
      write?.outcome = outcome
      if case .refused = outcome { return false }
      coercing = index
    }
    // What a rule has made of the value, those before it may refuse.
    for rule in rules.prefix(coercing) {
      var coerced = value
      let outcome = rule.validate(&coerced, of: node, write?.writer)
      guard case .refused? = outcome else { continue }
      write?.outcome = outcome
      return false
    }
    return true
  }

  /// The object has died.
  func endRules() {
    _ = markEnded()
    _ = takeObservers()
  }
}

/// A rule that a value has to pass before it is stored.
final class SetRule<Value>: Observer, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass; the closure is called by the domain of the property.

  /// Changes the value or refuses it, and returns which; nil if it accepts the value as it is. The
  /// second argument is the binding that sets the property, if one does.
  typealias Closure = (inout Value, AnyObject?) -> SetOutcome?

  private let apply: Closure
  /// The binding that owns the property exclusively, if that is what the rule is for.
  let owner: AnyObject?

  init(
    _ validators: Node, _ context: SubscriptionContext, owner: AnyObject?,
    _ apply: @escaping Closure
  ) {
    self.apply = apply
    self.owner = owner
    super.init(validators, context)
    Transaction.ruleCount.wrappingAdd(1, ordering: .relaxed)
  }

  override func dispose() {
    node.remove(self)
    Transaction.ruleCount.wrappingSubtract(1, ordering: .relaxed)
  }

  /// Asks the rule about a value of `node`.
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

/// What has become of a value on its way into a property.
@usableFromInline enum SetOutcome {
  case coerced
  case refused(any Error)
}

/// A set on behalf of a binding, with its outcome.
///
/// It applies to the next set with rules, on this thread, of a property that `isMeant` accepts, and to
/// those that the property's own accessors make of it then, in a `didSet`; not to what observers set
/// during the delivery.
final class PropertyWrite {
  let writer: AnyObject
  /// Nil if the value was stored unchanged.
  var outcome: SetOutcome?
  fileprivate let isMeant: (Node) -> Bool
  /// The property that has been set, once one has, and whether it was being delivered then.
  fileprivate var taken: (by: Node, isDelivering: Bool)?

  fileprivate init(_ isMeant: @escaping (Node) -> Bool, by writer: AnyObject) {
    self.isMeant = isMeant
    self.writer = writer
  }
}

extension Transaction {
  /// How many rules are in force in the process.
  static let ruleCount = Atomic<Int>(0)

  /// Makes a set of a property whose node `isMeant` accepts.
  ///
  /// - Returns: what rules have made of it; nil if it was stored unchanged.
  func write(
    to isMeant: @escaping (Node) -> Bool, by writer: AnyObject, _ set: () -> Void
  ) -> SetOutcome? {
    let outer = currentWrite
    let write = PropertyWrite(isMeant, by: writer)
    currentWrite = write
    set()
    currentWrite = outer
    return write.outcome
  }

  /// The write that a set of the property of `node` belongs to.
  fileprivate func write(to node: Node) -> PropertyWrite? {
    guard let write = currentWrite, write.isMeant(node) else { return nil }
    let isDelivering = node.delivery.contains(.underWay)
    let taken = write.taken ?? (node, isDelivering)
    write.taken = taken
    return taken.by === node && taken.isDelivering == isDelivering ? write : nil
  }
}
