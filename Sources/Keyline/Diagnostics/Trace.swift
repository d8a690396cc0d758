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
    public let step: Diagnostics.Step
    /// The property or object that it is about, if it is about one: `Invoice#1.rate`.
    public let subject: String
    /// The line, without what it has caused.
    public let description: String
    /// How long it has lasted, with all that it has caused, and with the recording of that.
    public let duration: Duration
    /// What it has caused while it lasted.
    public let entries: [Entry]
    /// How many entries were left out among those, because there were more than the limit.
    public let omitted: Int
    /// Whether the last ones are among those.
    fileprivate let isCutOff: Bool
    /// How many entries stand before those left out.
    fileprivate let head: Int
    fileprivate let number: Int
    /// The number of the entry that has caused it, if that is not the one around it.
    fileprivate let cause: Int?
  }

  /// What has been caused by nothing else in the trace.
  public let entries: [Entry]
  /// How many entries were left out among those, because there were more than the limit.
  public let omitted: Int
  private let root: Entry
  private let names: [ObjectIdentifier: String]

  init(_ node: TraceNode, names: [ObjectIdentifier: String]) {
    root = Entry(node)
    entries = root.entries
    omitted = root.omitted
    self.names = names
  }

  /// The text, without durations.
  public var description: String { text() }

  /// One line for each entry.
  ///
  /// - Parameter durations: whether each line ends with the time it took.
  public func text(durations: Bool = false) -> String {
    var lines: [String] = []
    root.append(to: &lines, indentation: "", durations: durations)
    return lines.joined(separator: "\n")
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
    guard let number = names[ObjectIdentifier(object)],
      let name = PropertyPath(keyPath).property(of: object)?.name
    else { return nil }
    return why("\(type(of: object))\(number).\(name)")
  }

  /// Why the property of that name, as it stands in the text, has last been delivered, evaluated or
  /// set; nil if it has not, or if that may be among the entries left out.
  public func why(_ name: String) -> Cause? {
    var path: [Entry] = []
    var found: [Entry]?
    // What was found before each batch that is open.
    var beforeBatch: [[Entry]?] = []
    var byNumber: [Int: [Entry]] = [:]
    func visit(_ entry: Entry) {
      path.append(entry)
      byNumber[entry.number] = path
      if entry.step == .batch { beforeBatch.append(found) }
      if entry.subject == name {
        if [.deliver, .evaluate, .set].contains(entry.step) { found = path }
        if entry.step == .restore, let former = beforeBatch.last { found = former }
      }
      for (index, inner) in entry.entries.enumerated() {
        if entry.omitted > 0, index == entry.head { found = nil }
        visit(inner)
      }
      if entry.isCutOff || entry.omitted > 0 && entry.entries.count <= entry.head { found = nil }
      if entry.step == .batch { beforeBatch.removeLast() }
      path.removeLast()
    }
    visit(root)
    guard var rest = found else { return nil }
    var steps: [Entry] = []
    while let last = rest.popLast(), steps.count < Cause.longest {
      steps.append(last)
      // What has come before the trace is not part of it.
      guard let number = last.cause, number > root.number else { continue }
      guard let cause = byNumber[number] else { return nil }
      rest = cause
    }
    return Cause(steps.reversed())
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

  fileprivate init(_ steps: [Trace.Entry]) {
    self.steps = steps.filter { $0.step != .settle && $0.step != .trace }
  }

  /// The chain that ends with `node`.
  init(_ node: TraceNode) {
    var steps: [Trace.Entry] = []
    var next: TraceNode? = node
    while let node = next, steps.count < Self.longest {
      if node.parent != nil { steps.append(Trace.Entry(node, isWhole: false)) }
      next = node.causeNumber == nil ? node.parent : node.cause
    }
    self.init(steps.reversed())
  }

  public var description: String { steps.map(\.description).joined(separator: "\n→ ") }
}

extension Trace.Entry {
  /// - Parameter isWhole: whether to include what it has caused.
  fileprivate init(_ node: TraceNode, isWhole: Bool = true) {
    step = node.step
    subject = node.subject
    description = node.step.rawValue + (node.text.isEmpty ? "" : " \(node.text)")
    duration = node.duration
    entries = isWhole ? node.children.map { Trace.Entry($0) } : []
    omitted = node.omitted
    isCutOff = node.isCutOff
    head = node.head
    number = node.number
    cause = node.causeNumber
  }

  fileprivate func append(to lines: inout [String], indentation: String, durations: Bool) {
    for (index, entry) in entries.enumerated() {
      if index == head { appendOmission(to: &lines, indentation) }
      let time = durations ? " (\(entry.duration.microseconds))" : ""
      lines.append(indentation + entry.description + time)
      entry.append(to: &lines, indentation: indentation + "  ", durations: durations)
    }
    if entries.count <= head { appendOmission(to: &lines, indentation) }
  }

  private func appendOmission(to lines: inout [String], _ indentation: String) {
    if omitted > 0 { lines.append("\(indentation)… \(omitted) more") }
  }
}

extension Duration {
  /// `12.5 µs`.
  fileprivate var microseconds: String {
    let nanoseconds = components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    return "\(nanoseconds / 1000).\(nanoseconds % 1000 / 100) µs"
  }
}
