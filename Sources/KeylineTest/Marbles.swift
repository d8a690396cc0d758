import Keyline

/// Draws recorded events as text, and parses such diagrams, by one legend.
///
/// ```swift
/// let marbles = Marbles<Int>()
/// let source = try scheduler.createHotObservable("--1--2----|", marbles)
/// let result = scheduler.start { source.map { $0 * 2 } }
/// print(try marbles.mismatch(result.events, "--2--4----|") == nil)
/// ```
/// ```text
/// true
/// ```
///
/// Every character takes one step of time; an event stands at its time:
///
///     -        nothing              (ab|)   several events, all at the time of the parenthesis
///     a        an element           'name'  an element of more than one character
///     |        completion           <215>   no time of its own: continues at tick 215
///     #        the legend's error   space   nothing, and no time
///
/// A diagram is exact: parsed again, it yields the same events. Exceptions are errors and elements
/// that the legend lacks, and elements with an apostrophe in their name.
public struct Marbles<Element: Equatable> {
  /// The tick of the first character.
  public let start: Int
  /// How many ticks a character takes, at least 1.
  public let step: Int
  /// The error of `#`.
  public let error: any Error
  private let elements: [String: Element]
  private var element: (String) -> Element?

  /// A legend that maps names to elements.
  ///
  /// - Parameters:
  ///   - elements: the elements by name.
  ///   - start: the tick of the first character; the tick of subscription unless given.
  ///   - step: how many ticks a character takes.
  ///   - error: the error of `#`.
  public init(
    _ elements: [String: Element], from start: Int = TestScheduler.Defaults.subscribed,
    step: Int = 10, error: any Error = MarbleError.failure
  ) {
    self.elements = elements
    self.start = start
    self.step = max(1, step)
    self.error = error
    element = { elements[$0] }
  }

  /// The events of `diagram`.
  ///
  /// - Parameter origin: the tick of the first character; ``start`` unless given.
  public func events(
    _ diagram: String, from origin: Int? = nil
  ) throws(MarbleError) -> [Recorded<Event<Element>>] {
    var events: [Recorded<Event<Element>>] = []
    var time = origin ?? start
    var group: Int?
    func add(_ event: Event<Element>) { events.append(Recorded(time: group ?? time, value: event)) }
    for (symbol, name, tick) in diagram.matches(of: /'([^']*)'|<([^>]*)>|\S/).map(\.output) {
      switch symbol {
      case "-": break
      case "|": add(.completed)
      case "#": add(.error(error))
      case "(" where group == nil: group = time
      case ")" where group != nil: group = nil
      case "(", ")", "<", "'": throw .unbalanced(diagram)
      default:
        if let tick {
          guard let tick = Int(tick) else { throw .notATick(String(tick)) }
          time = tick - symbol.count * step
        } else {
          let name = String(name ?? symbol)
          guard let element = element(name) else { throw .unknownElement(name) }
          add(.next(element))
        }
      }
      time += symbol.count * step
    }
    if group != nil { throw .unbalanced(diagram) }
    if events.dropLast().contains(where: \.value.isStopEvent) { throw .afterTermination(diagram) }
    return events
  }

  /// `events` as text, the first character at ``start``.
  public func diagram(_ events: [Recorded<Event<Element>>]) -> String {
    var text = ""
    var time = start
    var rest = events[...]
    while let first = rest.first {
      let batch = rest.prefix { $0.time == first.time }
      rest = rest.dropFirst(batch.count)
      let (steps, remainder) = (first.time - time).quotientAndRemainder(dividingBy: step)
      // A long wait is abbreviated.
      let isNear = remainder == 0 && (0...40).contains(steps)
      text += isNear ? String(repeating: "-", count: steps) : "<\(first.time)>"
      let symbols = batch.map { symbol($0.value) }.joined()
      let drawn = batch.count == 1 ? symbols : "(\(symbols))"
      text += drawn
      time = first.time + drawn.count * step
    }
    return text
  }

  private func symbol(_ event: Event<Element>) -> String {
    switch event {
    case .completed: return "|"
    case .error: return "#"
    case .next(let element):
      let name = elements.filter { $0.value == element }.keys.min() ?? "\(element)"
      let isPlain = name.count == 1 && !"-|#()<>' ".contains(name)
      return isPlain ? name : "'\(name)'"
    }
  }

  /// A message if `events` differ from the events of `diagram`; nil if they are equal.
  ///
  /// Both are drawn, one below the other; events whose diagrams are equal are described instead.
  public func mismatch(
    _ events: [Recorded<Event<Element>>], _ diagram: String
  ) throws(MarbleError) -> String? {
    let expected = try self.events(diagram)
    guard events != expected else { return nil }
    let (wanted, actual) = (self.diagram(expected), self.diagram(events))
    return wanted == actual
      ? "expected \(expected)\nbut got  \(events)" : "expected \(wanted)\nbut got  \(actual)"
  }
}

extension Marbles where Element: LosslessStringConvertible {
  /// A legend in which every element is written as its description.
  ///
  /// - Parameters:
  ///   - start: the tick of the first character; the tick of subscription unless given.
  ///   - step: how many ticks a character takes.
  ///   - error: the error of `#`.
  public init(
    from start: Int = TestScheduler.Defaults.subscribed, step: Int = 10,
    error: any Error = MarbleError.failure
  ) {
    self.init([:], from: start, step: step, error: error)
    element = { Element($0) }
  }
}

/// The errors of diagrams, and the default error of `#`.
public enum MarbleError: Error, Equatable {
  /// The error of `#` unless the legend has another.
  case failure
  /// The legend has no such element.
  case unknownElement(String)
  /// A parenthesis, quotation mark or angle bracket is not closed or not opened.
  case unbalanced(String)
  /// The text in angle brackets is not a number.
  case notATick(String)
  /// An event stands after the completion, or after the error.
  case afterTermination(String)
}

extension TestScheduler {
  /// An observable that emits the events of `diagram`, with or without observers.
  public func createHotObservable<Element>(
    _ diagram: String, _ marbles: Marbles<Element>
  ) throws(MarbleError) -> TestableObservable<Element> {
    createHotObservable(try marbles.events(diagram))
  }

  /// An observable that emits the events of `diagram` to each observer, its first character at the
  /// tick of the subscription.
  public func createColdObservable<Element>(
    _ diagram: String, _ marbles: Marbles<Element>
  ) throws(MarbleError) -> TestableObservable<Element> {
    createColdObservable(try marbles.events(diagram, from: 0))
  }
}
