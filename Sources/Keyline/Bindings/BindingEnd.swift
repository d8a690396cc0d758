/// One end of a binding, a property of an object or at the end of a chain: read, write, observe, and the
/// state that both ends have agreed on.
///
/// A change is *unsynced* until the ends agree on it: of a stored property every set, known by its version;
/// of anything computed, or a member of a value, a change of its own value. So neither a binding's own
/// writes nor a sibling's come back (B3).
///
/// - Isolation: confined, with the objects of the end. Both are held weakly.
@usableFromInline final class BindingEnd<Value> {
  private weak var rootObject: AnyObject?
  /// What is observed of the root; nil for a chain.
  private let path: PropertyPath<Value>?
  /// The last property of a chain.
  private let leaf: ChainLeaf<Value>?
  /// The hops to the object that has the property; none for a path.
  private let hops: [ChainHop]
  /// Reads the property of the object that has it, if it is never missing.
  private let access: PropertyAccess<Value>?
  /// Reads the property of the object that has it; nil if it is missing.
  private let load: (AnyObject) -> Value?
  /// Sets the property of the object that has it; nil for an end that is only read.
  private let set: ((AnyObject, Value) -> Void)?
  /// What is observed; nil for an end that is only written.
  private var node: Node?
  private var syncedVersion: UInt = 0
  private var syncedValue: RecordedValue<Value>?
  private var passedVersion: UInt = 0
  /// What is observed of the hops to the owner, and its version when they were followed last.
  private var ownerNode: Node?
  private var boundVersion: UInt = 0
  /// The owner then.
  private weak var boundOwner: AnyObject?
  let areEqual = Equality<Value>.of

  /// An end that is only read.
  @inlinable @inline(__always) convenience init<Object: PropertyObservable>(
    _ object: Object, @_eagerMove _ keyPath: __owned KeyPath<Object, Value>
  ) {
    self.init(object, PropertyPath(keyPath))
  }

  @inlinable @inline(__always) convenience init<Object: PropertyObservable>(
    _ object: Object, @_eagerMove writing keyPath: __owned ReferenceWritableKeyPath<Object, Value>
  ) {
    self.init(object) { owner, transaction, value in
      if let transaction { identify({ keyPath }, in: transaction) }
      // Proof of the cast: the owner of a path's property is the object itself.
      let owner = cast(owner, to: Object.self)
      guard let value else { return owner[keyPath: keyPath] }
      owner[keyPath: keyPath] = value
      return value
    }
  }

  /// Inlinable for the type of the value: generic code would look up the type of an optional one for each
  /// call. Never inlined, so that key paths are folded in `access`.
  @inlinable @inline(never)
  convenience init(_ root: AnyObject, _ access: @escaping LeafAccess<Value>) {
    self.init(root, set: { _ = access($0, nil, $1) }, reading: { access($0, $1, nil) })
  }

  @usableFromInline convenience init(
    _ root: AnyObject, set: @escaping (AnyObject, Value) -> Void,
    reading access: @escaping PropertyAccess<Value>
  ) {
    self.init(root, set: set, PropertyPath(access))
  }

  @usableFromInline init(
    _ root: AnyObject, set: ((AnyObject, Value) -> Void)? = nil, _ path: PropertyPath<Value>
  ) {
    rootObject = root
    self.path = path
    leaf = nil
    hops = []
    access = path.access
    load = path.read
    self.set = set
  }

  @inlinable @inline(__always)
  convenience init<Object, End: ChainEnd<Object, Value>>(
    _ object: Object, _ chain: (inout ChainStart<Object>) -> End
  ) {
    var start = ChainStart<Object>()
    self.init(object, chain(&start).bound)
  }

  @usableFromInline
  init<Root: PropertyObservable>(_ root: Root, _ chain: KeyPathChain<Root, Value>) {
    rootObject = root
    path = nil
    leaf = chain.leaf
    hops = chain.leaf?.previous?.path ?? []
    access = chain.leaf?.direct
    load = chain.leaf?.read ?? { _ in nil }
    set = chain.leaf?.set
  }

  /// The object whose death ends the binding.
  var root: (any PropertyObservable)? { rootObject as? any PropertyObservable }

  /// Whether it is a chain, whose objects may be replaced.
  var isChain: Bool { path == nil }

  // MARK: Observing

  /// Calls `first` with the current value, and `next` with every later one, until `context` ends; while a chain
  /// is broken, `first` with nil, and `broken`.
  func observe(
    in context: SubscriptionContext, first: @escaping (Value?) -> Void,
    next: @escaping (Value) -> Void, broken: @escaping () -> Void
  ) {
    let join = { (value: Value?, node: Node) in
      self.node = node
      first(value)
    }
    if let root, let path {
      path.attach(to: root, in: context, .init(next: next, terminate: { _ in }), first: join)
    } else if let root {
      ChainRule(leaf) { $0 }.attach(to: root, in: context, terminate: { _ in }, first: join) {
        value, _ in
        if let value { next(value) } else { broken() }
      }
    }
  }

  /// Calls `action` whenever a hop to the object that has the property has been set, until `context` ends.
  func observeOwner(in context: SubscriptionContext, _ action: @escaping () -> Void) {
    guard let root, let hop = hops.last else { return }
    let rule = ChainRule<Void>(to: hop) { node, owner in
      node.value = ()
      return hop.next(of: owner) != nil
    }
    rule.attach(
      to: root, in: context, terminate: { _ in }, first: { ownerNode = $1 },
      next: { _, _ in action() })
  }

  // MARK: Reading and writing

  /// The object that has the property now; nil while the chain is broken.
  var owner: AnyObject? {
    guard isChain else { return rootObject }
    return Transaction.current.untracked {
      hops.reduce(rootObject) { object, hop in object.flatMap { hop.next(of: $0) } }
    }
  }

  /// Calls `body` with the current value; not while the chain is broken.
  ///
  /// - Returns: whether it was called.
  @discardableResult func withValue(_ body: (Value) -> Void) -> Bool {
    guard let owner else { return false }
    return withValue(of: owner, body)
  }

  /// As ``withValue(_:)``, for the object that has the property.
  @discardableResult func withValue(of owner: AnyObject, _ body: (Value) -> Void) -> Bool {
    Transaction.current.untracked {
      guard let access else { return withLoadedValue(of: owner, body) }
      body(access(owner, nil))
      return true
    }
  }

  private func withLoadedValue(of owner: AnyObject, _ body: (Value) -> Void) -> Bool {
    load(owner).map(body) != nil
  }

  /// What reading the property of `owner` reads.
  private func search(_ owner: AnyObject) -> Identification {
    Transaction.current.identify(owner) { _ = load(owner) }
  }

  /// The stored property, if it is one.
  var storedProperty: PropertyNode<Value>? {
    owner.flatMap { search($0).property(isLenient: true) as? PropertyNode<Value> }
  }

  /// Sets the property of its current owner.
  ///
  /// - Returns: what rules have made of it; nil if it was stored unchanged.
  @discardableResult
  func write(_ value: Value, to owner: AnyObject, by binding: PropertyBinding) -> SetOutcome? {
    guard let set else { return nil }
    Instrumentation.enter(.write(value, to: { self.storedProperty }, of: owner, Value.self))
    defer { Instrumentation.leave() }
    guard Transaction.ruleCount.load(ordering: .relaxed) > 0 else {
      set(owner, value)
      return nil
    }
    // Rules are those of this property, and not of another one that observers set meanwhile.
    lazy var reads = search(owner).reads
    let outcome = Transaction.current.write(
      to: { node in reads.contains { $0.node === node } }, by: binding
    ) { set(owner, value) }
    if case .refused(let error)? = outcome { binding.report(error) }
    return outcome
  }

  /// Follows the hops to the owner, before a write. A former owner is reset.
  ///
  /// - Returns: whether a hop has been set since the last time.
  func rebind(resettingTo fallback: BindingFallback<Value>) -> Bool {
    let version = currentVersion(of: ownerNode)
    guard version != boundVersion else { return false }
    boundVersion = version
    let former = boundOwner
    let current = owner
    boundOwner = current
    if let former, former !== current, case .value(let value) = fallback { set?(former, value) }
    return true
  }

  /// The version of what is observed, once it is up to date.
  private func currentVersion(of node: Node?) -> UInt {
    if let node, node.isComputed, let rootObject {
      Transaction.current.refresh(node, of: rootObject)
    }
    return node?.version ?? 0
  }

  // MARK: Agreement

  /// Whether every set is a change.
  private var isVersioned: Bool {
    isChain ? leaf?.leafIndex == leaf?.index : node?.isComputed == false
  }

  /// The version of the property; nil where values are compared.
  var version: UInt? { isVersioned ? currentVersion(of: node) : nil }

  /// Records that both ends agree on their current values.
  func markSynced(_ value: Value) {
    if let version { syncedVersion = version } else { recordSynced(value) }
  }

  private func recordSynced(_ value: Value) { syncedValue = RecordedValue(value) }

  /// Whether the value is the one agreed on, where values are compared.
  private func isSynced(_ value: Value) -> Bool { syncedValue?.isSame(as: value) == true }

  /// Whether the value being delivered has not been agreed on.
  func hasUnsyncedDelivery(_ value: Value) -> Bool {
    guard let node, isVersioned else { return !isSynced(value) }
    return Int(bitPattern: node.delivered &- syncedVersion) > 0
  }

  /// Whether it has changed since the ends agreed.
  var hasUnsyncedChange: Bool {
    guard let node, version != nil else {
      var isUnsynced = false
      withValue { isUnsynced = !isSynced($0) }
      return isUnsynced
    }
    return !node.isUnchanged(since: syncedVersion)
  }

  /// Records that the current value has been passed on, before it is delivered.
  func markPassed() { passedVersion = currentVersion(of: node) }

  /// Whether the value being delivered has been passed on already.
  var isPassed: Bool { passedVersion > 0 && node?.delivered == passedVersion }

  /// Whether the batch under way has set it.
  var isInBatch: Bool { node?.delivery.contains(.batched) ?? false }

  /// Whether a change waits to be delivered: by the batch under way or, of what is computed, when the
  /// transaction settles.
  var isPending: Bool { (node?.isComputed == true || isInBatch) && hasUnsyncedChange }

  /// Whether the property is being delivered: what is written to it now has been caused by that.
  var isDelivering: Bool { node?.delivery.contains(.underWay) ?? false }

  /// Whether the value being delivered was set during the delivery of another one: perhaps by a binding, as
  /// its echo.
  var isRedelivering: Bool { (node?.round ?? 0) > 0 }

  /// `Person.name`, for reports.
  var description: String {
    let property = node.flatMap { $0.isComputed ? nil : $0 } ?? storedProperty
    return property?.description ?? "\(owner.map { "\(type(of: $0))" } ?? "nil").\(Value.self)"
  }
}

extension BindingEnd: InspectedEnd {
  package var start: AnyObject? { rootObject }
  package var isBroken: Bool { owner == nil }

  package var properties: [(node: Node, hop: Int?)] {
    if let node {
      let last = node.chain?.hops.last
      return node.observed.map { ($0.node, $0.hop == last ? nil : $0.hop) }
    }
    var properties: [(node: Node, hop: Int?)] = []
    var object = rootObject
    for hop in hops {
      guard let owner = object else { return properties }
      properties += PropertyPath(read: hop.next).nodes(of: owner).map { ($0, hop.index) }
      object = Transaction.current.untracked { hop.next(of: owner) }
    }
    return properties + (object.map { search($0).reads } ?? []).map { ($0.node, nil) }
  }
}
