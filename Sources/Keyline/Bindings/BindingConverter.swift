/// Converts the values of each end of a binding into values of the other end.
///
/// ```swift
/// model.bind(\.price, to: form, \.priceText, mode: .twoWay, converter: .decimal)
/// model.bind(\.size, to: form, \.isLarge, converter: .case(.large))
/// let percent = BindingConverter<Double, String>(
///   forward: { "\($0 * 100) %" },
///   backward: { try BindingConverter.decimal.backward(String($0.dropLast(2))).map { $0 / 100 } })
/// ```
///
/// Each direction returns the value for the other end, or nil to leave the other end unchanged. It
/// may throw an error, which arrives on ``PropertyBinding/errors`` and also leaves the other end
/// unchanged (B4).
public struct BindingConverter<Source, Target> {
  /// From the source to the target.
  public let forward: (Source) throws -> Target?
  /// From the target to the source.
  public let backward: (Target) throws -> Source?
  /// The name in graphs and traces; empty for no name.
  @usableFromInline let name: StaticString
  // Made in the client, where the types are known: generic code would look up the types of optional
  // values.
  @usableFromInline let passForward: BindingConversion<Source, Target>
  @usableFromInline let passBackward: BindingConversion<Target, Source>

  /// The converter from the target to the source. To invert a built-in converter, write its types
  /// out: `BindingConverter<Int, String>.decimal.inverted`.
  public var inverted: BindingConverter<Target, Source> {
    BindingConverter<Target, Source>(forward: backward, backward: forward, name: name)
  }

  /// Applies this converter, and then `next`. If one of them returns nil, the result is nil.
  public func then<Last>(_ next: BindingConverter<Target, Last>) -> BindingConverter<Source, Last> {
    BindingConverter<Source, Last>(
      forward: { try forward($0).flatMap(next.forward) },
      backward: { try next.backward($0).flatMap(backward) }, name: name)
  }
}

/// Passes the converted value on; returns false if the converter declines to convert it.
@usableFromInline typealias BindingConversion<From, To> = (From, (To) -> Void) throws -> Bool

/// Why a value could not be converted.
public enum BindingError: Error, Equatable, Sendable {
  /// A text that begins with `text` (its first 200 characters) does not represent a `type`.
  case notConvertible(text: String, type: String)
  /// The property belongs to an exclusive binding.
  case exclusive(property: String)
}

extension BindingConverter {
  /// - Parameter name: the name in graphs and traces; by default the property or function that
  ///   makes the converter: `decimal`.
  @inlinable public init(
    forward: @escaping (Source) throws -> Target?, backward: @escaping (Target) throws -> Source?,
    name: StaticString = #function
  ) {
    self.forward = forward
    self.backward = backward
    self.name = name
    passForward = Self.passing(forward)
    passBackward = Self.passing(backward)
  }

  @inlinable static func passing<From, To>(
    _ convert: @escaping (From) throws -> To?
  ) -> BindingConversion<From, To> {
    { value, body in
      guard let converted = try convert(value) else { return false }
      body(converted)
      return true
    }
  }

  /// A one-way converter. A change of the target leaves the source unchanged.
  public init(_ forward: @escaping (Source) throws -> Target?, name: StaticString = #function) {
    self.init(forward: forward, backward: { _ in nil }, name: name)
  }

  /// Returns `value`, the result of converting `text`; throws if it is nil.
  @usableFromInline package static func required(_ value: Source?, of text: Target) throws -> Source
  {
    if let value { return value }
    throw BindingError.notConvertible(text: String("\(text)".prefix(200)), type: "\(Source.self)")
  }
}

extension BindingConverter where Source == Target {
  /// Passes values on unchanged, in both directions.
  @inlinable public static var identity: Self { Self(forward: { $0 }, backward: { $0 }, name: "") }
}

extension BindingConverter where Source: LosslessStringConvertible, Target == String {
  /// Converts between text and a number, or any type with a lossless description. The text has the
  /// form that the standard library reads: `12`, `-0.5`, `1e-07`, also `+5`, `007` and, for fractions,
  /// `1.` and `.5`; a fraction with more digits than the type holds is rounded. Any other text is an
  /// error: with space, `nan`, `inf`, in hexadecimal notation, or a number that is too large, because
  /// users do not enter these in a field on purpose.
  @inlinable public static var decimal: Self {
    Self(
      forward: { $0.description },
      backward: { try required(isDecimal($0) ? Source($0) : nil, of: $0) })
  }

  /// Whether `text` may be converted: a floating-point type needs a decimal number in its range, and a
  /// character traps for any other text than one character.
  @usableFromInline static func isDecimal(_ text: String) -> Bool {
    if Source.self == Character.self { return text.count == 1 }
    guard Source.self is any BinaryFloatingPoint.Type else { return true }
    return text.allSatisfy { "0123456789+-.eE".contains($0) }
      && (Source(text) as? any BinaryFloatingPoint)?.isFinite == true
  }
}

extension BindingConverter where Source == Bool, Target == Bool {
  /// The logical negation.
  @inlinable public static var negated: Self { Self(forward: { !$0 }, backward: { !$0 }) }
}

extension BindingConverter where Target == Source? {
  /// Converts a value into an optional that holds it; nil leaves the value unchanged.
  @inlinable public static var wrapped: Self { Self(forward: { .some($0) }, backward: { $0 }) }
}

extension BindingConverter where Source == Target? {
  /// Converts an optional into the value it holds; nil leaves the value unchanged.
  @inlinable public static var unwrapped: Self { Self(forward: { $0 }, backward: { .some($0) }) }
}

extension BindingConverter where Source == Target?, Target: Equatable {
  /// Converts an optional into the value it holds; `placeholder` stands for nil, in both
  /// directions.
  @inlinable public static func placeholder(_ placeholder: Target) -> Self {
    Self(forward: { $0 ?? placeholder }, backward: { $0 == placeholder ? .some(nil) : .some($0) })
  }
}

extension BindingConverter where Target == String {
  /// Converts nil to empty text, and empty text to nil; otherwise the same as `converter`:
  /// `.optional(.decimal)`.
  @inlinable public static func optional<Wrapped>(
    _ converter: BindingConverter<Wrapped, String>
  ) -> Self where Source == Wrapped? {
    Self(
      forward: { try $0.map { try converter.forward($0) } ?? "" },
      backward: { try $0.isEmpty ? .some(nil) : converter.backward($0).map { .some($0) } })
  }
}

extension BindingConverter where Source: RawRepresentable, Target == Source.RawValue {
  /// Converts between a value and its raw value; a raw value without a corresponding value is an
  /// error.
  @inlinable public static var rawValue: Self {
    Self(forward: { $0.rawValue }, backward: { try required(Source(rawValue: $0), of: $0) })
  }
}

extension BindingConverter where Source: Equatable, Target == Bool {
  /// Whether the property has the value `value`: for one of several switches, each of which stands
  /// for a case of an enumeration. Turning the switch on sets the property to `value`; turning it
  /// off leaves the property unchanged.
  @inlinable public static func `case`(_ value: Source) -> Self {
    Self(forward: { $0 == value }, backward: { $0 ? value : nil })
  }
}
