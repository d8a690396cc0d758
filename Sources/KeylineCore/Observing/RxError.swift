/// The errors of the operators themselves.
public enum RxError: Error, @unchecked Sendable {
  // Proof of @unchecked: the one payload that need not be `Sendable` is never accessed, only
  // described.
  /// An unknown error.
  case unknown
  /// `object` was used after its `dispose()`.
  case disposed(object: AnyObject)
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
}

extension RxError: CustomDebugStringConvertible {
  /// A sentence, as in RxSwift.
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

extension RxError: Equatable {
  public static func == (first: RxError, second: RxError) -> Bool {
    switch (first, second) {
    case (.disposed(let first), .disposed(let second)): first === second
    // The others have no payload: their descriptions identify them.
    default: "\(first)" == "\(second)"
    }
  }
}
