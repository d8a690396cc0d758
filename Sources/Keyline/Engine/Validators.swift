import Synchronization

/// The verdict of a rule on a value that is being set.
public enum Validation<Value> {
  /// The value may be stored.
  case valid
  /// The associated value is stored instead.
  case coerced(Value)
  /// Nothing is stored: the property keeps its value. Its `didSet` still runs.
  case rejected(any Error)

  /// Why the value was rejected; nil if it was not.
  public var error: (any Error)? { if case .rejected(let error) = self { error } else { nil } }
}

extension Validation: Sendable where Value: Sendable {}

/// What a set of a property must pass before the store: the exclusive binding that owns the property, and
/// the rules.
final class Validators<Value> {
  /// Whether a rule is evaluating a value now.
  private var isAsking = false
  /// The claims of exclusive bindings, in the order in which they were made. A claim that has ended,
  /// perhaps on another thread, is removed when it is the first one, or when there are many.
  private var claims = Queue<ExclusiveClaim>()
  /// The nodes that evaluate the rules for the stored value, in the order in which they were added. Each
  /// ends with its rule, perhaps on another thread.
  var nodes: [Node] = []

  init() { Transaction.validatorCount.wrappingAdd(1, ordering: .relaxed) }

  deinit { Transaction.validatorCount.wrappingSubtract(1, ordering: .relaxed) }

  /// The active rules, in the order in which they were added.
  private var rules: [SetRule<Value>] {
    nodes.removeAll(where: \.hasEnded)
    // Proof of the cast: only their rules observe these nodes.
    return nodes.compactMap { node in
      node.owner.observers(of: node).first.map { cast($0, to: SetRule<Value>.self) }
    }
  }

  /// Whether a set has to be passed to `admit`.
  var areNeeded: Bool { exclusiveOwner != nil || !rules.isEmpty }

  /// The subscription of the binding that owns the property exclusively, if there is one: of several
  /// bindings, the first.
  var exclusiveOwner: SubscriptionContext? { firstClaim?.binding }

  private var firstClaim: ExclusiveClaim? {
    while let claim = claims.first, !claim.isActive { _ = claims.popFirst() }
    return claims.first
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
  /// the exclusive binding only.
  ///
  /// - Returns: true unless the binding or a rule has refused the value.
  func admit(_ value: inout Value, of node: PropertyNode<Value>) -> Bool {
    let (claim, rules) = (firstClaim, rules)
    if claim == nil, rules.isEmpty { return true }
    let write = Transaction.current.write(to: node)
    if let claim, claim.binding !== write?.writer {
      let error = claim.refusal(node.description)
      write?.outcome = .rejected(error)
      Instrumentation.enter(.validate(node, value))
      // A binding, and a set by name, pass the error on.
      if write == nil {
        Diagnostics.report(
          .refusedWrite, "\(node.description) belongs to a binding; it was not set")
      }
      Instrumentation.note(.refuse(error))
      Instrumentation.leave()
      return false
    }
    if rules.isEmpty || write?.isRestoring == true { return true }
    guard !isAsking else {
      node.report(
        .refusedWrite, "a rule of the property sets it; it was not set",
        once: "\(node.description) in its rule")
      return false
    }
    var coercing = 0
    for (index, rule) in rules.enumerated() where rule.context.isActive {
      switch rule.validate(value, by: write?.writer) {
      case .valid: continue
      case .coerced(let other): (value, coercing) = (other, index)
      case .rejected(let error):
        write?.outcome = .rejected(error)
        return false
      }
      write?.outcome = .coerced(())
    }
    // The rules before the last one that coerced the value may refuse the result.
    for rule in rules.prefix(coercing) where rule.context.isActive {
      guard let error = rule.validate(value, by: write?.writer).error else { continue }
      write?.outcome = .rejected(error)
      return false
    }
    return true
  }
}

/// A rule that a value must pass before it is stored. It observes the node that evaluates the rule for
/// the stored value.
class SetRule<Value>: ValueObserver<Validation<Value>>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass; the rule is applied in the domain of the property.
  /// Applies the rule to a value that is being set.
  ///
  /// - Parameter writer: the subscription of the binding that sets the property, if a binding does.
  func validate(_ value: Value, by writer: AnyObject?) -> Validation<Value> { .valid }
}

/// The claim of an exclusive binding to a property.
///
/// - Isolation: confined, with the property; only the end of the binding may come from any thread.
final class ExclusiveClaim {
  /// The subscription of the binding; nil once the binding writes to another property.
  var binding: SubscriptionContext?
  /// The error for other bindings, and for sets by name; the argument describes the property.
  let refusal: (String) -> any Error

  init(of binding: SubscriptionContext, _ refusal: @escaping (String) -> any Error) {
    self.binding = binding
    self.refusal = refusal
  }

  var isActive: Bool { binding?.isActive == true }
}

/// A set made by a binding, by name or by a rule, and its outcome.
///
/// The write applies to this thread's next set of a property with rules that `isMeant` accepts, and
/// to sets of the same property by its own `didSet`. Sets made by observers during the delivery do
/// not belong to it.
final class PropertyWrite {
  let writer: AnyObject
  /// Whether the value is a former one, which the rules have accepted before.
  fileprivate var isRestoring = false
  var outcome = Validation<Void>.valid
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
  /// The number of properties in the process that have, or had, rules or exclusive bindings.
  static let validatorCount = Atomic<Int>(0)

  /// Calls `set`, which sets a property whose node `isMeant` accepts.
  ///
  /// - Parameter isRestoring: whether the value is a former one, which the rules have accepted before.
  /// - Returns: the effect of the rules and exclusive bindings.
  func write(
    to isMeant: @escaping (Node) -> Bool, by writer: AnyObject, isRestoring: Bool = false,
    _ set: () -> Void
  ) -> Validation<Void> {
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
