// Key-value coding: a class's table of properties by name, values read and written by name, and the
// paths of names that are observed and bound.

extension PropertyObservable {
  /// The value of the property named `key`; nil if that is nil.
  ///
  /// ```swift
  /// let age = try person.value(forKey: "age") as? Int
  /// ```
  ///
  /// It is the value itself, in its own type; a nested optional is unwrapped once. Read in a
  /// computed property, it is tracked like any read.
  ///
  /// - Errors: `PropertyError.undefinedKey`.
  public func value(forKey key: String) throws -> Any? {
    Optionals.content(of: try property(key).value(of: self))
  }

  /// The value of the property named `key`, of exactly the type it has.
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
  /// - Timing: as any set of the property, for its observers too.
  /// - Errors: `PropertyError.undefinedKey`; `readOnly`; `typeMismatch` if `value` is not of the
  ///   property's type, nor of one that this is an optional of, nor of a subclass: numbers are not
  ///   converted, and nil is for optionals. An exclusive binding of the property refuses the value by
  ///   `BindingError.exclusive`; a rule rejects it by its own error. Nothing is written then.
  public func setValue(_ value: Any?, forKey key: String) throws {
    try property(key).offer(value, to: self)
  }

  /// The value at the end of `keyPath`, names separated by dots; nil if that, or something on the
  /// way, is nil.
  ///
  /// - Errors: `PropertyError.undefinedKey`, of the first object that lacks the property.
  public func value(forKeyPath keyPath: String) throws -> Any? {
    let path = NamedPath(keyPath)
    do {
      return try path.owner(from: self).value(forKey: path.leaf)
    } catch PropertyError.brokenPath {
      return nil
    }
  }

  /// The value at the end of `keyPath`, of exactly the type it has.
  ///
  /// - Errors: `PropertyError.undefinedKey`, `typeMismatch`, and `brokenPath` if something on the
  ///   way is nil.
  public func value<Value>(forKeyPath keyPath: String, as type: Value.Type) throws -> Value {
    let path = NamedPath(keyPath)
    return try path.owner(from: self).value(forKey: path.leaf, as: type)
  }

  /// Sets the property at the end of `keyPath`, names separated by dots.
  ///
  /// - Errors: as `setValue(_:forKey:)`, and `PropertyError.brokenPath` if something on the way is
  ///   nil.
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

/// Names separated by dots.
struct NamedPath {
  let hops: [String]
  let leaf: String

  init(_ keyPath: String) {
    let keys = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    (hops, leaf) = (keys.dropLast(), keys.last ?? "")
  }

  /// The object that should have the leaf.
  ///
  /// - Errors: `undefinedKey` and `brokenPath`.
  func owner(from root: any PropertyObservable) throws -> any PropertyObservable {
    try zip(hops, hops.dropFirst() + [leaf]).reduce(root) { object, keys in
      guard let value = try object.value(forKey: keys.0) else {
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
