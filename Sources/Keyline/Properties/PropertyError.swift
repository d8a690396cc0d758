/// Why a property could not be read, written or observed by name.
public enum PropertyError: Error, Equatable, Sendable {
  /// Objects of the class named `type` have no property named `key`.
  case undefinedKey(type: String, key: String)
  /// The property named `key` has the type `expected`; the value given, or the type requested, is
  /// `actual`.
  case typeMismatch(key: String, expected: String, actual: String)
  /// The property named `key` cannot be written.
  case readOnly(key: String)
  /// The property named `key`, before the last one of the path, is nil.
  case brokenPath(key: String)
}

extension PropertyError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .undefinedKey(let type, "count"): "\(type) has no property count; a collection has @count"
    case .undefinedKey(let type, let key): "\(type) has no property \(key)"
    case .typeMismatch(let key, let expected, let actual):
      "\(key) is of type \(expected), not \(actual)"
    case .readOnly(let key): "\(key) cannot be written"
    case .brokenPath(let key): "\(key), on the way, is nil"
    }
  }
}
