// Key-value coding: the properties of a class by name, and reading and writing values by name. Chains of
// names stand among the chains.

extension PropertyObservable {
  /// The value of the property named `key`; nil if the value is nil.
  ///
  /// ```swift
  /// let age = try person.value(forKey: "age") as? Int
  /// ```
  ///
  /// The result has the value's own type; a nested optional is unwrapped once. A read inside a
  /// computed property is recorded like any read.
  ///
  /// - Errors: `PropertyError.undefinedKey`, unless the class overrides
  ///   ``ReactiveBase/value(forUndefinedKey:)``.
  public func value(forKey key: String) throws -> Any? { try named(key).flatMap(Optionals.content) }

  /// The value of the property named `key`, with exactly the property's type.
  ///
  /// - Errors: `PropertyError.undefinedKey`, and `typeMismatch` if the value is of another type.
  public func value<Value>(forKey key: String, as type: Value.Type) throws -> Value {
    try NamedPath.exact(named(key), key, as: type)
  }

  /// Sets the property named `key`.
  ///
  /// - Timing: as for any set of the property, including its delivery to observers.
  /// - Errors: `PropertyError.undefinedKey`; `readOnly`; `typeMismatch` unless `value` has the
  ///   property's type, a subclass of it, or the type that an optional property wraps. Numbers are
  ///   not converted, and nil requires an optional property. If an exclusive binding owns the
  ///   property, the method throws `BindingError.exclusive`; if a rule rejects the value, it throws
  ///   the error of the rule. In all these cases nothing is written. A class may override
  ///   ``ReactiveBase/setValue(_:forUndefinedKey:)`` for other names, and
  ///   ``ReactiveBase/setNilValue(forKey:of:)`` for nil.
  public func setValue(_ value: Any?, forKey key: String) throws {
    guard let property = PropertyTable.of(type(of: self))[key] else {
      guard let base = self as? Keyline.ReactiveBase else { throw undefined(key) }
      return try base.setValue(value, forUndefinedKey: key)
    }
    if value == nil, property.description.isWritable, let base = self as? Keyline.ReactiveBase {
      let type = property.description.valueType
      if Optionals.wrapped(in: type) == type { return try base.setNilValue(forKey: key, of: type) }
    }
    try property.offer(value, to: self)
  }

  /// The value at the end of `keyPath`, names separated by dots; nil if the value, or a property
  /// before it, is nil.
  ///
  /// A name after a collection (an array, a set, an observable collection) gives an array of the values
  /// of its elements, nil for an element without one. The elements of an array of arrays are arrays. The
  /// operators of key-value coding give one value, made from the values of the path behind the operator,
  /// or from the elements themselves if there is no such path:
  ///
  /// ```swift
  /// let names = try team.value(forKeyPath: "members.name", as: [String].self)
  /// let mean = try team.value(forKeyPath: "members.@avg.age", as: Double?.self)
  /// print(names, mean ?? 0)
  /// ```
  /// ```text
  /// ["Ada", "Ada"] 36.0
  /// ```
  ///
  /// | operator | value |
  /// | --- | --- |
  /// | `@count` | the number of elements |
  /// | `@sum` | the sum, in the type of the values: `Int`, `Double`, `Decimal`, `Duration`; 0 of nothing |
  /// | `@avg` | the mean of integers and floating-point numbers, as `Double`; nil of nothing |
  /// | `@min`, `@max` | the least, the greatest; nil of nothing |
  /// | `@distinctUnionOfObjects` | an array of the different values, by `Hashable`, or of the different objects |
  ///
  /// As in key-value coding, `items.count` is the array of the elements' own counts; the number of elements
  /// is `items.@count`. Nil is left out, other than by `@count`. `@sum`, `@min` and `@max` need values of one type, as their
  /// operators in Swift do; an integer sum that overflows traps.
  ///
  /// - Errors: `PropertyError.undefinedKey`, for the first object without the property, and for a
  ///   collection without the operator; `typeMismatch` if the operator does not take such values.
  /// - Complexity: O(elements).
  public func value(forKeyPath keyPath: String) throws -> Any? {
    try NamedPath.content(of: self, at: NamedPath(keyPath).keys[...])
  }

  /// The value at the end of `keyPath`, with exactly the type of the last property or operator.
  ///
  /// - Errors: `PropertyError.undefinedKey`, `typeMismatch`, and `brokenPath` if a property before
  ///   the last one is nil.
  public func value<Value>(forKeyPath keyPath: String, as type: Value.Type) throws -> Value {
    let path = NamedPath(keyPath)
    return try NamedPath.exact(NamedPath.value(of: self, at: path.keys[...]), path.leaf, as: type)
  }

  /// Sets the property at the end of `keyPath`, names separated by dots.
  ///
  /// - Errors: as for `setValue(_:forKey:)`, and `PropertyError.brokenPath` if a property before
  ///   the last one is nil.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) throws {
    let path = NamedPath(keyPath)
    guard let owner = try NamedPath.value(of: self, at: path.hops).flatMap(Optionals.innermost)
    else { throw PropertyError.brokenPath(key: path.hops.last ?? "") }
    try NamedPath.object(owner, having: path.leaf).setValue(value, forKey: path.leaf)
  }

  static func property(_ key: String) throws -> any NamedPropertyType {
    if let property = PropertyTable.of(self)[key] { return property }
    throw PropertyError.undefinedKey(type: "\(self)", key: key)
  }

  /// The value named `key`, in its own type: of a property, or the answer of the base class.
  func named(_ key: String) throws -> Any? {
    if let property = PropertyTable.of(type(of: self))[key] { return property.value(of: self) }
    guard let base = self as? Keyline.ReactiveBase else { throw undefined(key) }
    return try base.value(forUndefinedKey: key)
  }
}

/// A path of names separated by dots.
struct NamedPath {
  let keys: [String]

  init(_ keyPath: String) {
    keys = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  /// All names but the last.
  var hops: ArraySlice<String> { keys.dropLast() }
  /// The last name; there is always one.
  var leaf: String { keys[keys.count - 1] }

  /// The value that `keys` lead to from `root`, in its own type.
  ///
  /// One name is applied after the other. A collection applies a name to each element, and an operator to
  /// all of them, with the names behind it.
  ///
  /// - Parameter hop: the name that led to `root`.
  /// - Errors: `undefinedKey`; `typeMismatch` of an operator; `brokenPath` if there is a name left to apply
  ///   to nil.
  static func value(of root: Any?, at keys: ArraySlice<String>, _ hop: String = "") throws -> Any? {
    guard let key = keys.first else { return root }
    guard let value = root.flatMap(Optionals.innermost) else {
      throw PropertyError.brokenPath(key: hop)
    }
    let rest = keys.dropFirst()
    guard property(key, in: type(of: value)) == nil, !(value is any StringProtocol),
      let elements = value as? any Collection
    else { return try Self.value(of: object(value, having: key).named(key), at: rest, key) }
    if key.first == "@" { return try aggregate(key, of: elements, at: rest) }
    return try Self.value(of: elements.map { try content(of: $0, at: [key]) }, at: rest, key)
  }

  /// The value that `keys` lead to from `value`; nil if it, or a value before it, is nil.
  static func content(of value: Any, at keys: ArraySlice<String>) throws -> Any? {
    do {
      return try Self.value(of: value, at: keys).flatMap(Optionals.content)
    } catch PropertyError.brokenPath { return nil }
  }

  /// The value of the operator `name` for the values that `keys` lead to from `elements`, without nil.
  private static func aggregate<Elements: Collection>(
    _ name: String, of elements: Elements, at keys: ArraySlice<String>
  ) throws -> Any? {
    if name == "@count" { return elements.count }
    let key = keys.last ?? name
    let values = try elements.compactMap {
      try content(of: $0, at: keys).flatMap(Optionals.innermost)
    }
    func sum<Value: AdditiveArithmetic>(_ first: Value) throws -> Any {
      try values.reduce(Value.zero) { try $0 + exact($1, key, as: Value.self) }
    }
    func extreme<Value: Comparable>(_ first: Value) throws -> Any? {
      let all = try values.map { try exact($0, key, as: Value.self) }
      return name == "@min" ? all.min() : all.max()
    }
    switch name {
    case "@sum":
      // Without values, the declared type determines the zero.
      let type = keys.reduce(Elements.Element.self) { property($1, in: $0)?.description.valueType }
      let zero = (type.map(Optionals.innermost) as? any AdditiveArithmetic.Type)?.zero ?? 0
      return try sum(exact(values.first ?? zero, key, as: (any AdditiveArithmetic).self))
    case "@avg":
      let numbers = try values.map {
        try ($0 as? any BinaryInteger).map { Double($0) }
          ?? Double(exact($0, key, as: (any BinaryFloatingPoint).self))
      }
      return numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count)
    case "@min", "@max":
      return try values.first.flatMap { try extreme(exact($0, key, as: (any Comparable).self)) }
    case "@distinctUnionOfObjects":
      var known: Set<AnyHashable> = []
      return try values.filter {
        let id =
          try $0 as? AnyHashable ?? .init(ObjectIdentifier(exact($0, key, as: AnyObject.self)))
        return known.insert(id).inserted
      }
    default: throw PropertyError.undefinedKey(type: "\(Elements.self)", key: name)
    }
  }

  /// `value`, which the name `key` has led to, as a value of `type`.
  static func exact<Value>(_ value: Any?, _ key: String, as type: Value.Type) throws -> Value {
    if let exact = Optionals.value(value, as: type) { return exact }
    let found = Swift.type(of: value ?? Any?.none as Any)
    throw PropertyError.typeMismatch(key: key, expected: "\(found)", actual: "\(type)")
  }

  /// The property `key` of objects of `type`, or of an optional of it, if that is a class with such a
  /// property.
  static func property(_ key: String, in type: Any.Type?) -> (any NamedPropertyType)? {
    try? (type.map(Optionals.innermost) as? any PropertyObservable.Type)?.property(key)
  }

  /// `value` as an object that may have a property named `key`.
  static func object(_ value: Any, having key: String) throws -> any PropertyObservable {
    if let object = value as? any PropertyObservable { return object }
    throw PropertyError.undefinedKey(type: "\(type(of: value))", key: key)
  }
}
