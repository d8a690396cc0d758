import KeylineCore

/// One end of a binding, as it is written: a path from an object, or a chain.
@usableFromInline struct BindingEnd<Value> {
  /// The object whose death ends the binding.
  let root: any PropertyObservable
  fileprivate let property: Property
  /// Sets the property of the object that has it; nil for an end that is only read.
  fileprivate let set: ((AnyObject, Value) -> Void)?

  fileprivate enum Property {
    case path(PropertyPath<Value>)
    case chain(ChainLeaf<Value>?)
  }

  /// An end that is only read.
  @inlinable @inline(__always) init<Object: PropertyObservable>(
    _ object: Object, @_eagerMove _ keyPath: __owned KeyPath<Object, Value>
  ) {
    self.init(object, PropertyPath(keyPath))
  }

  @usableFromInline init(_ root: any PropertyObservable, _ path: PropertyPath<Value>) {
    self.root = root
    property = .path(path)
    set = nil
  }

  @inlinable @inline(__always) init<Object: PropertyObservable>(
    _ object: Object, @_eagerMove writing keyPath: __owned ReferenceWritableKeyPath<Object, Value>
  ) {
    self.init(object) { owner, transaction, value in
      if let transaction { identify({ keyPath }, in: transaction) }
      // Proof of the cast: the owner of a path's property is the object itself.
      let owner = cast(owner, to: Object.self)
      guard let value else { return owner[keyPath: keyPath] }
      owner[keyPath: keyPath] = value
      return nil
    }
  }

  @inline(never) @usableFromInline
  init(_ root: any PropertyObservable, _ access: @escaping LeafAccess<Value>) {
    self.root = root
    property = .path(PropertyPath(readAccess(of: access)))
    set = { _ = access($0, nil, $1) }
  }

  @inlinable @inline(__always) init<Object: PropertyObservable>(
    _ object: Object, _ path: (KeyPathChain<Object, Object>) -> KeyPathChain<Object, Value>
  ) {
    self.init(object, path(KeyPathChain<Object, Object>.beginning))
  }

  @usableFromInline
  init<Object: PropertyObservable>(_ object: Object, _ chain: KeyPathChain<Object, Value>) {
    root = object
    property = .chain(chain.leaf)
    set = nil
  }

  @inlinable @inline(__always) init<Object: PropertyObservable>(
    _ object: Object, _ path: (TargetChain<Object, Object>) -> TargetLeaf<Object, Value>
  ) {
    self.init(object, path(TargetChain<Object, Object>.beginning))
  }

  @usableFromInline
  init<Object: PropertyObservable>(_ object: Object, _ leaf: TargetLeaf<Object, Value>) {
    root = object
    property = .chain(leaf.leaf)
    set = leaf.set
  }
}

/// One end of a binding in force: read, write, observe, and the state that both ends have agreed on.
///
/// A change is *unsynced* until the ends agree on it: of a stored property every set, known by its version;
/// of anything computed, or a member of a value, a change of its own value. So neither a binding's own
/// writes nor a sibling's come back (B3).
///
/// - Isolation: confined, with the objects of the end. Both are held weakly.
final class BoundEnd<Value> {
  private weak var root: AnyObject?
  private let property: BindingEnd<Value>.Property
  private let set: ((AnyObject, Value) -> Void)?
  /// The hops to the object that has the property; none for a path.
  private let hops: [ChainHop]
  /// What is observed; nil for an end that is only written.
  private var node: Node?
  private var syncedVersion: UInt = 0
  private var syncedValue: RecordedValue<Value>?
  private var passedVersion: UInt = 0
  /// The owner that has been written to last, and the version of the hops that lead there.
  private weak var boundOwner: AnyObject?
  private var boundVersion: UInt = 0
  /// What is observed of the hops to the owner.
  private var ownerNode: Node?
  let areEqual = Equality<Value>.of

  init(_ end: BindingEnd<Value>) {
    root = end.root
    property = end.property
    set = end.set
    hops = if case .chain(let leaf?) = end.property { leaf.previous?.path ?? [] } else { [] }
  }

  /// Whether it is a chain, whose objects may be replaced.
  var isChain: Bool { if case .chain = property { true } else { false } }

  // MARK: Observing

  /// Calls `first` with the current value, and `next` after every change, with nil while a chain is broken,
  /// until `context` ends.
  func observe(
    in context: SubscriptionContext, in transaction: Transaction,
    first: @escaping (Value?) -> Void,
    next: @escaping (Value?) -> Void
  ) {
    guard let root = root as? any PropertyObservable else { return }
    switch property {
    case .path(let path):
      path.attach(
        to: root, in: context,
        .init(
          first: { value, node in
            self.node = node
            first(value)
          }, next: next, terminate: { _ in }))
    case .chain(let leaf):
      guard let leaf, let object = PropertyRegistry.contents(of: root) else { return }
      let chain = ChainNode<Value>(of: object, leaf.path) { owner in leaf.read(owner).map { $0 } }
      object.add(chain)
      node = chain
      let value = chain.firstValue(of: root, in: transaction)
      let observer = PropertyObserver<Value?>(chain, context, terminate: { _ in }, next: next)
      chain.join(observer, in: transaction, with: (value ?? nil) as Any) { first(value ?? nil) }
    }
  }

  /// Calls `action` whenever a hop to the object that has the property has been set, until `context` ends.
  func observeOwner(
    in context: SubscriptionContext, in transaction: Transaction, _ action: @escaping () -> Void
  ) {
    guard let root = root as? any PropertyObservable, let hop = hops.last,
      let object = PropertyRegistry.contents(of: root)
    else { return }
    let chain = ChainNode<WeakOwner>(of: object, hops) { owner in
      hop.next(of: owner).map { WeakOwner(object: $0) }
    }
    object.add(chain)
    ownerNode = chain
    _ = chain.firstValue(of: root, in: transaction)
    let observer = PropertyObserver<WeakOwner?>(chain, context, terminate: { _ in }) { _ in action() }
    chain.join(observer, in: transaction, with: owner as Any) {}
  }

  private struct WeakOwner {
    weak var object: AnyObject?
  }

  // MARK: Reading and writing

  /// The object that has the property now; nil while the chain is broken.
  var owner: AnyObject? {
    Transaction.current.untracked {
      hops.reduce(root) { object, hop in object.flatMap { hop.next(of: $0) } }
    }
  }

  /// The current value; nil while the chain is broken.
  func read() -> Value? {
    guard let owner else { return nil }
    return Transaction.current.untracked { value(of: owner) }
  }

  private func value(of owner: AnyObject) -> Value? {
    switch property {
    case .path(let path): path.read(owner)
    case .chain(let leaf): leaf?.read(owner)
    }
  }

  /// Sets the property of the current owner.
  ///
  /// - Returns: what rules have made of it; nil if it was stored unchanged, or there is no owner.
  @discardableResult func write(_ value: Value, by binding: BindingContext) -> SetOutcome? {
    guard let set, let owner else { return nil }
    Instrumentation.enter(
      .write(value, to: { self.withStoredProperty { $0 } }, of: owner, Value.self))
    defer { Instrumentation.leave() }
    guard Transaction.areRulesInForce else {
      set(owner, value)
      return nil
    }
    // Rules are those of this property, and not of another one that observers set meanwhile.
    var meant: [Node]?
    let outcome = Transaction.current.write(
      to: { node in
        let nodes = meant ?? self.nodes(of: owner)
        meant = nodes
        return nodes.contains { $0 === node }
      }, by: binding
    ) { set(owner, value) }
    if case .refused(let error)? = outcome { binding.report(error) }
    return outcome
  }

  /// What reading the property reads.
  private func nodes(of owner: AnyObject) -> [Node] {
    PropertyPath<Void>(read: { _ = self.value(of: $0) }).nodes(of: owner)
  }

  /// Follows the hops to the owner, before a write. A former owner is reset.
  ///
  /// - Returns: whether a hop has been set since the last time.
  @discardableResult func rebind(resettingTo fallback: BindingFallback<Value>) -> Bool {
    if let ownerNode, let root { Transaction.current.refresh(ownerNode, of: root) }
    let version = ownerNode?.version ?? 0
    guard version != boundVersion else { return false }
    boundVersion = version
    let (former, current) = (boundOwner, owner)
    boundOwner = current
    if let former, former !== current, case .value(let value) = fallback { set?(former, value) }
    return true
  }

  /// Calls `body` with the stored property, if it is one.
  func withStoredProperty<Result>(_ body: (PropertyNode<Value>) -> Result) -> Result? {
    guard let owner else { return nil }
    switch property {
    case .path(let path): return path.property(of: owner, isLenient: true).map(body)
    case .chain(let leaf):
      guard let node = leaf?.node(of: owner, in: .current) as? PropertyNode<Value> else { return nil }
      return body(node)
    }
  }

  /// Records that the current value has been passed on, before it is delivered.
  func markPassed() {
    refresh()
    passedVersion = node?.version ?? 0
  }

  /// Whether the value being delivered has been passed on already.
  var isPassed: Bool { passedVersion > 0 && node?.delivered == passedVersion }

  // MARK: Agreement

  /// Whether every set is a change.
  private var isVersioned: Bool {
    switch property {
    case .path: node.map { !$0.isComputed } ?? false
    case .chain(let leaf): leaf?.leafIndex == leaf?.index
    }
  }

  /// Whether the value being delivered has not been agreed on.
  func hasUnsyncedDelivery(_ value: Value) -> Bool {
    guard let node, isVersioned else { return syncedValue?.isSame(as: value) != true }
    return Int(bitPattern: node.delivered &- syncedVersion) > 0
  }

  /// Whether it has changed since the ends agreed.
  var hasUnsyncedChange: Bool {
    guard let node, isVersioned else {
      return read().map { syncedValue?.isSame(as: $0) != true } ?? false
    }
    refresh()
    return !node.isUnchanged(since: syncedVersion)
  }

  /// Whether the batch under way has set it.
  var isInBatch: Bool { node?.delivery.contains(.batched) ?? false }

  /// Whether a change waits to be delivered: by the batch under way or, of what is computed, when the
  /// transaction settles.
  var isPending: Bool {
    guard let node else { return false }
    return (node.isComputed || isInBatch) && hasUnsyncedChange
  }

  /// Records that both ends agree on their current values.
  func markSynced(_ value: Value) {
    if isVersioned {
      refresh()
      syncedVersion = node?.version ?? 0
    } else {
      syncedValue = RecordedValue(value)
    }
  }

  /// The version of the property; nil where values are compared.
  var version: UInt? {
    refresh()
    return isVersioned ? node?.version : nil
  }

  private func refresh() {
    guard let node, node.isComputed, let root else { return }
    Transaction.current.refresh(node, of: root)
  }

  /// Whether the property is being delivered: what is written to it now has been caused by that.
  var isDelivering: Bool { node?.delivery.contains(.underWay) ?? false }

  /// Whether the value being delivered was set during the delivery of another one: perhaps by a binding, as
  /// its echo.
  var isRedelivering: Bool { (node?.round ?? 0) > 0 }

  /// `Person.name`, for reports.
  var description: String {
    if let node, !node.isComputed { return node.description }
    if let name = withStoredProperty(\.description) { return name }
    return "\(owner.map { "\(type(of: $0))" } ?? "nil").\(Value.self)"
  }
}

extension BoundEnd: InspectedEnd {
  var start: AnyObject? { root }
  var isBroken: Bool { owner == nil }

  var properties: [(node: Node, hop: Int?)] {
    if let node {
      let last = node.chain?.hops.last
      return node.observed.map { ($0.node, $0.hop == last ? nil : $0.hop) }
    }
    var properties: [(node: Node, hop: Int?)] = []
    var object: AnyObject? = root
    for hop in hops {
      guard let owner = object else { return properties }
      properties += PropertyPath(read: hop.next).nodes(of: owner).map { ($0, hop.index) }
      object = Transaction.current.untracked { hop.next(of: owner) }
    }
    guard let owner = object else { return properties }
    return properties + nodes(of: owner).map { ($0, nil) }
  }
}

extension Transaction {
  /// Whether any property in the process has rules.
  static var areRulesInForce: Bool { ruleCount.load(ordering: .relaxed) > 0 }
}
