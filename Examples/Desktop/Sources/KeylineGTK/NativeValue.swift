import CGtk
import CKeylineGTK

/// A Swift type for the values of GObject's properties.
public protocol NativeValue {
  /// The type in which GObject passes the value.
  static var nativeType: GType { get }
  /// The fundamental types of the properties that have such values.
  static var fundamentals: [GType] { get }
  /// Reads the value, of type `nativeType`.
  init(_ native: UnsafePointer<GValue>)
  /// Stores the value in a value of type `nativeType`.
  func store(in native: UnsafeMutablePointer<GValue>)
}

extension String: NativeValue {
  public static var nativeType: GType { keyline_type_string }
  public static var fundamentals: [GType] { [keyline_type_string] }

  /// Empty if there is none.
  public init(_ native: UnsafePointer<GValue>) {
    self = g_value_get_string(native).map { String(cString: $0) } ?? ""
  }

  public func store(in native: UnsafeMutablePointer<GValue>) { g_value_set_string(native, self) }
}

extension Bool: NativeValue {
  public static var nativeType: GType { keyline_type_boolean }
  public static var fundamentals: [GType] { [keyline_type_boolean] }

  public init(_ native: UnsafePointer<GValue>) { self = g_value_get_boolean(native) != 0 }

  public func store(in native: UnsafeMutablePointer<GValue>) {
    g_value_set_boolean(native, self ? 1 : 0)
  }
}

/// Whole numbers of any size, and enumerations.
extension Int: NativeValue {
  public static var nativeType: GType { keyline_type_int64 }
  public static var fundamentals: [GType] {
    [
      keyline_type_int64, keyline_type_int, keyline_type_uint, keyline_type_long,
      keyline_type_ulong,
      keyline_type_uint64, keyline_type_enum,
    ]
  }

  public init(_ native: UnsafePointer<GValue>) { self = Int(clamping: g_value_get_int64(native)) }

  public func store(in native: UnsafeMutablePointer<GValue>) {
    g_value_set_int64(native, gint64(self))
  }
}

extension Double: NativeValue {
  public static var nativeType: GType { keyline_type_double }
  public static var fundamentals: [GType] { [keyline_type_double, keyline_type_float] }

  public init(_ native: UnsafePointer<GValue>) { self = g_value_get_double(native) }

  public func store(in native: UnsafeMutablePointer<GValue>) { g_value_set_double(native, self) }
}

/// Why a property or signal of a native object cannot be used.
public enum NativeError: Error, Equatable, CustomStringConvertible {
  case unknownProperty(String, of: String)
  case unknownSignal(String, of: String)
  case readOnly(String, of: String)
  case typeMismatch(String, of: String, is: String, requested: String)

  public var description: String {
    switch self {
    case .unknownProperty(let name, let type): "\(type) has no property '\(name)'"
    case .unknownSignal(let name, let type): "\(type) has no signal '\(name)'"
    case .readOnly(let name, let type): "the property '\(name)' of \(type) is read-only"
    case .typeMismatch(let name, let type, let actual, let requested):
      "the property '\(name)' of \(type) is a \(actual), not a \(requested)"
    }
  }
}
