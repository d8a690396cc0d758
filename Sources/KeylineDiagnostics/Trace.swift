import Keyline

/// The steps that one thread has taken with properties, in order, as values for programs and as a text.
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
/// Each line is an entry, which begins with its `Diagnostics.Step`; the entries that it has caused
/// while it lasted stand below it, indented. Objects have numbers, in the order in which the trace
/// meets them. Values are cut to a length.
///
/// It retains nothing of the program.
///
/// - SeeAlso: `Diagnostics.trace(_:)`.
public struct Trace: Sendable, CustomStringConvertible {
  /// One line of a trace.
  public struct Entry: Sendable, CustomStringConvertible {
    /// The kind of step that the entry records.
    public internal(set) var step: Diagnostics.Step
    /// The property or object that it is about, if it is about one: `Invoice#1.rate`.
    public let subject: String
    /// How many entries were under way when it began: it is inside the last one before it that has a
    /// smaller depth.
    public internal(set) var depth: Int
    /// The text behind the step.
    var text: String
    /// Its place among all entries of the thread.
    let number: Int
    /// The number of the entry that has caused it.
    let cause: Int?

    /// The line, without its indentation.
    public var description: String { step.rawValue + (text.isEmpty ? "" : " \(text)") }
  }

  /// In the order in which they began; of many, the last 10,000 at least.
  public let entries: [Entry]
  /// How many entries before the first one were dropped, because there were too many.
  public let omitted: Int
  /// The names of objects, by address.
  let names: [UInt: (type: ObjectIdentifier, name: String)]

  /// One line for each entry. Beyond 50 levels, lines are not indented further.
  public var description: String {
    let lines = entries.map { String(repeating: "  ", count: min($0.depth, 50)) + $0.description }
    return ((omitted > 0 ? ["… \(omitted) more"] : []) + lines).joined(separator: "\n")
  }

  /// Why the property at `keyPath` of `object` has last been delivered, evaluated, set or restored;
  /// nil if the trace has no such entry.
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
  ///   - object: an object that has been alive since before the trace: a trace names objects by their
  ///     addresses.
  public func why<Object: PropertyObservable, Value>(
    _ keyPath: KeyPath<Object, Value>, of object: Object
  ) -> Cause? {
    guard let name = names[UInt(bitPattern: ObjectIdentifier(object))]?.name,
      let property = object.propertyName(at: keyPath)
    else { return nil }
    return why("\(name).\(property)")
  }

  /// Why the property of that name, as it stands in the text, has last been delivered, evaluated, set
  /// or restored; nil if the trace has no such entry.
  public func why(_ name: String) -> Cause? {
    let steps: Set<Diagnostics.Step> = [.deliver, .evaluate, .set, .restore]
    let last = entries.last { $0.subject == name && steps.contains($0.step) }
    return last.flatMap { Cause(of: $0.number, in: entries) }
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
  /// Each has caused the next one: the last hundred, as far back as the trace goes.
  public let steps: [Trace.Entry]

  /// Follows causes from the entry with that number. `entries` have consecutive numbers.
  init?(of number: Int, in entries: [Trace.Entry]) {
    let first = entries.first?.number ?? 0
    let numbers = sequence(first: number) { entries[$0 - first].cause }.lazy.prefix { $0 >= first }
    let chain = numbers.map { entries[$0 - first] }.filter { $0.step != .settle }
    steps = chain.prefix(100).reversed()
    if steps.isEmpty { return nil }
  }

  public var description: String { steps.map(\.description).joined(separator: "\n→ ") }
}
