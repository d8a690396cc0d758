// Observing and binding paths of names: the chains of key-value coding.

extension PropertyObservable {
  /// Emits the current value of the property named `key`, and its value after every change, like
  /// `observe(_:options:)` with the key path of the property.
  ///
  /// ```swift
  /// _ = try person.observe(String.self, "name")
  /// ```
  ///
  /// - Errors: the call throws `PropertyError.undefinedKey`, and `typeMismatch` unless `type` is
  ///   the property's type, an optional of it, or `Any`.
  public func observe<Value>(
    _ type: Value.Type, _ key: String, options: KeyValueObservingOptions = [.initial, .new]
  ) throws -> PropertySequence<Value> {
    observation(of: try Swift.type(of: self).property(key).path(to: type, for: type), options)
  }

  /// Follows a chain of properties by their names, separated by dots, without retaining any object
  /// on the chain.
  ///
  /// ```swift
  /// _ = try person.observeWeakly(String.self, "manager.address.city")
  /// ```
  ///
  /// The sequence emits like a chain that is written with key paths. Each name is looked up in the
  /// current object. Behind a property whose declared type is a protocol, or a class without any
  /// property that is reached by name, such as ``ReactiveObject``, a name may be one that only some
  /// objects have.
  ///
  /// - Errors: the call throws `PropertyError.undefinedKey` for the first name, and for a later one that
  ///   the declared class of the property before it does not have. For the last name it throws
  ///   `typeMismatch` if the declared types determine the property: `type` must be the property's type,
  ///   the type that an optional property wraps, or `Any`. Later, an object without the named property,
  ///   or with one of another type, breaks the chain and is reported as `unknownKey` or `typeMismatch`;
  ///   the sequence goes on.
  public func observeWeakly<Leaf>(
    _ type: Leaf.Type, _ keyPath: String, options: KeyValueObservingOptions = [.initial, .new]
  ) throws -> PropertySequence<Leaf?> {
    try observation(of: PropertyPath(ChainRule(chain(Leaf?.self, keyPath).leaf) { $0 }), options)
  }

  /// Emits every change at the end of a chain of names, like `observeChanges(options:_:)` for a
  /// chain that is written with key paths.
  ///
  /// For the edits of an observable collection, pass the chain of its name to that method:
  /// `observeChanges { _ in items }`, where `items` is `try team.chain(ObservableArray<Int>.self, "items")`.
  /// The same chain leads to its members: `observeWeakly { _ in items.count }`.
  ///
  /// - Errors: as for `observeWeakly(_:_:options:)`.
  public func observeChanges<Leaf>(
    _ type: Leaf.Type, _ keyPath: String, options: KeyValueObservingOptions = [.old, .new]
  ) throws -> PropertySequence<PropertyChange<Leaf>> {
    let leaf = try chain(Leaf?.self, keyPath).leaf
    return changes(PropertyPath(ChainRule<Leaf>(leaf) { $0 }), options) { $0 }
  }

  /// A chain of names, separated by dots, for bindings:
  ///
  /// ```swift
  /// let city = try person.chain(String.self, "address.city")
  /// person.bind({ _ in city }, to: row, \.text)
  /// ```
  ///
  /// - Errors: as for `observeWeakly(_:_:options:)`. A leaf that the binding writes must have
  ///   exactly this type.
  public func chain<Leaf>(
    _ type: Leaf.Type, _ keyPath: String
  ) throws -> KeyPathChain<Self, Leaf> { KeyPathChain(leaf: try leaf(type, NamedPath(keyPath))) }

  /// A chain of names whose leaf a binding writes: a target, or the source of a two-way binding.
  ///
  /// ```swift
  /// let city = try person.targetChain(String.self, "address.city")
  /// form.bind(\.text, to: person, { _ in city })
  /// ```
  ///
  /// - Errors: as for `chain(_:_:)`, and `PropertyError.readOnly` if the declared types determine
  ///   the property. `type` must be exactly the type of the property. An object whose property
  ///   cannot be written is reported, and not written.
  public func targetChain<Leaf>(
    _ type: Leaf.Type, _ keyPath: String
  ) throws -> WritableKeyPathChain<Self, Leaf> {
    let names = NamedPath(keyPath)
    try names.knownLeaf(from: self)?.requireWritable(as: type)
    return WritableKeyPathChain(try leaf(type, names)) { owner, value in
      _ = NamedPath.property(names.leaf, of: owner) { try $0.set(value, of: owner) }
    }
  }

  /// The leaf of a chain whose properties are looked up in each object.
  private func leaf<Leaf>(_ type: Leaf.Type, _ names: NamedPath) throws -> ChainLeaf<Leaf> {
    let wanted = Optionals.wrapped(in: type)
    _ = try names.knownLeaf(from: self)?.path(to: type, for: wanted)
    var last: ChainHop?
    for (index, (key, next)) in zip(names.hops, names.keys.dropFirst()).enumerated() {
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
  /// The property at the end, if the declared types of the hops determine it. A class without properties
  /// leaves them to its subclasses.
  ///
  /// - Errors: `undefinedKey`, for the first name that the class of the root, or of a hop, does not have.
  fileprivate func knownLeaf(from root: some PropertyObservable) throws -> (any NamedPropertyType)?
  {
    try keys.dropFirst().reduce(type(of: root).property(keys[0])) { hop, key in
      let type = Optionals.innermost(in: hop?.description.valueType ?? Any.self)
      guard let type = type as? any PropertyObservable.Type else { return nil }
      return type.properties.isEmpty ? nil : try type.property(key)
    }
  }

  /// The result of `body` for the property `key` of `owner`. If there is no such property, or
  /// `body` throws, reports the error and returns nil.
  static func property<Result>(
    _ key: String, of owner: AnyObject, _ body: (any NamedPropertyType) throws -> Result?
  ) -> Result? {
    reporting(key, of: owner) { try body(type(of: object(owner, having: key)).property(key)) }
  }

  /// The object in `value`; nil if there is none. An object without a property named `key` is
  /// reported, and the result is nil.
  fileprivate static func next(_ value: Any, having key: String) -> AnyObject? {
    Optionals.innermost(of: value).flatMap { content in
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
