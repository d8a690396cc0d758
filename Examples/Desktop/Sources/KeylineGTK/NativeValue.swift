import CGtk
import CKeylineGTK

/// A Swift type for the values of GObject's properties.
public protocol NativeValue: Equatable, Sendable {
  /// The kind of properties that have such values.
  static var kind: KeylineKind { get }
  /// The value that stands for a missing one: empty, zero, nil.
  init()
  /// Reads the value, of the type in which the kind is passed.
  init(_ native: UnsafePointer<GValue>)
  /// Stores the value, in the same type.
  func store(in native: UnsafeMutablePointer<GValue>)
}

extension String: NativeValue {
  public static var kind: KeylineKind { KEYLINE_TEXT }

  public init(_ native: UnsafePointer<GValue>) {
    self = g_value_get_string(native).map { String(cString: $0) } ?? ""
  }

  public func store(in native: UnsafeMutablePointer<GValue>) { g_value_set_string(native, self) }
}

extension Bool: NativeValue {
  public static var kind: KeylineKind { KEYLINE_BOOLEAN }

  public init(_ native: UnsafePointer<GValue>) { self = g_value_get_boolean(native) != 0 }

  public func store(in native: UnsafeMutablePointer<GValue>) {
    g_value_set_boolean(native, self ? 1 : 0)
  }
}

/// Whole numbers of any size, and enumerations.
extension Int: NativeValue {
  public static var kind: KeylineKind { KEYLINE_INTEGER }

  public init(_ native: UnsafePointer<GValue>) { self = Int(clamping: g_value_get_int64(native)) }

  public func store(in native: UnsafeMutablePointer<GValue>) {
    g_value_set_int64(native, gint64(self))
  }
}

/// Positions in a list: nil for none.
extension Optional: NativeValue where Wrapped == Int {
  public static var kind: KeylineKind { KEYLINE_POSITION }

  public init() { self = nil }

  public init(_ native: UnsafePointer<GValue>) {
    self = UInt32(exactly: g_value_get_int64(native)).flatMap { $0 == .max ? nil : Int($0) }
  }

  public func store(in native: UnsafeMutablePointer<GValue>) {
    g_value_set_int64(native, gint64(flatMap { UInt32(exactly: $0) } ?? .max))
  }
}

extension Double: NativeValue {
  public static var kind: KeylineKind { KEYLINE_NUMBER }

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
