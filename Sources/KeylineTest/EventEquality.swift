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
    switch (lhs, rhs) {
    case (.success(let lhs), .success(let rhs)): lhs == rhs
    case (.error(let lhs), .error(let rhs)): "\(lhs)" == "\(rhs)"
    case (.completed, .completed): true
    default: false
    }
  }
}

/// Compares events as `Event` does.
extension CompletableEvent: Equatable {
  public static func == (lhs: CompletableEvent, rhs: CompletableEvent) -> Bool {
    switch (lhs, rhs) {
    case (.error(let lhs), .error(let rhs)): "\(lhs)" == "\(rhs)"
    case (.completed, .completed): true
    default: false
    }
  }
}

extension Result where Success: Equatable, Failure == any Error {
  /// Whether two events of singles are equal; compares them as `Event` does. `Result` already conforms
  /// to `Equatable` where its error does, and so cannot conform here.
  public static func == (lhs: SingleEvent<Success>, rhs: SingleEvent<Success>) -> Bool {
    switch (lhs, rhs) {
    case (.success(let lhs), .success(let rhs)): lhs == rhs
    case (.failure(let lhs), .failure(let rhs)): "\(lhs)" == "\(rhs)"
    default: false
    }
  }

  /// Whether two events of singles differ.
  public static func != (lhs: SingleEvent<Success>, rhs: SingleEvent<Success>) -> Bool {
    !(lhs == rhs)
  }
}
