/// One end of a binding: a property of an object, or at the end of a chain. It reads, writes and
/// observes the property, and records the state that both ends have agreed on.
///
/// The words for the state of a value:
/// - *synced*: both ends agree on it; a change is *unsynced* until then.
/// - *passed*: the binding has passed it on before its delivery, because the target has another owner.
/// - *pending*: set, and delivered later: at the end of the batch, or when the transaction settles.
/// - *delivering*, *redelivering*: its observers are being called; it was set in an observer.
///
/// For a stored property, every set is a change, identified by its version; for a computed
/// property, or a member of a value, only a different value is. Therefore neither a binding's own
/// writes come back to it, nor the writes of another binding between the same ends (B3).
///
/// - Isolation: confined, with the objects of the end. The root and the owner of the property are
///   held weakly.
@usableFromInline final class BindingEnd<Value> {
  private weak var rootObject: AnyObject?
  /// The observed path from the root; nil for a chain.
  private let path: PropertyPath<Value>?
  /// The last property of a chain.
  private let leaf: ChainLeaf<Value>?
  /// The hops to the owner of the property; empty for a path.
  private let hops: [ChainHop]
  /// Reads the property from its owner; nil if the property may be missing.
  private let access: PropertyAccess<Value>?
  /// Reads the property from its owner; returns nil if the property is missing.
  private let load: (AnyObject) -> Value?
  /// Sets the property of its owner; does nothing for an end that is only read.
  private let set: (AnyObject, Value) -> Void
  /// The observed node; nil for an end that is only written.
  private var node: Node?
  private var syncedVersion: UInt = 0
  private var synced = Remembered<Value>()
  private var passedVersion: UInt = 0
  /// The node of the hops to the owner, and the version of it that was followed last.
  private var ownerNode: Node?
  private var boundVersion: UInt = 0
  /// The owner at that version.
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
    self.init(object) { owner, access, newValue in
      if case .get(let transaction?) = access { identify({ keyPath }, in: transaction) }
      // Proof of the cast: the owner of a path's property is the object itself.
      let owner = cast(owner, to: Object.self)
      guard case .set = access else { return owner[keyPath: keyPath] }
      owner[keyPath: keyPath] = newValue()
      return newValue()
    } rule: {
      .init(reading: $0)
    }
  }

  @usableFromInline convenience init(
    _ root: AnyObject, _ access: @escaping LeafAccess<Value>,
    rule: @escaping (@escaping PropertyAccess<Value>) -> ComputedNode<Value>.Rule
  ) {
    self.init(root, set: setter(access), PropertyPath(getter(access), rule))
  }

  @usableFromInline init(
    _ root: AnyObject, set: @escaping (AnyObject, Value) -> Void = { _, _ in },
    _ path: PropertyPath<Value>
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
    set = chain.leaf?.set ?? { _, _ in }
  }

  /// The object whose death ends the binding.
  var root: (any PropertyObservable)? { rootObject as? any PropertyObservable }

  /// Whether the end is a chain, whose objects may be replaced.
  var isChain: Bool { path == nil }

  // MARK: Observing

  /// Calls `first` with the current value, and `next` with every later one, until `context` ends.
  /// For a broken chain, calls `first` with nil, and `broken` in place of `next`.
  func observe(
    in context: SubscriptionContext, first: @escaping (Value?) -> Void,
    next: @escaping (Value) -> Void, broken: @escaping () -> Void
  ) {
    let join = { (value: Value?, node: Node?) in
      self.node = node
      first(value)
    }
    if let root, let path {
      path.attach(to: root, in: context, .init(next: next, terminate: { _ in }), first: join)
    } else if let root {
      ChainRule(leaf) { $0 }.attach(to: root, in: context, terminate: { _ in }, first: join) {
        value, cause in
        // The death of the root ends the binding, perhaps on another thread, which must not write.
        if let value { next(value) } else if cause != .rootDied { broken() }
      }
    }
  }

  /// Calls `action` whenever a hop to the owner of the property is set, until `context` ends.
  func observeOwner(in context: SubscriptionContext, _ action: @escaping () -> Void) {
    guard let root, let hop = hops.last else { return }
    let rule = ChainRule<Void>(to: hop) { node, owner in
      node.value = ()
      return hop.next(of: owner, at: node.dependencies.last?.node) != nil
    }
    rule.attach(
      to: root, in: context, terminate: { _ in }, first: { ownerNode = $1 },
      next: { _, cause in if cause != .rootDied { action() } })
  }

  // MARK: Reading and writing

  /// The current owner of the property; nil while the chain is broken.
  var owner: AnyObject? {
    guard isChain else { return rootObject }
    return Transaction.current.untracked {
      hops.reduce(rootObject) { object, hop in object.flatMap { hop.next(of: $0) } }
    }
  }

  /// Calls `body` with the current value, unless the chain is broken.
  ///
  /// - Returns: whether `body` was called.
  @discardableResult func withValue(_ body: (Value) -> Void) -> Bool {
    guard let owner else { return false }
    return withValue(of: owner, body)
  }

  /// Does the same as ``withValue(_:)``, for a given owner of the property.
  @discardableResult func withValue(of owner: AnyObject, _ body: (Value) -> Void) -> Bool {
    guard access != nil else { return withLoadedValue(of: owner, body) }
    // Unwrapped by `guard let`, the closure would be retained.
    body(access!(owner, nil))
    return true
  }

  // A function of its own: an optional value would cost `withValue` a look-up of its type.
  private func withLoadedValue(of owner: AnyObject, _ body: (Value) -> Void) -> Bool {
    load(owner).map(body) != nil
  }

  /// The reads that reading the property of `owner` makes.
  private func search(_ owner: AnyObject) -> Identification {
    Transaction.current.identify(owner) { load(owner) }.search
  }

  /// The stored property at this end; nil if the property is not a stored one.
  var storedProperty: PropertyNode<Value>? {
    owner.flatMap { search($0).property(isLenient: true) as? PropertyNode<Value> }
  }

  /// Sets the property of `owner`.
  ///
  /// - Returns: the effect of rules on the value; nil if the value was stored unchanged.
  @discardableResult
  func write(_ value: Value, to owner: AnyObject, by binding: PropertyBinding) -> SetOutcome? {
    Instrumentation.enter(.write(value, to: { self.storedProperty }, of: owner, Value.self))
    defer { Instrumentation.leave() }
    guard Transaction.ruleCount.load(ordering: .relaxed) > 0 else {
      set(owner, value)
      return nil
    }
    // Only rules of this property count, not rules of other properties that observers set in the
    // meantime.
    lazy var reads = search(owner).reads
    let outcome = Transaction.current.write(
      to: { node in reads.contains { $0.node === node } }, by: binding.subscription
    ) { set(owner, value) }
    if case .refused(let error)? = outcome { binding.report(error) }
    return outcome
  }

  /// Follows the hops to the owner, before a write, and resets the former owner.
  ///
  /// - Returns: whether a hop has been set since the last call.
  func rebind(resettingTo fallback: @autoclosure () -> BindingFallback<Value>) -> Bool {
    let version = currentVersion(of: ownerNode)
    guard version != boundVersion else { return false }
    boundVersion = version
    let former = boundOwner
    let current = owner
    boundOwner = current
    if let former, former !== current, case .value(let value) = fallback() { set(former, value) }
    return true
  }

  /// Brings `node` up to date and returns its version; 0 if there is none, or the root has died.
  private func currentVersion(of node: Node?) -> UInt {
    guard let node, let rootObject else { return 0 }
    defer { withExtendedLifetime(rootObject) {} }
    if node.isComputed { Transaction.current.refresh(node, of: rootObject) }
    return node.version
  }

  // MARK: Agreement

  /// Whether every set counts as a change; otherwise values are compared.
  private var isVersioned: Bool {
    isChain ? leaf?.leafIndex == leaf?.index : node?.isComputed == false
  }

  /// The version of the property; nil if values are compared.
  var version: UInt? {
    guard isVersioned else { return nil }
    return node?.isComputed == true ? currentVersion(of: node) : node?.version
  }

  /// Records the current version, or else `value`, as agreed on by both ends.
  func markSynced(_ value: Value) {
    if let version { return syncedVersion = version }
    synced.forget(isReference: true)
    synced.store(value, isReference: Optionals.isReference(Value.self))
    // A value that does not equal itself is recognised by its version.
    if areEqual(value, value) != true { syncedVersion = currentVersion(of: node) }
  }

  /// Whether the ends have agreed on `value`, if values are compared.
  private func isSynced(_ value: Value) -> Bool {
    synced.load().map { areEqual($0, value) == true } ?? false
      || syncedVersion > 0 && syncedVersion == currentVersion(of: node)
  }

  /// Whether the ends have not yet agreed on the value being delivered.
  func hasUnsyncedDelivery(_ value: Value) -> Bool {
    // A replaced object on the chain counts as a change, also if the member of its value is equal.
    guard let node, isVersioned else { return node?.isHopChanged == true || !isSynced(value) }
    return Int(bitPattern: node.delivered &- syncedVersion) > 0
  }

  /// Whether the property has changed since the ends agreed.
  var hasUnsyncedChange: Bool {
    withNode { node in
      if let version { return version != syncedVersion }
      var isUnsynced = false
      withValue { isUnsynced = !isSynced($0) }
      return isUnsynced || node.hasPendingHop
    }
  }

  /// The answer of the observed node. Its root is kept alive meanwhile: the death of the root, perhaps
  /// on another thread, ends the node. False for an end that has died, or is only written.
  private func withNode(_ body: (Node) -> Bool) -> Bool {
    guard let node, let rootObject else { return false }
    defer { withExtendedLifetime(rootObject) {} }
    return body(node)
  }

  /// Records that the current value was passed on before its delivery.
  func markPassed() { passedVersion = currentVersion(of: node) }

  /// Whether the value being delivered was passed on before.
  var isPassed: Bool { passedVersion > 0 && node?.delivered == passedVersion }

  /// Whether a batch has set the property to another value, which has not been delivered.
  var isInBatch: Bool {
    guard let node, node.state.contains(.batched), let rootObject else { return false }
    return !node.isRestored(of: rootObject, in: .current)
  }

  /// Whether a change waits to be delivered: at the end of the open batch or, for a computed
  /// property, when the transaction settles.
  var isPending: Bool { withNode { $0.isComputed || isInBatch } && hasUnsyncedChange }

  /// Whether the property is being delivered. A write to it now is a consequence of that delivery.
  var isDelivering: Bool { withNode { $0.state.contains(.underWay) } }

  /// Whether the value being delivered was set during the delivery of another one, perhaps by a
  /// binding as an echo.
  var isRedelivering: Bool { (node?.rounds.count ?? 0) > 0 }

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
      let last = node.chain?.positions.last
      return node.observed.map { ($0.node, $0.hop == last ? nil : $0.hop) }
    }
    var properties: [(node: Node, hop: Int?)] = []
    var object = rootObject
    for hop in hops {
      guard let owner = object else { return properties }
      properties += PropertyPath(read: { hop.next(of: $0) }).nodes(of: owner).map {
        ($0, hop.index)
      }
      object = Transaction.current.untracked { hop.next(of: owner) }
    }
    return properties + (object.map { search($0).reads } ?? []).map { ($0.node, nil) }
  }
}

extension Node {
  /// Whether a hop before the last property was the first change that the last evaluation found.
  fileprivate var isHopChanged: Bool {
    changedDependency < dependencies.count - 1 && state.contains(.recordsReads)
  }

  /// Whether such a hop has changed since the last evaluation.
  fileprivate var hasPendingHop: Bool {
    state.contains(.recordsReads) && isMarked
      && dependencies.dropLast().contains { $0.node.version != $0.version }
  }
}
