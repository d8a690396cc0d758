/// A chain that is observed: one computed node, whose dependencies are the properties on the way.
///
///     root ──hop 0──▶ object ──hop 1──▶ owner ──leaf──▶ value
///
/// Evaluated, it is read again from the first dependency that has changed on: its index is the cause. A
/// chain behaves as `flatMapLatest` over its hops does, and settles (P4): the final value, once.
///
/// - Lifetime: retains nothing on the way; it ends with its observer, or with the root.
@usableFromInline final class ChainNode<Value>: PropertyNode<Value?>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  /// The properties that are observed.
  private let hops: [ChainHop]
  private let rule: ChainRule<Value>
  // Proof of unchecked: confined; what a store releases is released after it.
  /// The value, from its evaluation to its delivery.
  @exclusivity(unchecked) @usableFromInline final var value: Value?
  /// Whether there is no owner of the last property, or no value.
  @exclusivity(unchecked) private(set) var isBroken = true
  /// Whether the value delivered last is nil.
  @exclusivity(unchecked) @usableFromInline final var isNil = true
  /// Why there is another value.
  @exclusivity(unchecked) private(set) var cause = ChangeCause.initial

  init(of root: RegisteredObject, _ rule: ChainRule<Value>) {
    hops = rule.hop?.path ?? []
    self.rule = rule
    super.init(owner: root, isComputed: true)
  }

  // MARK: Evaluating

  override var isTracked: Bool { false }

  override func evaluate(of root: AnyObject, from index: Int, in transaction: Transaction) {
    guard index < dependencies.count else {
      return follow(from: 0, root, .initial, in: transaction)
    }
    let node = dependencies[index].node
    if node.hasEnded, index > 0 {
      // The object has died, and no property has told of it.
      follow(from: index, nil, .hopDied(hops[index - 1].index), in: transaction)
    } else {
      follow(from: index, node.owner.object, cause(of: node, at: index), in: transaction)
    }
  }

  private func cause(of node: Node, at index: Int) -> ChangeCause {
    let isDeath = node.isAtDeath
    if index == hops.count - 1 {
      let isProperty = hops[index].index == leafIndex
      return isProperty ? isDeath ? .hopDied(leafIndex) : .set : .hopReplaced(hops[index].index)
    }
    return isDeath ? .hopDied(hops[index].index) : .hopReplaced(hops[index].index)
  }

  /// Which property of the chain the leaf is.
  private var leafIndex: Int { (hops.last?.leafIndex) ?? 0 }

  /// Reads the hops from the one at `start`, a property of `object`, to the value.
  private func follow(
    from start: Int, _ object: AnyObject?, _ cause: ChangeCause, in transaction: Transaction
  ) {
    var index = start
    var object = object
    while let owner = object {
      guard observe(hops[index], at: index, of: owner, in: transaction) else { break }
      if index == hops.count - 1 { return arrive(isFound: rule.load(self, owner), cause) }
      object = hops[index].next(of: owner)
      index += 1
    }
    dropDependencies(from: index)
    let isOwn = index == start + 1 && index > 0
    arrive(isFound: false, isOwn ? cause.leadingNowhere : cause)
  }

  /// Makes the property of `owner` the dependency at `index`.
  ///
  /// - Returns: false if there is no such property.
  private func observe(
    _ hop: ChainHop, at index: Int, of owner: AnyObject, in transaction: Transaction
  ) -> Bool {
    if index < dependencies.count {
      let node = dependencies[index].node
      if node.identity != address(of: owner) || node.hasEnded { dropDependencies(from: index) }
    }
    if index == dependencies.count {
      guard let node = hop.node(owner, transaction) else { return false }
      dependencies.append(Dependency(node: node, link: node.link(self), version: 0))
    }
    let node = dependencies[index].node
    node.owner.use(in: transaction)
    transaction.refresh(node, of: owner)
    dependencies[index].version = node.version
    return true
  }

  /// Ends a dependency. A hop that is computed is the chain's own.
  override func drop(_ dependency: Dependency) {
    dependency.link.drop()
    if dependency.node.isHop, dependency.node.markEnded() { dependency.node.dropDependencies() }
  }

  private func arrive(isFound: Bool, _ cause: ChangeCause) {
    let wasBroken = isBroken
    isBroken = !isFound
    if isBroken, wasBroken, version > 0 { return }
    if isBroken { clearValue() }
    self.cause = cause
    version &+= 1
  }

  private func clearValue() { value = nil }

  /// Reads the value again, if nothing but the last property has changed: then no hop has to be followed.
  ///
  /// - Returns: whether that is all.
  private func readLeaf() -> Bool {
    let last = hops.count - 1
    guard state == .marked, !isBroken, !Instrumentation.isOn else { return false }
    for index in 0..<last where !dependencies[index].isCurrent { return false }
    let node = dependencies[last].node
    guard !node.isComputed, !node.hasEnded, node.version != dependencies[last].version,
      node.deathVersion != node.version,
      let owner = node.owner.object
    else { return false }
    state.remove(.marked)
    changedDependency = last
    dependencies[last].version = node.version
    arrive(isFound: rule.load(self, owner), cause(of: node, at: last))
    return true
  }

  // MARK: Observing

  override func currentValue(of owner: AnyObject, in transaction: Transaction) -> Value?? {
    firstValue(of: owner, in: transaction)
  }

  override func firstValue(of owner: AnyObject, in transaction: Transaction) -> Value?? {
    transaction.refresh(self, of: owner)
    delivered = version
    return .some(take())
  }

  private func take() -> Value? {
    let taken = value
    value = nil
    isNil = taken == nil
    return taken
  }

  override func settle(of owner: AnyObject, in transaction: Transaction) {
    delivery.remove(.announced)
    if !readLeaf() { transaction.refresh(self, of: owner) }
    guard delivered != version, transaction.admitsDelivery(of: self) else { return }
    rule.deliver(self, transaction)
  }

  override var chain: InspectedChain? {
    InspectedChain(
      hops: hops.map(\.index),
      brokenHop: isBroken ? hops[max(0, dependencies.count - 1)].index : nil, cause: cause)
  }

  override var inspectedValue: Any? { .some(value as Any) }

  override var valueType: Any.Type { Value.self }

  override func observersLeft() { _ = markEnded() }

  /// The root has died: nil, unless that was delivered last.
  override func willEnd() {
    guard !isNil else { return }
    cause = .rootDied
    version &+= 1
    delivered = version
    let transaction = Transaction.current
    let isFirst = !delivery.contains(.underWay)
    if isFirst { claimDelivery(in: transaction) }
    send(nil, nil)
    if isFirst { endDelivery(in: transaction) }
  }

  override func releaseContents() {
    super.releaseContents()
    value = nil
  }
}

extension ChangeCause {
  /// The cause, given that the hop with that cause has become nil.
  fileprivate var leadingNowhere: ChangeCause {
    if case .hopReplaced(let index) = self { .hopBecameNil(index) } else { self }
  }
}

/// What depends on the type of a chain's value, made where that is known.
@usableFromInline struct ChainRule<Value> {
  /// The last property that is observed; nil for a chain without any.
  @usableFromInline let hop: ChainHop?
  /// Stores the value of the last property, read from its owner, in the node; false if it is missing.
  @usableFromInline let load: (ChainNode<Value>, AnyObject) -> Bool
  /// Delivers the value in the node.
  @usableFromInline let deliver: (ChainNode<Value>, Transaction) -> Void

  @inlinable init(to hop: ChainHop?, load: @escaping (ChainNode<Value>, AnyObject) -> Bool) {
    self.hop = hop
    self.load = load
    deliver = { node, transaction in
      let value = node.value
      node.value = nil
      node.isNil = value == nil
      node.emit(value, in: transaction)
    }
  }

  /// The value of the last property of a chain.
  @inlinable
  init<Found>(_ leaf: ChainLeaf<Found>?, _ value: @escaping (Found) -> Value?) {
    self.init(to: leaf) { node, owner in
      if let read = leaf?.direct {
        node.value = value(read(owner, nil))
        return true
      }
      guard let found = leaf?.read(owner) else { return false }
      node.value = value(found)
      return true
    }
  }
}
