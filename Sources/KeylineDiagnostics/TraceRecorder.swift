import Keyline

extension Diagnostics {
  /// The kind of step that an entry of a trace records: the first word of the entry's line.
  public enum Step: String, Sendable, CaseIterable {
    /// A set that is announced to the observers with the option `.prior`, before the store.
    case announce
    /// A property has been set or mutated in place, or an object that it refers to weakly has died. A
    /// value that is *queued* is delivered when the one before it has reached all observers.
    case set
    /// A rule, or an exclusive binding, is asked about a value, and may refuse or coerce it.
    case validate
    /// The nodes that have read a property that was set, and are to be checked.
    case mark
    /// A batch.
    case batch
    /// A property is back at its value before the batch, and counts as not set.
    case restore
    /// The end of an outermost set: the marked nodes are brought up to date.
    case settle
    /// A derived value, or a computed path or chain that is observed, is computed anew.
    case evaluate
    /// A marked node has been checked, and none of its dependencies has changed.
    case skip
    /// A value has been passed to an observer.
    case deliver
    /// An observer has joined.
    case subscribe
    /// A subscription has been disposed.
    case dispose
    /// Completion has been passed to observers.
    case complete
    /// A chain leads to another object from one of its hops on.
    case follow
    /// A chain leads nowhere.
    case broken = "break"
    /// A binding sets the property at its other end.
    case write
    /// A converter has returned nil, or thrown.
    case decline
    /// An object has died.
    case death
    /// A report to `Diagnostics.handler`.
    case report
  }
}

/// Records the operations of one thread on properties, as a list of entries: `Diagnostics.trace` and
/// `Diagnostics.currentCause` read it.
///
/// It retains nothing of the program but the nodes of entries that have not ended: names and
/// descriptions are made when an entry is. Its memory is bounded: the oldest entries are dropped.
///
/// - Isolation: a thread's own.
final class TraceRecorder {
  /// The recorder of a thread; nil while the thread is not recorded.
  static let current = ThreadLocal<TraceRecorder>()

  /// How many entries, and names of objects, are kept at least.
  private static let capacity = 10_000

  private(set) var entries: [Trace.Entry] = []
  private(set) var omitted = 0
  /// The numbers of the entries that have not ended, one inside the other, with the closures that add
  /// the results.
  private var open: [(number: Int, complete: (inout Trace.Entry) -> Void)] = []
  private var names: [UInt: (type: ObjectIdentifier, name: String)] = [:]
  /// How many objects of each class have a name.
  private var counts: [String: Int] = [:]
  /// The numbers of the entries with the latest change of each node.
  var changes: [ObjectIdentifier: Int] = [:]
  private lazy var values = ValueText(length: 60) { [unowned self] in
    name(of: UInt(bitPattern: ObjectIdentifier($0)), type(of: $0))
  }

  // MARK: Of the thread

  /// Begins to record this thread, if it is not recorded.
  @discardableResult static func start() -> TraceRecorder {
    Instrumentation.install(Records.shared)
    let recorder = current.value ?? TraceRecorder()
    current.value = recorder
    return recorder
  }

  /// Runs foreign code, and records neither its sets nor its reads.
  static func pause<Result>(_ body: () -> Result) -> Result {
    let recorder = current.value
    current.value = nil
    defer { current.value = recorder }
    return untracked(body)
  }

  // MARK: Entries

  /// The number of the entry that begins next.
  var count: Int { omitted + entries.count }

  /// How many entries have not ended.
  var depth: Int { open.count }

  /// The number of the entry begun last of those that have not ended.
  var currentNumber: Int? { open.last?.number }

  /// The entries from number `start` on, which began inside `depth` others.
  func trace(from start: Int = 0, depth: Int = 0) -> Trace {
    var part = Array(entries.dropFirst(max(0, start - omitted)))
    for index in part.indices { part[index].depth -= depth }
    return Trace(entries: part, omitted: max(0, omitted - start), names: names)
  }

  /// Begins an entry, which `leave()` ends.
  ///
  /// - Parameters:
  ///   - subject: the property or object that it is about: `Person#1.name`.
  ///   - cause: the number of the entry that has caused it, if that is not the one around it.
  ///   - complete: called before it ends.
  func begin(
    _ step: Diagnostics.Step, _ subject: String = "", _ text: String = "", cause: Int? = nil,
    _ complete: @escaping (inout Trace.Entry) -> Void = { _ in }
  ) {
    if entries.count == 2 * Self.capacity { dropOldest() }
    let entry = Trace.Entry(
      step: step, subject: subject, depth: depth, text: text, number: count,
      cause: cause ?? currentNumber)
    open.append((count, complete))
    entries.append(entry)
  }

  private func dropOldest() {
    entries.removeFirst(Self.capacity)
    omitted += Self.capacity
    changes = changes.filter { $0.value >= omitted }
    if names.count > 2 * Self.capacity { names = [:] }
  }

  /// Ends the entry begun last; nothing if that was before this thread was recorded.
  func leave() {
    guard let (number, complete) = open.popLast(), number >= omitted else { return }
    complete(&entries[number - omitted])
    // Nothing was to be settled.
    if entries.last?.step == .settle, number == count - 1 { entries.removeLast() }
  }

  /// Makes an entry that has none inside.
  func note(_ step: Diagnostics.Step, _ subject: String, _ text: String) {
    begin(step, subject, text)
    leave()
  }

  /// Adds `text` to the entry begun last, if it is of that step, and of that subject.
  func append(_ text: String, to step: Diagnostics.Step, of subject: String? = nil) {
    guard let number = currentNumber, number >= omitted else { return }
    let entry = entries[number - omitted]
    guard entry.step == step, subject == nil || entry.subject == subject else { return }
    entries[number - omitted].text += text
  }

  // MARK: Names

  /// `Person#1`: the class, and a number in the order in which objects are met.
  func name(of object: UInt, _ type: AnyClass) -> String {
    if let known = names[object], known.type == ObjectIdentifier(type) { return known.name }
    counts["\(type)", default: 0] += 1
    let name = "\(type)#\(counts["\(type)", default: 0])"
    names[object] = (ObjectIdentifier(type), name)
    return name
  }

  /// `Person#1.name`; of a path, `Int of Person#1`.
  func name(of node: Node) -> String {
    let object = name(of: node.owner.identity, node.owner.type)
    if node.isProperty { return object + (node.name.map { ".\($0)" } ?? "") }
    return (node.chain == nil ? "" : "chain to ") + "\(node.valueType) of \(object)"
  }

  /// Forgets an object that is dying: another one may have its address.
  func forget(_ object: UInt) { names[object] = nil }

  func text(of value: Any) -> String { Self.pause { values.text(of: value) } }
}
