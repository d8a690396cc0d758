extension PropertyObservable {
  /// Emits the value of the property named `key`, now and after every change, as
  /// `observe(_:options:)` does for its key path.
  ///
  /// ```swift
  /// _ = try person.observe(String.self, "name")
  /// ```
  ///
  /// - Errors: `PropertyError.undefinedKey`, and `typeMismatch` unless `type` is the property's
  ///   type, an optional of it, or `Any`; thrown by the call.
  public func observe<Value>(
    _ type: Value.Type, _ key: String, options: KeyValueObservingOptions = [.initial, .new]
  ) throws -> PropertySequence<Value> {
    observation(of: try property(key).path(to: type, for: type), options)
  }

  /// Follows a chain of properties by their names, separated by dots, without retaining any object
  /// on it.
  ///
  /// ```swift
  /// _ = try person.observeWeakly(String.self, "manager.address.city")
  /// ```
  ///
  /// Emits as the chain that is written with key paths does. The name is looked up in each object
  /// on the way, so that a subclass may have a property that the property's own type lacks.
  ///
  /// - Errors: thrown by the call: `PropertyError.undefinedKey` for the first name; `typeMismatch`
  ///   for the last one, if the types on the way determine it: `type` must be that of the property,
  ///   or what this is an optional of. Later, an object that lacks the name, or has it with another
  ///   type, breaks the chain and is reported as `unknownKey` or `typeMismatch`; the sequence
  ///   lives.
  public func observeWeakly<Leaf>(
    _ type: Leaf.Type, _ keyPath: String, options: KeyValueObservingOptions = [.initial, .new]
  ) throws -> PropertySequence<Leaf?> {
    let chain = try chain(Leaf?.self, keyPath)
    return observation(of: ChainRule(chain.leaf) { $0 }, options)
  }

  /// Emits every change at the end of a chain of names, as `observeChanges(options:_:)` does for
  /// one that is written with key paths.
  ///
  /// - Errors: as `observeWeakly(_:_:options:)`.
  public func observeChanges<Leaf>(
    _ type: Leaf.Type, _ keyPath: String, options: KeyValueObservingOptions = [.old, .new]
  ) throws -> PropertySequence<PropertyChange<Leaf>> {
    let chain = try chain(Leaf?.self, keyPath)
    return changes(ChainRule(chain.leaf) { $0 }, options)
  }

  /// A chain of names, separated by dots, for bindings:
  ///
  /// ```swift
  /// let city = try person.chain(String.self, "address.city")
  /// person.bind({ _ in city }, to: row, \.text)
  /// ```
  ///
  /// - Errors: as `observeWeakly(_:_:options:)`. To be written, the leaf must be of exactly this
  ///   type.
  public func chain<Leaf>(
    _ type: Leaf.Type, _ keyPath: String
  ) throws -> KeyPathChain<Self, Leaf> {
    KeyPathChain(leaf: try leaf(type, NamedPath(keyPath)))
  }

  /// A chain of names whose leaf is to be written by a binding: a target, or a source of one both
  /// ways.
  ///
  /// ```swift
  /// let city = try person.targetChain(String.self, "address.city")
  /// form.bind(\.text, to: person, { _ in city })
  /// ```
  ///
  /// - Errors: as `chain(_:_:)`, and `PropertyError.readOnly` if the types on the way determine it.
  ///   `type` must be exactly that of the property. An object whose property cannot be written is
  ///   reported, and not written.
  public func targetChain<Leaf>(
    _ type: Leaf.Type, _ keyPath: String
  ) throws -> WritableKeyPathChain<Self, Leaf> {
    let names = NamedPath(keyPath)
    try names.knownLeaf(from: self)?.requireWritable(as: type)
    return WritableKeyPathChain(try leaf(type, names)) { owner, value in
      _ = NamedPath.property(names.leaf, of: owner) { try $0.set(value, of: owner) }
    }
  }

  /// The end of a chain whose properties are looked up in each object.
  private func leaf<Leaf>(_ type: Leaf.Type, _ names: NamedPath) throws -> ChainLeaf<Leaf> {
    let wanted = Optionals.wrapped(in: type)
    _ = try names.knownLeaf(from: self)?.path(to: type, for: wanted)
    let nextKeys = names.hops.dropFirst() + [names.leaf]
    var last: ChainHop?
    for (index, (key, next)) in zip(names.hops, nextKeys).enumerated() {
      last = ChainLeaf(named: key, after: last, index: index) { property in
        { NamedPath.next(property.value(of: $0), having: next) }
      }
    }
    return ChainLeaf(named: names.leaf, after: last, index: names.hops.count) { property in
      try property.path(to: type, for: wanted).read
    }
  }
}

extension NamedPath {
  /// The property at the end, if the types of those on the way determine it.
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

extension ChainLeaf {
  /// A property that is looked up in each object.
  ///
  /// - Parameter reader: reads the value of the property that is found; throws if that cannot be done.
  fileprivate convenience init(
    named key: String, after previous: ChainHop?, index: Int,
    _ reader: @escaping (any NamedPropertyType) throws -> (AnyObject) -> Value?
  ) {
    self.init(
      after: previous, index: index,
      node: { owner, transaction in
        NamedPath.property(key, of: owner) { property in
          _ = try reader(property)
          return property.node(of: owner, in: transaction)
        }
      },
      read: { owner in NamedPath.property(key, of: owner) { try reader($0)(owner) } })
  }
}

extension NamedPath {
  /// What `body` makes of the property `key` of `object`; nil if there is none, or `body` throws,
  /// which is reported.
  fileprivate static func property<Result>(
    _ key: String, of object: AnyObject, _ body: (any NamedPropertyType) throws -> Result?
  ) -> Result? {
    reporting(key, of: object) { try body(Self.object(object, having: key).property(key)) }
  }

  /// The object in `value`; nil if there is none, or it has no property named `key`, which is reported.
  fileprivate static func next(_ value: Any, having key: String) -> AnyObject? {
    Optionals.content(of: value).flatMap { content in
      reporting(key, of: content) { try object(content, having: key) }
    }
  }

  private static func reporting<Result>(
    _ key: String, of object: Any, _ body: () throws -> Result?
  ) -> Result? {
    do {
      return try body()
    } catch {
      let isUnknown = if case PropertyError.undefinedKey = error { true } else { false }
      let category: Diagnostics.Category = isUnknown ? .unknownKey : .typeMismatch
      Diagnostics.report(
        category, "\(error)", of: type(of: object), property: key,
        once: "\(type(of: object)).\(key) \(error)")
      return nil
    }
  }
}
