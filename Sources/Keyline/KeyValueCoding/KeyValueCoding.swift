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
  /// - Errors: `PropertyError.undefinedKey`.
  public func value(forKey key: String) throws -> Any? {
    Optionals.content(of: try property(key).value(of: self))
  }

  /// The value of the property named `key`, with exactly the property's type.
  ///
  /// - Errors: `PropertyError.undefinedKey`, and `typeMismatch` if the value is of another type.
  public func value<Value>(forKey key: String, as type: Value.Type) throws -> Value {
    let property = try property(key)
    guard let exact = Optionals.value(property.value(of: self), as: type) else {
      throw property.mismatch(type)
    }
    return exact
  }

  /// Sets the property named `key`.
  ///
  /// - Timing: as for any set of the property, including its delivery to observers.
  /// - Errors: `PropertyError.undefinedKey`; `readOnly`; `typeMismatch` unless `value` has the
  ///   property's type, a subclass of it, or the type that an optional property wraps. Numbers are
  ///   not converted, and nil requires an optional property. If an exclusive binding owns the
  ///   property, the method throws `BindingError.exclusive`; if a rule rejects the value, it throws
  ///   the error of the rule. In all these cases nothing is written.
  public func setValue(_ value: Any?, forKey key: String) throws {
    try property(key).offer(value, to: self)
  }

  /// The value at the end of `keyPath`, names separated by dots; nil if the value, or a property
  /// before it, is nil.
  ///
  /// - Errors: `PropertyError.undefinedKey`, for the first object without the property.
  public func value(forKeyPath keyPath: String) throws -> Any? {
    let path = NamedPath(keyPath)
    do {
      return try path.owner(from: self).value(forKey: path.leaf)
    } catch PropertyError.brokenPath {
      return nil
    }
  }

  /// The value at the end of `keyPath`, with exactly the type of the last property.
  ///
  /// - Errors: `PropertyError.undefinedKey`, `typeMismatch`, and `brokenPath` if a property before
  ///   the last one is nil.
  public func value<Value>(forKeyPath keyPath: String, as type: Value.Type) throws -> Value {
    let path = NamedPath(keyPath)
    return try path.owner(from: self).value(forKey: path.leaf, as: type)
  }

  /// Sets the property at the end of `keyPath`, names separated by dots.
  ///
  /// - Errors: as for `setValue(_:forKey:)`, and `PropertyError.brokenPath` if a property before
  ///   the last one is nil.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) throws {
    let path = NamedPath(keyPath)
    try path.owner(from: self).setValue(value, forKey: path.leaf)
  }

  func property(_ key: String) throws -> any NamedPropertyType {
    guard let property = PropertyTable.of(type(of: self))[key] else {
      throw PropertyError.undefinedKey(type: "\(type(of: self))", key: key)
    }
    return property
  }
}

/// A path of names separated by dots.
struct NamedPath {
  let hops: [String]
  let leaf: String

  init(_ keyPath: String) {
    let keys = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    (hops, leaf) = (keys.dropLast(), keys.last ?? "")
  }

  /// The object at the end of the hops, which should have the leaf.
  ///
  /// - Errors: `undefinedKey` and `brokenPath`.
  func owner(from root: any PropertyObservable) throws -> any PropertyObservable {
    try zip(hops, hops.dropFirst() + [leaf]).reduce(root) { object, keys in
      guard let value = try Optionals.innermost(of: object.property(keys.0).value(of: object))
      else {
        throw PropertyError.brokenPath(key: keys.0)
      }
      return try Self.object(value, having: keys.1)
    }
  }

  /// `value` as an object that may have a property named `key`.
  static func object(_ value: Any, having key: String) throws -> any PropertyObservable {
    if let object = value as? any PropertyObservable { return object }
    throw PropertyError.undefinedKey(type: "\(type(of: value))", key: key)
  }
}
