import Keyline

/// A virtual time, in ticks of a ``TestScheduler``, under RxTest's name.
public typealias TestTime = Int

/// A value and the virtual time at which it was recorded, in ticks of a ``TestScheduler``.
public struct Recorded<Value> {
  /// The virtual time, in ticks.
  public let time: Int
  /// The value recorded.
  public let value: Value

  /// A value recorded at `time`.
  public init(time: Int, value: Value) {
    self.time = time
    self.value = value
  }
}

extension Recorded: Equatable where Value: Equatable {}
extension Recorded: Sendable where Value: Sendable {}

extension Recorded: CustomDebugStringConvertible {
  /// `next(1) @ 210`.
  public var debugDescription: String { "\(value) @ \(time)" }
}

extension Recorded {
  /// A recorded `next(element)`.
  public static func next<Element>(_ time: Int, _ element: Element) -> Self
  where Value == Event<Element> {
    Recorded(time: time, value: .next(element))
  }

  /// A recorded `completed`.
  public static func completed<Element>(
    _ time: Int, _ type: Element.Type = Element.self
  ) -> Self where Value == Event<Element> {
    Recorded(time: time, value: .completed)
  }

  /// A recorded `error`.
  public static func error<Element>(
    _ time: Int, _ error: any Error, _ type: Element.Type = Element.self
  ) -> Self where Value == Event<Element> {
    Recorded(time: time, value: .error(error))
  }

  /// The events listed, where their type could not be inferred otherwise.
  public static func events<Element>(_ events: Self...) -> [Self] where Value == Event<Element> {
    events
  }

  /// The events listed, in an array.
  public static func events<Element>(_ events: [Self]) -> [Self] where Value == Event<Element> {
    events
  }
}
