// Conformances of the wrappers: a property is coded and described like its value.

extension Observed: Encodable where Value: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

extension Observed: Decodable where Value: Decodable {
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
  }
}

extension KeyedEncodingContainer {
  /// Omits nil, as synthesised code does for plain optional properties.
  public mutating func encode<Value: Encodable>(
    _ property: Observed<Value?>, forKey key: Key
  ) throws { try encodeIfPresent(property.value, forKey: key) }
}

extension KeyedDecodingContainer {
  /// Decodes a missing value as nil, as synthesised code does for plain optional properties.
  public func decode<Value: Decodable>(
    _ type: Observed<Value?>.Type, forKey key: Key
  ) throws -> Observed<Value?> {
    Observed(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
  }
}

extension Observed: CustomReflectable, CustomDebugStringConvertible {
  public var customMirror: Mirror { Mirror(reflecting: value) }
  public var debugDescription: String { String(reflecting: value) }
}

extension WeakObserved: CustomReflectable, CustomDebugStringConvertible {
  public var customMirror: Mirror { Mirror(reflecting: value as Any) }
  public var debugDescription: String { String(reflecting: value) }
}
