import Keyline

/// Events are equal if their elements are, or if the descriptions of their errors are.
extension Event: Equatable where Element: Equatable {
  public static func == (lhs: Event<Element>, rhs: Event<Element>) -> Bool {
    lhs.element == rhs.element && (!lhs.isStopEvent || "\(lhs)" == "\(rhs)")
  }
}
