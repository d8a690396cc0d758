/// An observed chain: one computed node, whose dependencies are the properties on the path.
///
///     root ──hop 0──▶ object ──hop 1──▶ owner ──leaf──▶ value
///
/// An evaluation reads the chain again from the first dependency that has changed; the index of
/// that dependency determines the cause. A chain behaves like `flatMapLatest` over its hops, and
/// settles (P4): it emits the final value once.
///
/// - Lifetime: retains no object on the path; ends with its observer, or with the root.
@usableFromInline
final class ChainNode<Value>: PropertyNode<Value?>, InspectedChain, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  /// The observed properties, from the root to the leaf.
  private let hops: [ChainHop]
  private let rule: ChainRule<Value>
  // Proof of unchecked: confined; a store releases the former value after the access.
  /// The value, between its evaluation and its delivery.
  @exclusivity(unchecked) @usableFromInline final var value: Value?
  /// Why the value has changed.
  @exclusivity(unchecked) package private(set) var cause = ChangeCause.initial

  /// Makes the node of a chain, which belongs to `root`.
  init(of root: RegisteredObject, _ rule: ChainRule<Value>) {
    hops = rule.hop?.path ?? []
    self.rule = rule
    super.init(owner: root, .recordsReads)
    dependencies.reserveCapacity(hops.count)
    root.add(self)
  }

  // MARK: Evaluating

  override func evaluate(of root: AnyObject, from index: Int, in transaction: Transaction) {
    if index >= dependencies.count { return follow(from: 0, root, .initial, in: transaction) }
    let cause = cause(of: dependencies[index].node, at: index)
    // An object that nothing retained is found again from the property that led to it.
    for start in (0...index).reversed() {
      if let owner = dependencies[start].node.owner.object {
        return follow(from: start, owner, cause, in: transaction)
      }
    }
  }

  private func cause(of node: Node, at index: Int) -> ChangeCause {
    let hop = hops[index].index
    let isLast = index == hops.count - 1
    if isLast, hop != hops[index].leafIndex { return .hopReplaced(hop) }
    if node.state.contains(.died) { return .hopDied(hop) }
    return isLast ? .set : .hopReplaced(hop)
  }

  /// Reads the chain from the hop at `start`, a property of `object`, to the value.
  private func follow(
    from start: Int, _ object: AnyObject, _ cause: ChangeCause, in transaction: Transaction
  ) {
    var (index, isFound) = (start, false)
    // A loop that began with `object` would retain it.
    var next = step(from: object, at: index, &isFound, in: transaction)
    while let owner = next {
      index += 1
      next = step(from: owner, at: index, &isFound, in: transaction)
    }
    dropDependencies(from: index + 1)
    let wasUnbroken = state.contains(.unbroken)
    if delivered == version { set(.deliveredUnbroken, wasUnbroken) }
    set(.unbroken, isFound)
    if !isFound, version > 0 {
      value = nil
      if !wasUnbroken { return }
      // An object that has died before its value was delivered was never there for the observers.
      if state.isDisjoint(with: [.deliveredUnbroken, .waiting, .batched]) {
        return delivered = version
      }
    }
    if !isFound, dependencies.count == start + 1, case .hopReplaced(let hop) = cause {
      self.cause = .hopBecameNil(hop)
    } else {
      self.cause = cause
    }
    version &+= 1
  }

  /// Observes the property of `owner` at `index`, and returns the object that it leads to. Reads the last
  /// property of the chain instead, and returns nil.
  private func step(
    from owner: AnyObject, at index: Int, _ isFound: inout Bool, in transaction: Transaction
  ) -> AnyObject? {
    let hop = hops[index]
    guard let node = node(of: hop, at: index, of: owner, in: transaction) else { return nil }
    node.owner.use(in: transaction)
    transaction.refresh(node, of: owner)
    dependencies[index].version = node.readVersion
    if index < hops.count - 1 { return hop.next(of: owner, at: node) }
    isFound = rule.load(self, owner)
    return nil
  }

  /// The node of the property of `owner`, which becomes the dependency at `index`; nil if `owner` has
  /// no such property.
  private func node(
    of hop: ChainHop, at index: Int, of owner: AnyObject, in transaction: Transaction
  ) -> Node? {
    if index < dependencies.count {
      let node = dependencies[index].node
      if node.identity == address(of: owner), !node.hasEnded { return node }
      dropDependencies(from: index)
    }
    let node = hop.node(of: owner, in: transaction)
    if let node { depend(on: node) }
    return node
  }

  /// Whether the value of the last property is computed, and has just been read by its node.
  @usableFromInline final var isLeafEvaluated: Bool { dependencies.last?.node.isHop == true }

  /// The value of the last property, as its node has read it; nil if it has been taken.
  @usableFromInline func takeLeaf<Found>(as type: Found.Type) -> Found? {
    (dependencies.last?.node as? ComputedNode<Found>)?.takeValue()
  }

  /// Ends a dependency. The chain owns computed hops, and ends them as well.
  override func drop(_ dependency: Dependency) {
    dependency.link.drop()
    if dependency.node.isHop { dependency.node.abandon() }
  }

  // MARK: Observing

  override func firstValue(of owner: AnyObject, in transaction: Transaction) -> Value?? {
    transaction.refresh(self, of: owner)
    delivered = version
    set(.nonNil, value != nil)
    return .some(exchange(&value, with: nil))
  }

  override func deliver(of owner: AnyObject, in transaction: Transaction) {
    rule.deliver(self, transaction)
  }

  package var positions: [Int] { hops.map(\.index) }

  package var brokenHop: Int? {
    !state.contains(.unbroken) ? hops[max(0, dependencies.count - 1)].index : nil
  }

  override var inspectedValue: Any? { .some(value as Any) }

  override var valueType: Any.Type { Value.self }

  override func observersLeft() { abandon() }

  /// The root has died: delivers nil, unless nil was delivered last.
  override func willEnd() {
    guard state.contains(.nonNil) else { return }
    cause = .rootDied
    version &+= 1
    delivered = version
    let isFirst = state.insert(.underWay).inserted
    send(nil, nil)
    if isFirst { endDelivery(in: .current) }
  }

  override func releaseContents() {
    super.releaseContents()
    value = nil
  }
}

/// The operations that depend on the type of a chain's value, made in the client, where the type is
/// known.
@usableFromInline struct ChainRule<Value> {
  /// The last observed property; nil for a chain without properties.
  @usableFromInline let hop: ChainHop?
  /// Reads the value of the last property from its owner and stores it in the node; returns false
  /// if the value is missing.
  @usableFromInline let load: (ChainNode<Value>, AnyObject) -> Bool
  /// Delivers the value that is stored in the node.
  @usableFromInline let deliver: (ChainNode<Value>, Transaction) -> Void

  @inlinable init(to hop: ChainHop?, load: @escaping (ChainNode<Value>, AnyObject) -> Bool) {
    self.hop = hop
    self.load = load
    deliver = { node, transaction in
      let value = node.value
      node.value = nil
      node.set(.nonNil, value != nil)
      node.emit(value, in: transaction)
    }
  }

  /// The rule for the last property of a chain, whose value `value` converts.
  @inlinable
  init<Found>(_ leaf: ChainLeaf<Found>?, _ value: @escaping (Found) -> Value?) {
    let direct = leaf?.direct
    self.init(to: leaf) { node, owner in
      if node.isLeafEvaluated, let found = node.takeLeaf(as: Found.self) {
        node.value = value(found)
        return true
      }
      if direct != nil {
        // Unwrapped by `if let`, the closure would be retained.
        node.value = value(direct!(owner, nil))
        return true
      }
      guard let found = leaf?.read(owner) else { return false }
      node.value = value(found)
      return true
    }
  }
}
