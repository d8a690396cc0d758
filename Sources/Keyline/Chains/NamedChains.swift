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
    try Swift.type(of: self).property(key).values(of: self, as: type, options)
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
  /// A path with an operator, as `team.members.@count`, has the value of `value(forKeyPath:)`, and follows
  /// everything that the value is made from; it is evaluated in O(elements). The call throws the error of
  /// `value(forKeyPath:)`, if there is one. A later error is reported, and nil is emitted for each change
  /// that ends with one.
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

  /// A chain of names, separated by dots, for bindings:
  ///
  /// ```swift
  /// let city = try person.chain(String.self, "address.city")
  /// person.bind({ _ in city }, to: row, \.text)
  /// ```
  ///
  /// - Errors: as for `observeWeakly(_:_:options:)`. A leaf that the binding writes must have
  ///   exactly this type. For a path with an operator, `type` must be an optional: `Int?.self`.
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
    let known = try names.knownLeaf(from: self)
    if let known, type != known.description.valueType { throw known.mismatch(type) }
    if known?.description.isWritable == false { throw PropertyError.readOnly(key: names.leaf) }
    return WritableKeyPathChain(try leaf(type, names)) { owner, value in
      _ = NamedPath.property(names.leaf, of: owner) { try $0.set(value, of: owner) }
    }
  }

  /// The leaf of a chain whose properties are looked up in each object.
  func leaf<Leaf>(_ type: Leaf.Type, _ names: NamedPath) throws -> ChainLeaf<Leaf> {
    let wanted = Optionals.wrapped(in: type)
    _ = try names.knownLeaf(from: self)?.reader(as: type, for: wanted)
    let isAggregate = names.keys.contains { $0.first == "@" }
    // On a path with an operator, only the names before the collection are hops.
    var hop: Any.Type? = Self.self
    let hops = names.hops.prefix { key in
      guard isAggregate else { return true }
      hop = NamedPath.property(key, in: hop)?.description.valueType
      let end = hop.map(Optionals.innermost)
      return end is any PropertyObservable.Type && !(end is any Collection.Type)
    }
    var last: ChainLeaf<AnyObject>?
    for (index, (key, next)) in zip(hops, names.keys.dropFirst()).enumerated() {
      last = ChainLeaf(named: key, after: last, index: index) { property in
        { owner in
          Optionals.innermost(of: property.value(of: owner)).flatMap { content in
            NamedPath.reporting(next, of: content) { try NamedPath.object(content, having: next) }
          }
        }
      }
    }
    if isAggregate {
      guard let none = Optionals.value(nil, as: type) else {
        throw PropertyError.typeMismatch(
          key: names.leaf, expected: "\(type)?", actual: "\(type)")
      }
      let read = { (root: Any, start: Int) in
        try NamedPath.exact(
          NamedPath.content(of: root, at: names.keys[start...]), names.leaf, as: type)
      }
      _ = try untracked { try read(self, 0) }
      return ChainLeaf(after: last, root: Self.self, { $0 }) { owner, _ in
        NamedPath.reporting(names.leaf, of: owner) { try read(owner, hops.count) } ?? none
      }
    }
    return ChainLeaf(named: names.leaf, after: last, index: names.hops.count) { property in
      try property.reader(as: type, for: wanted)
    }
  }
}

extension NamedPath {
  /// The property at the end, if the declared types of the hops determine it. A class without properties
  /// leaves them to its subclasses; an observable collection has none.
  ///
  /// - Errors: `undefinedKey`, for the first name that the class of the root, or of a hop, does not have.
  func knownLeaf(from root: some PropertyObservable) throws -> (any NamedPropertyType)? {
    try keys.dropFirst().reduce(type(of: root).property(keys[0])) { hop, key in
      let type = Optionals.innermost(in: hop?.description.valueType ?? Any.self)
      guard let type = type as? any PropertyObservable.Type, key.first != "@" else { return nil }
      let isOpen = type.properties.isEmpty && !(type is any Collection.Type)
      return isOpen ? nil : try type.property(key)
    }
  }

  /// The result of `body` for the property `key` of `owner`. If there is no such property, or
  /// `body` throws, reports the error and returns nil.
  static func property<Result>(
    _ key: String, of owner: AnyObject, _ body: (any NamedPropertyType) throws -> Result?
  ) -> Result? {
    reporting(key, of: owner) { try body(type(of: object(owner, having: key)).property(key)) }
  }

  fileprivate static func reporting<Result>(
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
