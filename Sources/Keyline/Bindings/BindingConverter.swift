/// How a binding converts the values of one end into the other's.
///
/// ```swift
/// model.bind(\.price, to: form, \.priceText, mode: .twoWay, converter: .decimal)
/// model.bind(\.size, to: form, \.isLarge, converter: .case(.large))
/// let percent = BindingConverter<Double, String>(
///   forward: { "\($0 * 100) %" },
///   backward: { try BindingConverter.decimal.backward(String($0.dropLast(2))).map { $0 / 100 } })
/// ```
///
/// A direction returns the value for the other end, or nil to leave that as it is, or throws an
/// error for ``PropertyBinding/errors``, which leaves the other end as it is, too (B4).
public struct BindingConverter<Source, Target> {
  /// From the source to the target.
  public let forward: (Source) throws -> Target?
  /// From the target to the source.
  public let backward: (Target) throws -> Source?
  /// What graphs and traces call it; empty for nothing.
  @usableFromInline let name: StaticString
  // Made where the types are known: generic code would look up those of optional values.
  @usableFromInline let passForward: BindingConversion<Source, Target>
  @usableFromInline let passBackward: BindingConversion<Target, Source>

  /// The converter from the target to the source. A built-in one then needs its types spelt out:
  /// `BindingConverter<Int, String>.decimal.inverted`.
  public var inverted: BindingConverter<Target, Source> {
    BindingConverter<Target, Source>(forward: backward, backward: forward, name: name)
  }

  /// This converter, and then `next`. Where one returns nil, so does the result.
  public func then<Last>(_ next: BindingConverter<Target, Last>) -> BindingConverter<Source, Last> {
    BindingConverter<Source, Last>(
      forward: { try forward($0).flatMap(next.forward) },
      backward: { try next.backward($0).flatMap(backward) }, name: name)
  }
}

/// Passes on what a value is converted to; false if it is declined.
@usableFromInline typealias BindingConversion<From, To> = (From, (To) -> Void) throws -> Bool

/// Why a value could not be converted.
public enum BindingError: Error, Equatable, Sendable {
  /// `text` does not represent a `type`.
  case notConvertible(text: String, type: String)
  /// The property belongs to an exclusive binding.
  case exclusive(property: String)
}

extension BindingConverter {
  /// - Parameter name: what graphs and traces call it; unless given, the property or function that
  ///   makes it: `decimal`.
  @inlinable public init(
    forward: @escaping (Source) throws -> Target?, backward: @escaping (Target) throws -> Source?,
    name: StaticString = #function
  ) {
    self.forward = forward
    self.backward = backward
    self.name = name
    passForward = { value, body in
      guard let converted = try forward(value) else { return false }
      body(converted)
      return true
    }
    passBackward = { value, body in
      guard let converted = try backward(value) else { return false }
      body(converted)
      return true
    }
  }

  /// A converter of one direction; the other is left alone.
  public init(
    _ forward: @escaping (Source) throws -> Target?, name: StaticString = #function
  ) {
    self.init(forward: forward, backward: { _ in nil }, name: name)
  }

  /// `value`, which has been converted from `text`, or an error if it could not be.
  @usableFromInline static func required(_ value: Source?, of text: Target) throws -> Source {
    guard let value else {
      throw BindingError.notConvertible(text: "\(text)", type: "\(Source.self)")
    }
    return value
  }
}

extension BindingConverter where Source == Target {
  /// Passes values on, both ways.
  public static var identity: Self {
    let pass: BindingConversion<Source, Target> = { value, body in
      body(value)
      return true
    }
    return Self(
      forward: { $0 }, backward: { $0 }, name: "", passForward: pass, passBackward: pass)
  }
}

extension BindingConverter where Source: LosslessStringConvertible, Target == String {
  /// A number, or anything that describes itself without loss, and its text, as the standard
  /// library writes it: `12`, `-0.5`, `1e-07`. Any other text is an error, and so are `nan`, `inf`,
  /// hexadecimal notation, and a number that is too large: nobody means these in a field.
  @inlinable public static var decimal: Self {
    Self(
      forward: { $0.description },
      backward: { try required(isDecimal($0) ? Source($0) : nil, of: $0) })
  }

  /// Whether `text` is no number of a floating-point type, or one in decimal notation and in its range.
  @usableFromInline static func isDecimal(_ text: String) -> Bool {
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
  /// A value and an optional that holds it; nil leaves the value alone.
  @inlinable public static var wrapped: Self { Self(forward: { .some($0) }, backward: { $0 }) }
}

extension BindingConverter where Source == Target? {
  /// An optional and the value in it; nil leaves the value alone.
  @inlinable public static var unwrapped: Self { Self(forward: { $0 }, backward: { .some($0) }) }
}

extension BindingConverter where Source == Target?, Target: Equatable {
  /// An optional and the value in it, with `placeholder` for nil, both ways.
  @inlinable public static func placeholder(_ placeholder: Target) -> Self {
    Self(forward: { $0 ?? placeholder }, backward: { $0 == placeholder ? .some(nil) : .some($0) })
  }
}

extension BindingConverter where Source: RawRepresentable, Target == Source.RawValue {
  /// A value and what represents it; a raw value that represents none is an error.
  @inlinable public static var rawValue: Self {
    Self(forward: { $0.rawValue }, backward: { try required(Source(rawValue: $0), of: $0) })
  }
}

extension BindingConverter where Source: Equatable, Target == Bool {
  /// Whether the value is `value`: for one of several switches that stand for the cases of an
  /// enumeration. Switching on sets it; switching off leaves it alone.
  @inlinable public static func `case`(_ value: Source) -> Self {
    Self(forward: { $0 == value }, backward: { $0 ? value : nil })
  }
}
