/// What operators themselves fail with.
public enum RxError: Error, @unchecked Sendable {
  // Proof of @unchecked: the one payload that need not be `Sendable` is there to be named only.
  /// Nobody knows why.
  case unknown
  /// `object` was used after it had been disposed.
  case disposed(object: AnyObject)
  /// A number was too large.
  case overflow
  /// There is no element at that index.
  case argumentOutOfRange
  /// A sequence without elements, where there must be one.
  case noElements
  /// A sequence of several elements, where there must be no more than one.
  case moreThanOneElement
  /// A sequence was silent for too long.
  case timeout
}

extension RxError: CustomDebugStringConvertible {
  public var debugDescription: String {
    switch self {
    case .unknown: "Unknown error occurred."
    case .disposed(let object): "Object `\(object)` was already disposed."
    case .overflow: "Arithmetic overflow occurred."
    case .argumentOutOfRange: "Argument out of range."
    case .noElements: "Sequence doesn't contain any elements."
    case .moreThanOneElement: "Sequence contains more than one element."
    case .timeout: "Sequence timeout."
    }
  }
}
