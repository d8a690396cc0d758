/// Reads a value from an object.
///
/// If a transaction is given, it is identifying the property that a key path leads to, and the
/// closure first stores the key path there. The client makes the closure where the key path is a
/// literal, and uses the key path for nothing afterwards, so that the optimiser folds it into a
/// plain access. Reading through a stored key path costs some 150 ns.
@usableFromInline typealias PropertyAccess<Value> = (AnyObject, Transaction?) -> Value

/// Stores the key path that is about to be applied. Out of line and with a closure, so that only
/// this function makes the key path, and not every access.
@inline(never) @usableFromInline
func identify(_ keyPath: () -> AnyKeyPath, in transaction: Transaction) {
  transaction.identification?.keyPath = keyPath()
}

/// A path from an object to a value: a stored property, or a value computed from properties.
@usableFromInline struct PropertyPath<Value> {
  let access: PropertyAccess<Value>
  /// Makes the rule of a computed node, in the client, where the type of the value is known.
  private let makeRule: (@escaping PropertyAccess<Value>) -> ComputedNode<Value>.Rule
  /// Whether the path is known to read one property of the object, in its storage.
  var isProperty = false
  /// Whether a path that reads no observable property is worth observing, and not reported: the path to a
  /// collection, whose contents are observed.
  @usableFromInline var mayBeConstant = false
  /// Makes the node of a chain; nil for a path whose value is read by `access`.
  var makeNode: ((RegisteredObject) -> PropertyNode<Value>)?

  @inlinable @inline(__always) init(_ access: @escaping PropertyAccess<Value>) {
    self.init(access) { ComputedNode.rule(reading: $0) }
  }

  @usableFromInline init(
    _ access: @escaping PropertyAccess<Value>,
    _ makeRule: @escaping (@escaping PropertyAccess<Value>) -> ComputedNode<Value>.Rule
  ) {
    self.access = access
    self.makeRule = makeRule
  }

  init(isProperty: Bool = false, read: @escaping (AnyObject) -> Value) {
    self.init { root, _ in read(root) }
    self.isProperty = isProperty
  }

  /// Always inlined, so that the closure is made where the key path is a literal.
  @inlinable @inline(__always) init<Root: AnyObject>(
    @_eagerMove _ keyPath: __owned KeyPath<Root, Value>, mayBeConstant: Bool = false
  ) {
    self.init { root, transaction in
      if let transaction { identify({ keyPath }, in: transaction) }
      // Proof of the cast: a path is used with the roots it was made for.
      return cast(root, to: Root.self)[keyPath: keyPath]
    }
    self.mayBeConstant = mayBeConstant
  }

  func read(_ root: AnyObject) -> Value { access(root, nil) }

  // MARK: Nodes

  /// The property that the path leads to, if the property belongs to `owner` itself.
  ///
  /// - Parameter isLenient: whether a path that reads exactly one property, of the type of the
  ///   path, counts as that property.
  func property(of owner: AnyObject, isLenient: Bool = false) -> PropertyNode<Value>? {
    let transaction = Transaction.current
    return transaction.identify(owner) { access(owner, transaction) }.search
      .property(isLenient: isLenient || isProperty) as? PropertyNode<Value>
  }

  /// A node with the values of the path: the node of a property, or a new node, which the caller owns.
  func node(
    of owner: AnyObject, _ kind: Node.State = .computed, in transaction: Transaction
  ) -> PropertyNode<Value>? {
    if let makeNode { return RegisteredObject.of(owner).map(makeNode) }
    let (search, value) = transaction.identify(owner) { access(owner, transaction) }
    if let property = search.property(isLenient: isProperty) {
      return property as? PropertyNode<Value>
    }
    return node(of: owner, kind, value, found: search)
  }

  /// A new node, with a value that has just been read.
  func node(
    of owner: AnyObject, _ kind: Node.State, _ value: Value, found search: Identification
  ) -> PropertyNode<Value>? {
    guard let object = RegisteredObject.of(owner) else { return nil }
    let node = ComputedNode<Value>(owner: object, kind, rule: makeRule(access))
    node.adopt(value, computedFrom: search.reads)
    object.add(node)
    return node
  }

  // MARK: Observing

  /// Feeds `receiver` with every change, until `context` ends or `owner` dies. The death of `owner`
  /// terminates `receiver`.
  ///
  /// - Parameter first: receives the current value, and the node that delivers the later values; nil if
  ///   there will be none.
  func attach(
    to owner: AnyObject, in context: SubscriptionContext, _ receiver: AnyObserver<Value>,
    first: (Value, Node?) -> Void
  ) {
    let (next, terminate) = (receiver.next, receiver.terminate)
    attach(to: owner, in: context, terminate, first: { first($0, $1?.node) }) { node in
      PropertyObserver(node, context, terminate: terminate, next: next)
    }
  }

  /// Adds an observer to the node of the path, until `context` ends or `owner` dies.
  ///
  /// - Parameters:
  ///   - terminate: called if no observer can be added.
  ///   - first: receives the current value, and the observer.
  ///   - make: makes the observer of the node.
  func attach<Made: ValueObserver<Value>>(
    to owner: AnyObject, in context: SubscriptionContext, _ terminate: ((any Error)?) -> Void,
    first: (Value, Made?) -> Void, observer make: (Node) -> Made
  ) {
    let transaction = Transaction.current
    transaction.perform {
      guard let node = node(of: owner, in: transaction),
        let value = node.firstValue(of: owner, in: transaction)
      else {
        // The object is dead, or cannot be observed, which has been reported.
        if makeNode == nil { transaction.untracked { first(read(owner), nil) } }
        return context.finish(terminate)
      }
      node.owner.use(in: transaction)
      if node.isComputed, node.dependencies.isEmpty, !mayBeConstant, makeNode == nil {
        let keyPath = transaction.identify(owner) { access(owner, transaction) }.search.keyPath
        Diagnostics.report(
          .unobservablePath,
          "nothing on this path to a value of type \(Value.self) is observable; its value is emitted once",
          of: type(of: owner), once: "\(type(of: owner)) \(keyPath as Any)")
      }
      let isOverridable = !isProperty && !node.isComputed && node.mayBeOverridden
      let observer = make(node)
      if isOverridable {
        node.state.insert(.readThrough)
        node.makeSupplement().readOverride = read
        observer.readsOverride = true
      }
      node.join(observer, in: transaction, with: value) {
        first(isOverridable ? read(owner) : value, observer)
      }
    }
  }
}

extension PropertyNode {
  /// Adds an observer, and calls `first`, which delivers the current value to it. Values that are
  /// set during that call are delivered after it.
  ///
  /// - Parameter value: the current value, for traces.
  final func join(
    _ observer: ValueObserver<Value>, in transaction: Transaction,
    with value: @autoclosure () -> Any, after first: () -> Void
  ) {
    Instrumentation.enter(.subscribe(self, observer.context, value()))
    defer { Instrumentation.leave() }
    // Values that wait for a delivery under way, and computed values, arrive after `first` in any
    // case.
    let isOpen = !isComputed && state.isDisjoint(with: [.underWay, .waiting])
    if isOpen { state.insert(.underWay) }
    add(observer)
    transaction.untracked(first)
    if isOpen { endDelivery(in: transaction) }
  }
}
