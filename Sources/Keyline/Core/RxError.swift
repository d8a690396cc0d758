/// What goes wrong in the operators themselves.
public enum RxError: Error, Equatable {
  /// Nobody knows.
  case unknown
  /// Something was used after its `dispose()`; the name of its type.
  case disposed(object: String)
  /// A count got too large.
  case overflow
  /// An argument was outside of what exists.
  case argumentOutOfRange
  /// An element was needed, and there was none.
  case noElements
  /// One element was needed, and there were more.
  case moreThanOneElement
  /// Nothing came in time.
  case timeout
}
