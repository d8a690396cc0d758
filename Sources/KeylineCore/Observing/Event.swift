/// One message of a sequence: `next* (error | completed)?`.
///
/// Events exist at the public edge (`subscribe { event in }`, `on(_:)`); between operators an
/// element and a termination travel as two different calls.
@frozen public enum Event<Element> {
  /// The next element.
  case next(Element)
  /// The sequence failed and has ended.
  case error(any Error)
  /// The sequence has ended.
  case completed

  /// The element, if this is a `next`.
  public var element: Element? { if case .next(let element) = self { element } else { nil } }

  /// The error, if this is an `error`.
  public var error: (any Error)? { if case .error(let error) = self { error } else { nil } }

  /// Whether this is `completed`.
  public var isCompleted: Bool {
    if case .completed = self { true } else { false }
  }

  /// Whether nothing follows this event: an `error` or `completed`.
  public var isStopEvent: Bool {
    if case .next = self { false } else { true }
  }

  /// The same event with its element transformed; an error thrown becomes an `error`.
  public func map<Result>(_ transform: (Element) throws -> Result) -> Event<Result> {
    guard case .next(let element) = self else { return Event<Result>(termination: error) }
    do { return .next(try transform(element)) } catch { return .error(error) }
  }

  /// The stop event of a termination: an `error`, or `completed` for nil.
  @inlinable init(termination error: (any Error)?) {
    self = error.map(Event.error) ?? .completed
  }
}

extension Event: Sendable where Element: Sendable {}

extension Event: CustomDebugStringConvertible {
  /// `next(1)`, `error(…)` or `completed`.
  public var debugDescription: String {
    switch self {
    case .next(let element): "next(\(element))"
    case .error(let error): "error(\(error))"
    case .completed: "completed"
    }
  }
}
