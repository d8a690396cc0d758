import Keyline
import KeylineCore

/// What one thread has done with properties, in the order in which it happened: values, for programs,
/// and a text.
///
/// ```
/// set Invoice#1.rate: 20 → 25
///   mark Invoice#1.tax, Invoice#1.total
///   deliver 25 to observer 1 of Invoice#1.rate
///   settle
///     evaluate Invoice#1.tax, because Invoice#1.rate changed: 20 → 25
///     evaluate Invoice#1.total, because Invoice#1.tax changed: 120 → 125
///     deliver 125 to observer 1 of Invoice#1.total
/// ```
///
/// Each line is an entry, which begins with its `Diagnostics.Step`; what it has caused while it
/// lasted stands below it, indented. Objects have numbers, in the order in which the trace meets them.
/// Values are cut to a length.
///
/// It retains nothing of the program.
///
/// - SeeAlso: `Diagnostics.trace(_:)`.
public struct Trace: Sendable, CustomStringConvertible {
  /// One line of a trace.
  public struct Entry: Sendable, CustomStringConvertible {
    /// What has been done.
    public internal(set) var step: Diagnostics.Step
    /// The property or object that it is about, if it is about one: `Invoice#1.rate`.
    public private(set) var subject = ""
    /// How long it has lasted, with all that it has caused, and with the recording of that.
    public internal(set) var duration = Duration.zero
    /// What it has caused while it lasted.
    public internal(set) var entries: [Entry] = []
    /// How many entries were left out among those, because there were more than the limit.
    public internal(set) var omitted = 0
    /// Whether the last ones are among those.
    var isCutOff = false
    /// What stands behind the step.
    var text = ""
    let number: Int
    /// The number of the entry that has caused it, if that is not the one around it.
    var cause: Int?
    /// How many entries inside it are kept.
    let limit: Int

    /// The line, without what it has caused.
    public var description: String { step.rawValue + (text.isEmpty ? "" : " \(text)") }
  }

  private let root: Entry
  /// The numbers of objects, by address.
  private let numbers: [UInt: Int]

  init(_ root: Entry, numbers: [UInt: Int]) {
    self.root = root
    self.numbers = numbers
  }

  /// What has been caused by nothing else in the trace.
  public var entries: [Entry] { root.entries }

  /// How many entries were left out among those, because there were more than the limit.
  public var omitted: Int { root.omitted }

  /// The text, without durations.
  public var description: String { text() }

  /// One line for each entry.
  ///
  /// - Parameter durations: whether each line ends with the time it took.
  public func text(durations: Bool = false) -> String {
    root.lines("", durations: durations).joined(separator: "\n")
  }

  /// Why the property at `keyPath` of `object` has last been delivered, evaluated or set; nil if it
  /// has not, or if that may be among the entries left out.
  ///
  /// ```swift
  /// print(trace.why(\.total, of: invoice) ?? "it has not changed")
  /// ```
  /// ```text
  /// set Invoice#1.rate: 20 → 25
  /// → evaluate Invoice#1.tax, because Invoice#1.rate changed: 20 → 25
  /// → evaluate Invoice#1.total, because Invoice#1.tax changed: 120 → 125
  /// → deliver 125 to observer 1 of Invoice#1.total
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath: to a stored or derived property of the object's own class; nil for any other.
  ///   - object: an object that has been alive since before the trace: the numbers in a trace are those
  ///     of addresses.
  public func why<Object: PropertyObservable, Value>(
    _ keyPath: KeyPath<Object, Value>, of object: Object
  ) -> Cause? {
    guard let number = numbers[UInt(bitPattern: ObjectIdentifier(object))],
      let name = object.propertyName(at: keyPath)
    else { return nil }
    return why("\(type(of: object))#\(number).\(name)")
  }

  /// Why the property of that name, as it stands in the text, has last been delivered, evaluated or
  /// set; nil if it has not, or if that may be among the entries left out.
  public func why(_ name: String) -> Cause? {
    var path: [Entry] = []
    // What has not been left out, nor undone since.
    var found: [[Entry]] = []
    func visit(_ entry: Entry) {
      path.append(entry)
      if entry.subject == name {
        if [.deliver, .evaluate, .set].contains(entry.step) { found.append(path) }
        if entry.step == .restore, let batch = path.last(where: { $0.step == .batch }) {
          found.removeAll { $0.contains { $0.number == batch.number } }
        }
      }
      for (index, inner) in entry.entries.enumerated() {
        if entry.omitted > 0, index == entry.head { found = [] }
        visit(inner)
      }
      if entry.isCutOff || entry.omitted > 0 && entry.entries.count <= entry.head { found = [] }
      path.removeLast()
    }
    visit(root)
    return found.last.flatMap(cause)
  }

  /// What has led to the last entry of `path`; nil if that is among the entries left out.
  func cause(_ path: [Entry]) -> Cause? {
    var rest = path
    var steps: [Entry] = []
    while let last = rest.popLast(), steps.count < Cause.longest {
      steps.append(last)
      // What has come before the trace is not part of it.
      guard let number = last.cause, number > root.number else { continue }
      guard let cause = root.path(to: number) else { return nil }
      rest = cause
    }
    steps.removeAll { $0.step == .settle || $0.step == .trace }
    return steps.isEmpty ? nil : Cause(steps: steps.reversed())
  }
}

/// The chain of sets, evaluations and deliveries behind something, the first one first.
///
/// ```
/// set Invoice#1.rate: 20 → 25
/// → evaluate Invoice#1.tax, because Invoice#1.rate changed: 20 → 25
/// → evaluate Invoice#1.total, because Invoice#1.tax changed: 120 → 125
/// → deliver 125 to observer 1 of Invoice#1.total
/// ```
///
/// - SeeAlso: `Diagnostics.currentCause`, ``Trace/why(_:of:)``.
public struct Cause: Sendable, CustomStringConvertible {
  /// Each has caused the next one. Of a longer chain, the last hundred; what has been left out of a
  /// trace does not have its causes either.
  public let steps: [Trace.Entry]

  fileprivate static let longest = 100

  public var description: String { steps.map(\.description).joined(separator: "\n→ ") }
}

extension Trace.Entry {
  /// How many of the entries that are kept are the first ones.
  fileprivate var head: Int { number == 0 ? 0 : limit / 2 }

  /// Drops the first entries behind those that are kept for being the first ones.
  mutating func omitSurplus() {
    let surplus = entries.count - limit
    guard surplus > 0 else { return }
    omitted += surplus
    entries.removeSubrange(head..<head + surplus)
  }

  /// The entries that lead to the one with that number, which grows from one to the next.
  fileprivate func path(to wanted: Int) -> [Trace.Entry]? {
    if number == wanted { return [self] }
    return entries.last { $0.number <= wanted }?.path(to: wanted).map { [self] + $0 }
  }

  /// What it has caused, in lines.
  fileprivate func lines(_ indentation: String, durations: Bool) -> [String] {
    var parts = entries.map { entry in
      let tenths = (entry.duration / .nanoseconds(100)).rounded()
      let time = durations ? " (\(tenths / 10) µs)" : ""
      return [indentation + entry.description + time]
        + entry.lines(indentation + "  ", durations: durations)
    }
    if omitted > 0 { parts.insert(["\(indentation)… \(omitted) more"], at: min(head, parts.count)) }
    return parts.flatMap { $0 }
  }
}
