/// The errors of the operators themselves.
public enum RxError: Error, Equatable {
  /// An unknown error.
  case unknown
  /// An object was used after its `dispose()`. Any thread may receive the error, so the object is not a part
  /// of it.
  case disposed(identifier: ObjectIdentifier, description: String)
  /// A count exceeded its range.
  case overflow
  /// An index was out of range.
  case argumentOutOfRange
  /// The sequence completed without the element it had to emit.
  case noElements
  /// The sequence emitted more than the one element it may emit.
  case moreThanOneElement
  /// No element was emitted in time.
  case timeout

  /// `object` was used after its `dispose()`.
  public static func disposed(object: AnyObject) -> RxError {
    .disposed(identifier: ObjectIdentifier(object), description: "\(object)")
  }
}

extension RxError: CustomDebugStringConvertible {
  /// A sentence, as in RxSwift.
  public var debugDescription: String {
    switch self {
    case .unknown: "Unknown error occurred."
    case .disposed(_, let description): "Object `\(description)` was already disposed."
    case .overflow: "Arithmetic overflow occurred."
    case .argumentOutOfRange: "Argument out of range."
    case .noElements: "Sequence doesn't contain any elements."
    case .moreThanOneElement: "Sequence contains more than one element."
    case .timeout: "Sequence timeout."
    }
  }
}
