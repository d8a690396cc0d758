extension PropertyObservable {
  /// Emits the value of the property named `key`, now and after every change, as `observe(_:options:)`
  /// does for its key path.
  ///
  /// ```swift
  /// try person.observe(String.self, "name")
  /// ```
  ///
  /// - Errors: `PropertyError.undefinedKey`, and `typeMismatch` unless `type` is the property's type,
  ///   an optional of it, or `Any`; thrown by the call.
  public func observe<Value>(
    _ type: Value.Type, _ key: String, options: KeyValueObservingOptions = [.initial, .new]
  ) throws -> Observable<Value> {
    try property(key).observe(self, as: type, options)
  }

  /// Follows a chain of properties by their names, separated by dots, without retaining anyone on it.
  ///
  /// ```swift
  /// try person.observeWeakly(String.self, "manager.address.city")
  /// ```
  ///
  /// What is emitted when is as for the chain that is written with key paths. Each object on the way
  /// is asked for the name, so that a subclass may have what the property's own type has not.
  ///
  /// - Errors: thrown by the call: `PropertyError.undefinedKey` for the first name; `typeMismatch` for
  ///   the last one, if the types on the way tell: `type` is that of the property, or what this is an
  ///   optional of. Later, an object that lacks the name, or has it with another type, breaks the
  ///   chain and is reported as `unknownKey` or `typeMismatch`; the sequence lives.
  public func observeWeakly<Leaf>(
    _ type: Leaf.Type, _ keyPath: String, options: KeyValueObservingOptions = [.initial, .new]
  ) throws -> Observable<Leaf?> {
    let chain = try chain(Leaf?.self, keyPath)
    return observeWeakly(options: options) { _ in chain }
  }

  /// Emits every change at the end of a chain of names, as `observeChanges(options:_:)` does for one
  /// that is written with key paths.
  ///
  /// - Errors: as `observeWeakly(_:_:options:)`.
  public func observeChanges<Leaf>(
    _ type: Leaf.Type, _ keyPath: String, options: KeyValueObservingOptions = [.old, .new]
  ) throws -> Observable<PropertyChange<Leaf>> {
    let chain = try chain(Leaf?.self, keyPath)
    return observeChanges(options: options) { _ in chain }
  }

  /// A chain of names, separated by dots, for bindings:
  ///
  /// ```swift
  /// let city = try person.chain(String.self, "address.city")
  /// person.bind({ _ in city }, to: row, \.text)
  /// ```
  ///
  /// - Errors: as `observeWeakly(_:_:options:)`. To be written, the leaf must be of exactly this type.
  public func chain<Leaf>(
    _ type: Leaf.Type, _ keyPath: String
  ) throws -> KeyPathChain<Self, Leaf> {
    let names = NamedPath(keyPath)
    try names.knownLeaf(from: self)?
      .requireConversion(to: Leaf.self, for: Optionals.wrapped(in: type))
    return KeyPathChain(
      { root, downstream, context in
        let last = names.hops.count
        let leaf = namedHop(names.leaf, last, downstream, context)
        let first = zip(names.hops, 0..<last).reversed().reduce(leaf) { follow, hop in
          let next = ChainObserver<Any>(
            next: follow, broken: { follow(nil, $0) }, prior: downstream.prior)
          return namedHop(hop.0, hop.1, next, context)
        }
        first(root, .initial)
      }, length: names.hops.count + 1)
  }
}

extension NamedPath {
  /// The property at the end, if the types of those on the way tell.
  ///
  /// - Errors: `undefinedKey`, if the root has no property of the first name.
  fileprivate func knownLeaf(from root: some PropertyObservable) throws -> (any NamedPropertyType)?
  {
    let keys = hops + [leaf]
    return try keys.dropFirst().reduce(root.property(keys[0])) { property, key in
      let type = property.map { Optionals.wrapped(in: $0.description.valueType) }
      return (type as? any PropertyObservable.Type).flatMap { PropertyTable.of($0)[key] }
    }
  }
}

/// A hop that asks each object for the property `key`, and follows that as a ``ChainHop``: a function
/// that leaves the former object and observes another.
private func namedHop<Next>(
  _ key: String, _ index: Int, _ downstream: ChainObserver<Next>, _ context: SubscriptionContext
) -> (_ value: Any?, _ cause: ChangeCause) -> Void {
  let current = SerialDisposable()
  context.add(current)
  return { value, cause in
    let attachment = SubscriptionContext()
    current.disposable = attachment
    guard attachment.isActive else { return }
    guard let value = value.flatMap(Optionals.content) else {
      return downstream.broken(cause.leadingNowhere(at: index))
    }
    do {
      let object = try NamedPath.object(value, having: key)
      try object.property(key).follow(object, index, cause, downstream, in: attachment)
    } catch {
      let isUnknown = if case PropertyError.undefinedKey = error { true } else { false }
      Diagnostics.report(
        isUnknown ? .unknownKey : .typeMismatch, "\(error)", type: "\(type(of: value))",
        property: key)
      downstream.broken(cause.leadingNowhere(at: index))
    }
  }
}
