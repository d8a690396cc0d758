/// One end of a binding: a property of an object, or at the end of a chain. It reads, writes and
/// observes the property.
///
/// Its initialisers are always inlined, so that the closure is made where the key path is a literal.
///
/// - Isolation: confined, with the objects of the end. The root and the owner of the property are
///   held weakly.
@usableFromInline final class BindingEnd<Value> {
  /// The object at which the end begins, and whose death ends the binding; nil if it cannot be
  /// observed.
  let object: RegisteredObject?
  /// Reads the property of the object and, unless it is only read, sets it; nil for a chain.
  private let access: LeafAccess<Value>?
  /// What only a chain needs; nil for a path.
  let chain: TargetHops<Value>?
  /// The observed node; nil for an end that is only written. Stores exchange it: without a release
  /// inside an access, no access is checked for exclusivity.
  private(set) var node: Node?

  /// An end that is only read.
  @inlinable @inline(__always) convenience init<Object: PropertyObservable>(
    _ object: Object, @_eagerMove _ keyPath: __owned KeyPath<Object, Value>
  ) {
    self.init(object) { owner, access, _ in
      if case .get(let transaction?) = access { identify({ keyPath }, in: transaction) }
      // Proof of the cast: the owner of a path's property is the object itself.
      return cast(owner, to: Object.self)[keyPath: keyPath]
    }
  }

  @inlinable @inline(__always) convenience init<Object: PropertyObservable>(
    _ object: Object, @_eagerMove writing keyPath: __owned ReferenceWritableKeyPath<Object, Value>
  ) { self.init(object, leafAccess(keyPath)) }

  @inlinable @inline(__always)
  convenience init<Object, End: ChainEnd<Object, Value>>(
    _ object: Object, _ chain: (inout ChainStart<Object>) -> End
  ) {
    var start = ChainStart<Object>()
    let chain = chain(&start).bound
    self.init(object, nil, leaf: chain.leaf, set: chain.set)
  }

  /// - Parameters:
  ///   - access: nil for a chain.
  ///   - leaf: the last property of the chain; nil for a chain of none.
  ///   - set: sets that property; nil if it is only read.
  @usableFromInline init(
    _ root: AnyObject, _ access: LeafAccess<Value>?, leaf: ChainLeaf<Value>? = nil,
    set: ((AnyObject, Value) -> Void)? = nil
  ) {
    object = RegisteredObject.of(root)
    self.access = access
    chain = access == nil ? TargetHops(leaf, set) : nil
  }

  /// Nil once the object begins to die.
  package var root: AnyObject? { object?.object }

  /// Whether the end is a chain, whose objects may be replaced.
  var isChain: Bool { chain != nil }

  // MARK: Observing

  /// Calls `first` with the current value, and `next` with every later one, until `context` ends.
  /// While the chain is broken, calls `broken` instead. The death of the root calls `terminate`.
  func observe(
    in context: SubscriptionContext, first: (Value) -> Void, next: @escaping (Value) -> Void,
    broken: @escaping () -> Void, terminate: @escaping ((any Error)?) -> Void
  ) {
    guard let root else { return }
    if let access {
      PropertyPath(getter(access)).attach(
        to: root, in: context, .init(next: next, terminate: terminate)
      ) {
        _ = exchange(&node, with: $1)
        first($0)
      }
    } else {
      let receive: (Value?) -> Void = { [self] value in
        // The death of the root ends the binding, perhaps on another thread, which must not write.
        if let value { next(value) } else if node?.chain?.cause != .rootDied { broken() }
      }
      PropertyPath(ChainRule<Value>(chain?.leaf) { $0 }).attach(
        to: root, in: context, .init(next: receive, terminate: terminate)
      ) {
        _ = exchange(&node, with: $1)
        $0.map(first) ?? broken()
      }
    }
    if node == nil { object?.when(.dead, in: context) { terminate(nil) } }
  }

  /// Calls `action` whenever a hop to the owner of the property is set, until `context` ends.
  func observeOwner(in context: SubscriptionContext, _ action: @escaping () -> Void) {
    guard let chain, let hop = chain.hops.last, let root else { return }
    let rule = ChainRule<Void>(to: hop) { node, owner in
      node.value = ()
      return hop.next(of: owner, at: node.dependencies.last?.node) != nil
    }
    PropertyPath(rule).attach(
      to: root, in: context,
      .init(
        next: { _ in if chain.ownerNode?.chain?.cause != .rootDied { action() } },
        terminate: { _ in }),
      first: { chain.ownerNode = $1 })
  }

  // MARK: Reading and writing

  /// The current owner of the property; nil while the chain is broken.
  package var owner: AnyObject? {
    guard let chain else { return root }
    return Transaction.current.untracked {
      chain.hops.reduce(root) { object, hop in object.flatMap { hop.next(of: $0) } }
    }
  }

  /// Calls `body` with the current value, unless the chain is broken. One function for all callers:
  /// in a row of bindings, each calls the next inside `body`.
  ///
  /// - Parameter owner: the owner of the property, if it is known.
  /// - Returns: whether `body` was called.
  @discardableResult
  func withValue(of owner: AnyObject? = nil, _ body: (Value) -> Void) -> Bool {
    guard let owner = owner ?? self.owner else { return false }
    guard access != nil else { return withLoadedValue(of: owner, body) }
    // Unwrapped by `guard let`, the closure would be retained.
    body(access!(owner, .get(nil)) { fatalError("no value is set") })
    return true
  }

  // A function of its own: an optional value would cost `withValue` a look-up of its type.
  private func withLoadedValue(of owner: AnyObject, _ body: (Value) -> Void) -> Bool {
    chain?.leaf?.read(owner).map(body) != nil
  }

  /// The reads that reading the property of `owner` makes.
  private func search(_ owner: AnyObject) -> Identification {
    Transaction.current.identify(owner) { withValue(of: owner) { _ in } }.search
  }

  /// The stored property at this end; nil if the property is not a stored one.
  var storedProperty: PropertyNode<Value>? {
    owner.flatMap { search($0).property(isLenient: true) as? PropertyNode<Value> }
  }

  @inline(__always) private func set(_ value: Value, of owner: AnyObject) {
    if access == nil { chain?.set?(owner, value) } else { _ = access!(owner, .set) { value } }
  }

  /// Sets the property of `owner`.
  ///
  /// - Returns: the effect of rules on the value.
  @discardableResult
  func write(_ value: Value, to owner: AnyObject, by binding: PropertyBinding) -> Validation<Void> {
    Instrumentation.enter(.write(value, to: { self.storedProperty }, of: owner, Value.self))
    defer { Instrumentation.leave() }
    guard Transaction.validatorCount.load(ordering: .relaxed) > 0 else {
      set(value, of: owner)
      return .valid
    }
    // Only rules of this property count, not rules of other properties that observers set in the
    // meantime.
    lazy var reads = search(owner).reads
    let outcome = Transaction.current.write(
      to: { node in reads.contains { $0.node === node } }, by: binding.subscription
    ) { set(value, of: owner) }
    if let error = outcome.error { binding.report(error) }
    return outcome
  }

  /// Follows the hops to the owner, before a write, and resets the former owner.
  ///
  /// - Returns: whether a hop has been set since the last call.
  func rebind(_ options: BindingOptions<some Any, Value>, by binding: PropertyBinding) -> Bool {
    let version = currentVersion(of: chain?.ownerNode)
    guard let chain, version != chain.boundVersion else { return false }
    chain.boundVersion = version
    let (former, current) = (chain.boundOwner, owner)
    chain.boundOwner = current
    if let former, former !== current, case .value(let value) = options.resetOnUnbind {
      write(value, to: former, by: binding)
    }
    return true
  }

  // MARK: State

  /// The current version of the value; 0 for an end that is not observed, or whose root has died.
  var currentVersion: UInt { currentVersion(of: node) }

  /// Brings `node` up to date and returns its version; 0 if there is none, or the root has died.
  private func currentVersion(of node: Node?) -> UInt {
    guard let node, let root else { return 0 }
    defer { withExtendedLifetime(root) {} }
    if node.isComputed { Transaction.current.refresh(node, of: root) }
    return node.version
  }

  /// The answer of the observed node. Its root is kept alive meanwhile: the death of the root, perhaps
  /// on another thread, ends the node. False for an end that has died, or is only written.
  func withNode(_ body: (Node) -> Bool) -> Bool {
    guard let node, let root else { return false }
    defer { withExtendedLifetime(root) {} }
    return body(node)
  }

  /// Whether a batch has set the property to another value, which has not been delivered.
  var isInBatch: Bool {
    guard let node, node.state.contains(.batched), let root else { return false }
    return !node.isRestored(of: root, in: .current)
  }

  /// Whether the property is being delivered. A write to it now is a consequence of that delivery.
  var isDelivering: Bool { withNode { $0.state.contains(.underWay) } }

  /// Whether the value being delivered was set during the delivery of another one, perhaps by a
  /// binding as an echo.
  var isRedelivering: Bool { (node?.settlement.count ?? 0) > 0 }

  /// `Person.name`, for reports.
  var description: String {
    let property = node.flatMap { $0.isComputed ? nil : $0 } ?? storedProperty
    return property?.description ?? "\(owner.map { "\(type(of: $0))" } ?? "nil").\(Value.self)"
  }
}

/// The chain of an end, and the owner of the property that was followed last.
final class TargetHops<Value> {
  /// The last property; nil for a chain of none.
  let leaf: ChainLeaf<Value>?
  /// Sets it in the object that has it; nil for an end that is only read.
  let set: ((AnyObject, Value) -> Void)?
  /// The hops to the owner of the property.
  let hops: [ChainHop]
  /// The node of these hops, and the version of it that was followed last.
  var ownerNode: Node?
  var boundVersion: UInt = 0
  /// The owner at that version.
  weak var boundOwner: AnyObject?

  init(_ leaf: ChainLeaf<Value>?, _ set: ((AnyObject, Value) -> Void)?) {
    (self.leaf, self.set) = (leaf, set)
    hops = leaf?.previous?.path ?? []
  }
}

extension BindingEnd: InspectedEnd {
  package var properties: [(node: Node, hop: Int?)] {
    if let node {
      let last = node.chain?.positions.last
      return node.observed.map { ($0.node, $0.hop == last ? nil : $0.hop) }
    }
    let hops = chain?.ownerNode?.observed ?? []
    return hops + (owner.map { search($0).reads } ?? []).map { ($0.node, nil) }
  }
}
