import Keyline

/// Events are equal if their elements are, or if their errors read alike.
extension Event: Equatable where Element: Equatable {
  public static func == (lhs: Event<Element>, rhs: Event<Element>) -> Bool {
    switch (lhs, rhs) {
    case (.next(let lhs), .next(let rhs)): lhs == rhs
    case (.error(let lhs), .error(let rhs)): "\(lhs)" == "\(rhs)"
    case (.completed, .completed): true
    default: false
    }
  }
}
