import Keyline

/// Draws recorded events as text, and reads such drawings: one legend for both ways.
///
/// ```swift
/// let marbles = Marbles<Int>()
/// let source = try scheduler.createHotObservable("--1--2----|", marbles)
/// let result = scheduler.start { source.map { $0 * 2 } }
/// #expect(try marbles.mismatch(result.events, "--2--4----|") == nil)
/// ```
///
/// Every character takes one step of time; what happens is written at the time it happens:
///
///     -        nothing              (ab|)   several events, all at the time of the parenthesis
///     a        an element           'name'  an element of more than one character
///     |        completion           <215>   no time of its own: goes on at tick 215
///     #        the legend's error   space   nothing, and no time
///
/// What is drawn is exact: read again, it gives the same events. Excepted are other errors, elements
/// that the legend cannot read, and those with an apostrophe in their name.
public struct Marbles<Element: Equatable> {
  /// The tick of the first character.
  public let start: Int
  /// How many ticks a character takes, at least 1.
  public let step: Int
  /// The error that `#` stands for.
  public let error: any Error
  private let elements: [String: Element]
  private var read: (String) -> Element?

  /// A legend that says which element each name stands for.
  ///
  /// - Parameters:
  ///   - elements: the elements by name.
  ///   - start: the tick of the first character; the tick of subscription unless given.
  ///   - step: how many ticks a character takes.
  ///   - error: what `#` stands for.
  public init(
    _ elements: [String: Element], from start: Int = TestScheduler.Defaults.subscribed,
    step: Int = 10, error: any Error = MarbleError.failure
  ) {
    (self.elements, self.start, self.step, self.error) = (elements, start, max(1, step), error)
    read = { elements[$0] }
  }

  /// The events that `diagram` shows.
  ///
  /// - Parameter origin: the tick of the first character; ``start`` unless given.
  public func events(
    _ diagram: String, from origin: Int? = nil
  ) throws(MarbleError) -> [Recorded<Event<Element>>] {
    var events: [Recorded<Event<Element>>] = []
    var (time, group) = (origin ?? start, Int?.none)
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
          guard let element = read(name) else { throw .unknownElement(name) }
          add(.next(element))
        }
      }
      time += symbol.count * step
    }
    if group != nil { throw .unbalanced(diagram) }
    return events
  }

  /// `events` as text, the first character at ``start``.
  public func diagram(_ events: [Recorded<Event<Element>>]) -> String {
    var (text, time) = ("", start)
    var rest = events[...]
    while let first = rest.first {
      let batch = rest.prefix { $0.time == first.time }
      rest = rest.dropFirst(batch.count)
      let (steps, remainder) = (first.time - time).quotientAndRemainder(dividingBy: step)
      // A long wait would push what follows out of sight.
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

  /// What to say when `events` are not those that `diagram` shows; nil if they are.
  ///
  /// Both are drawn the same way, one under the other; errors that look alike are written out.
  public func mismatch(
    _ events: [Recorded<Event<Element>>], _ diagram: String
  ) throws(MarbleError) -> String? {
    let expected = try self.events(diagram)
    guard events != expected else { return nil }
    let (wanted, got) = (self.diagram(expected), self.diagram(events))
    return wanted == got
      ? "expected \(expected)\nbut got  \(events)" : "expected \(wanted)\nbut got  \(got)"
  }
}

extension Marbles where Element: LosslessStringConvertible {
  /// A legend in which every element is written as it describes itself.
  ///
  /// - Parameters:
  ///   - start: the tick of the first character; the tick of subscription unless given.
  ///   - step: how many ticks a character takes.
  ///   - error: what `#` stands for.
  public init(
    from start: Int = TestScheduler.Defaults.subscribed, step: Int = 10,
    error: any Error = MarbleError.failure
  ) {
    self.init([:], from: start, step: step, error: error)
    read = { Element($0) }
  }
}

/// What can be wrong with a diagram, and the error it may show.
public enum MarbleError: Error, Equatable {
  /// The error that `#` stands for unless the legend has another.
  case failure
  /// The legend has no such element.
  case unknownElement(String)
  /// A parenthesis, quotation mark or angle bracket lacks the other one.
  case unbalanced(String)
  /// What stands in angle brackets is not a number.
  case notATick(String)
}

extension TestScheduler {
  /// An observable that emits what `diagram` shows, whoever listens.
  public func createHotObservable<Element>(
    _ diagram: String, _ marbles: Marbles<Element>
  ) throws(MarbleError) -> TestableObservable<Element> {
    createHotObservable(try marbles.events(diagram))
  }

  /// An observable that emits what `diagram` shows to each observer, its first character at the tick
  /// of the subscription.
  public func createColdObservable<Element>(
    _ diagram: String, _ marbles: Marbles<Element>
  ) throws(MarbleError) -> TestableObservable<Element> {
    createColdObservable(try marbles.events(diagram, from: 0))
  }
}
