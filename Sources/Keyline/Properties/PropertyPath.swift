/// A key path as a function.
///
/// One closure that uses a literal key path and nothing else becomes a plain function in which the
/// path is folded into an access; a key path that is kept as such costs some 150 ns per read. Handing
/// the path itself out, and no closure that makes it, would have it made at every read.
@usableFromInline struct PropertyPath<Root: PropertyObservable, Value> {
  /// Reads from the root, and tells the key path if asked to and if it is one.
  let access: (Root, ((() -> AnyKeyPath) -> Void)?) -> Value
  /// Whether it is known to lead to a stored property of the root.
  var isProperty = false
  /// Whether it is worth observing when it reads nothing that can be observed.
  var mayBeConstant = false

  @usableFromInline
  init(_ access: @escaping (Root, ((() -> AnyKeyPath) -> Void)?) -> Value) { self.access = access }

  /// Inlined always, so that the closure is made where the key path is a literal.
  @inlinable @inline(__always) init(_ keyPath: KeyPath<Root, Value>) {
    self.init {
      $1?({ keyPath })
      return $0[keyPath: keyPath]
    }
  }

  /// The value `root` has.
  func read(_ root: Root) -> Value { access(root, nil) }

  /// The key path, if it is one. Reads from `root`, too.
  func identity(_ root: Root) -> AnyKeyPath? {
    var identity: AnyKeyPath?
    _ = access(root) { identity = $0() }
    return identity
  }

  /// Attaches `observer` to whatever the path reads, from `root` on, until `context` ends or the
  /// root dies, which completes it.
  ///
  /// - Parameters:
  ///   - prior: called before every set of something that the path has read.
  ///   - guess: `settle`, in that context.
  ///   - first: gets the value there is, before anything else is delivered, and the property it is
  ///     the value of, if it is one.
  ///
  /// What `observer` and `guess` make is taken over where it is made: to hand it on would cost a retain
  /// and a release of each closure.
  @inline(__always) func attach(
    _ observer: @autoclosure () -> AnyObserver<Value>, to root: Root,
    in context: SubscriptionContext, prior: (() -> Void)? = nil,
    guess: @autoclosure () -> GuessingMember<Value>.Guess,
    after first: (Value, PropertyNode<Value>?) -> Void
  ) {
    Tracker.evaluate({ read(root) }) { value, reads in
      let property = property(reads, of: root)
      if let property, prior == nil, reads.areCurrent {
        property.subscribe(
          observer(), in: context, guess: guess(), after: { first(value, property) })
      } else {
        if reads.isEmpty, !mayBeConstant { reportUnobservable(root) }
        TrackedObservation(root, read, observer(), context, prior)
          .start(value, reads) { first($0, property) }
      }
    }
  }

  /// The value `root` has, and what tells it from former ones.
  func evaluate(_ root: Root) -> (value: Value, stamp: ReadStamp) {
    Tracker.evaluate({ read(root) }) { ($0, $1.stamp) }
  }

  /// What the path reads.
  func nodes(of root: Root) -> [AnyBroadcaster] { Tracker.evaluate({ read(root) }) { $1.all } }

  /// The property that the path seems to be.
  func property(of root: Root) -> PropertyNode<Value>? {
    Tracker.evaluate({ read(root) }) { property($1, of: root) }
  }

  /// The property that the path seems to be: of its root, and of its type.
  @inline(__always)
  private func property(_ reads: Tracker.Reads, of root: Root) -> PropertyNode<Value>? {
    guard let node = reads.single, node.isProperty(of: root), node.elementType == Value.self else {
      return nil
    }
    // Proof: a property's broadcaster of this element type is a PropertyNode<Value>.
    return unsafeDowncast(node, to: PropertyNode<Value>.self)
  }

  /// What is to take the place of `observer`, which stands in the list of `node`, now that the key
  /// path of that property is known: nil if it is this path.
  func settle(
    _ node: PropertyNode<Value>, _ keyPath: AnyKeyPath?, _ observer: AnyObserver<Value>,
    in context: SubscriptionContext
  ) -> AnyObserver<Value>? {
    if isProperty { return nil }
    // Proof: only a property of the path's own root is taken for the path.
    let root = unsafeDowncast(node.object, to: Root.self)
    // The key path of an overridden property is the same, and leads to the override.
    if let keyPath, type(of: root) == type(of: keyPath).rootType, keyPath == identity(root) {
      return nil
    }
    return TrackedObservation(root, read, observer, context).observer(of: node)
  }

  private func reportUnobservable(_ root: Root) {
    let identity = identity(root).map { "\($0)" } ?? ""
    guard Diagnostics.isNew(.unobservablePath, "\(Root.self) \(identity)") else { return }
    Diagnostics.report(
      .unobservablePath,
      "nothing on this path to a \(Value.self) is observable; its value is emitted once",
      type: "\(Root.self)")
  }
}
