/// What goes wrong in the operators themselves.
public enum RxError: Error, @unchecked Sendable {
  // Proof of @unchecked: the one payload that need not be `Sendable` is there to be named only.
  /// Nobody knows what.
  case unknown
  /// `object` was used after its `dispose()`.
  case disposed(object: AnyObject)
  /// A count got too large.
  case overflow
  /// An index was outside of what exists.
  case argumentOutOfRange
  /// An element was needed, and there was none.
  case noElements
  /// One element was needed, and there were more.
  case moreThanOneElement
  /// Nothing came in time.
  case timeout
}

extension RxError: Equatable {
  public static func == (first: RxError, second: RxError) -> Bool {
    switch (first, second) {
    case (.disposed(let first), .disposed(let second)): first === second
    // The others have nothing but their names.
    default: "\(first)" == "\(second)"
    }
  }
}
