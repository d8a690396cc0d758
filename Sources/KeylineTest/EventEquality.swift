import Keyline

/// Events are equal if their elements are, or if the descriptions of their errors are.
extension Event: Equatable where Element: Equatable {
  public static func == (lhs: Event<Element>, rhs: Event<Element>) -> Bool {
    lhs.element == rhs.element && (!lhs.isStopEvent || "\(lhs)" == "\(rhs)")
  }
}

/// Compares events as `Event` does.
extension MaybeEvent: Equatable where Element: Equatable {
  public static func == (lhs: MaybeEvent<Element>, rhs: MaybeEvent<Element>) -> Bool {
    if case (.success(let lhs), .success(let rhs)) = (lhs, rhs) { return lhs == rhs }
    return "\(lhs)" == "\(rhs)"
  }
}

/// Compares events as `Event` does.
extension CompletableEvent: Equatable {
  public static func == (lhs: CompletableEvent, rhs: CompletableEvent) -> Bool {
    "\(lhs)" == "\(rhs)"
  }
}

extension Result where Success: Equatable, Failure == any Error {
  /// Whether two events of singles are equal; compares them as `Event` does. `Result` already conforms
  /// to `Equatable` where its error does, and so cannot conform here.
  public static func == (lhs: SingleEvent<Success>, rhs: SingleEvent<Success>) -> Bool {
    if case (.success(let lhs), .success(let rhs)) = (lhs, rhs) { return lhs == rhs }
    return "\(lhs)" == "\(rhs)"
  }

  /// Whether two events of singles differ.
  public static func != (lhs: SingleEvent<Success>, rhs: SingleEvent<Success>) -> Bool {
    !(lhs == rhs)
  }
}
