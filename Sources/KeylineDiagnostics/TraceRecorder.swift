import Keyline
import KeylineCore
import Synchronization

extension Diagnostics {
  /// What an entry of a trace records. Each is the first word of the entry's line.
  public enum Step: String, Sendable, CaseIterable {
    /// A trace inside a trace.
    case trace
    /// A set that is announced to the observers with the option `.prior`, before the store.
    case announce
    /// A property has been set or mutated in place, or an object that it refers to weakly has died. A
    /// value that is *queued* is delivered when the one before it has reached all observers.
    case set
    /// A rule has stored another value than was set.
    case coerce
    /// A rule, or an exclusive binding, has kept a value from being stored.
    case refuse
    /// What has read a property that was set, and is to be checked.
    case mark
    /// A batch.
    case batch
    /// A property is back at its value before the batch, and counts as not set.
    case restore
    /// The end of an outermost set: what was marked is brought up to date.
    case settle
    /// A derived value, or a computed path or chain that is observed, is computed anew.
    case evaluate
    /// Something that was marked has been checked, and nothing that it has read has changed.
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

/// Records what one thread does with properties, as a tree of entries: what `Diagnostics.trace` and
/// `Diagnostics.currentCause` read.
///
/// It retains nothing of the program but the nodes of entries that are open: names and descriptions are
/// made when an entry is. Its memory is bounded: of many entries inside one, only the first and the last
/// are kept; deep ones, and those that come when one has caused too many, are not.
///
/// - Isolation: a thread's own.
final class TraceRecorder {
  /// How many threads are recorded.
  private static let active = Atomic<Int>(0)
  private static let local = ThreadLocal<TraceRecorder>()

  /// An entry that has not ended.
  struct Open {
    var entry: Trace.Entry
    let start = ContinuousClock.now
    /// Adds the result.
    let complete: (inout Trace.Entry) -> Void
    /// Whether it is no entry unless something makes it one: what is inside takes its place then.
    var isProvisional = false
  }

  /// Those that have not ended, one inside the other; the first one does not.
  private var open = [Open(entry: Trace.Entry(step: .trace, number: 0, limit: 32)) { _ in }]
  /// How many activities are under way that were left out, inside the last one.
  private var leftOut = 0
  private var count = 0
  /// How many there were when the one began that is in no other.
  private var countBefore = 0
  private var isSuspended = false
  /// Whether it records when there is no trace.
  var isLasting = false
  private var numbers: [UInt: (type: ObjectIdentifier, number: Int)] = [:]
  private var counts: [String: Int] = [:]
  /// The latest change of each node: its name then, and the number of the entry.
  var changes: [ObjectIdentifier: (name: String, number: Int)] = [:]
  private lazy var values = ValueText(length: 60) { [unowned self] in
    name(of: UInt(bitPattern: ObjectIdentifier($0)), type(of: $0))
  }

  private init() { Self.active.wrappingAdd(1, ordering: .relaxed) }

  deinit { Self.active.wrappingSubtract(1, ordering: .relaxed) }

  // MARK: Of the thread

  static var installed: TraceRecorder? { local.value }

  /// That of this thread, if it is to record now.
  static var ofThread: TraceRecorder? {
    guard active.load(ordering: .relaxed) > 0, let recorder = local.value else { return nil }
    return recorder.isSuspended ? nil : recorder
  }

  /// Begins to record this thread, if it is not recorded.
  static func start() -> TraceRecorder {
    Instrumentation.install(Records.shared)
    let recorder = local.value ?? TraceRecorder()
    local.value = recorder
    return recorder
  }

  /// Records this thread no longer, unless there is a reason.
  func stopIfUnused() { if !isLasting, !isInTrace { Self.local.value = nil } }

  private var isInTrace: Bool { open.contains { $0.entry.step == .trace && $0.entry.number > 0 } }

  /// Runs foreign code without recording it, nor what it reads.
  func quietly<Result>(_ body: () -> Result) -> Result {
    let outer = isSuspended
    isSuspended = true
    defer { isSuspended = outer }
    return untracked(body)
  }

  // MARK: Entries

  /// All entries, with those that have not ended.
  var trace: Trace {
    let root = path.dropLast().reversed().reduce(path[path.count - 1]) { inner, outer in
      var outer = outer
      outer.entries.append(inner)
      return outer
    }
    return Trace(root, numbers: numbers.mapValues(\.number))
  }

  /// The entries that have not ended, one inside the other.
  var path: [Trace.Entry] { open.map(\.entry) }

  /// Begins an entry, which `leave()` or `end(to:)` is to end.
  ///
  /// - Parameters:
  ///   - subject: what it is about: `Person#1.name`.
  ///   - cause: what has caused it, if that is not the entry around it.
  ///   - limit: how many entries inside it are kept.
  ///   - complete: called before it ends.
  func begin(
    _ step: Diagnostics.Step, _ subject: String = "", _ text: String = "", cause: Int? = nil,
    limit: Int? = nil, isProvisional: Bool = false,
    _ complete: @escaping (inout Trace.Entry) -> Void = { _ in }
  ) {
    let parent = open.count - 1
    if parent == 0 {
      countBefore = count
      if changes.count > 20_000 { changes = [:] }
      if numbers.count > 20_000 { numbers = [:] }
    }
    // While the switch is on, 32 outermost sets are kept.
    let capacity = isInTrace ? 20_000 : 5_000
    guard leftOut == 0, open.count < 100, count - countBefore < capacity else {
      if leftOut == 0 {
        open[parent].entry.omitted += 1
        open[parent].entry.isCutOff = true
      }
      return leftOut += 1
    }
    count += 1
    let limit = limit ?? (parent > 0 ? open[parent].entry.limit : 100)
    let entry = Trace.Entry(
      step: step, subject: subject, text: text, number: count, cause: cause, limit: limit)
    open.append(Open(entry: entry, complete: complete, isProvisional: isProvisional))
  }

  /// The number of the entry begun last; more than any has if that was left out.
  var number: Int { leftOut == 0 ? count : .max }

  /// Changes the entry begun last.
  func change(_ body: (inout Open) -> Void) { if leftOut == 0 { body(&open[open.count - 1]) } }

  /// Ends the entry begun last.
  func leave() {
    if leftOut > 0 { return leftOut -= 1 }
    if open[open.count - 1].entry.step != .trace { close() }
  }

  /// Begins a trace, inside what is recorded already.
  ///
  /// - Returns: what ends it.
  func beginTrace(limit: Int) -> () -> Trace {
    let depth = open.count
    begin(.trace, limit: limit)
    return { [self] in
      while open.count > depth + 1 { close() }
      let root =
        open.count > depth ? open[depth].entry : Trace.Entry(step: .trace, number: 0, limit: 0)
      if open.count > depth { close() }
      stopIfUnused()
      return Trace(root, numbers: numbers.mapValues(\.number))
    }
  }

  private func close() {
    var last = open.removeLast()
    last.complete(&last.entry)
    last.entry.duration = last.start.duration(to: .now)
    let parent = open.count - 1
    // What has turned out to be nothing.
    if last.isProvisional || last.entry.step == .settle && last.entry.entries.isEmpty {
      open[parent].entry.entries += last.entry.entries
      open[parent].entry.omitted += last.entry.omitted
    } else {
      open[parent].entry.entries.append(last.entry)
    }
    open[parent].entry.omitSurplus()
  }

  /// Makes an entry that has none inside.
  func note(_ step: Diagnostics.Step, _ subject: String, _ text: String) {
    begin(step, subject, text)
    leave()
  }

  // MARK: Names

  /// `Person#1`: the class, and a number in the order in which objects are met.
  func name(of object: UInt, _ type: AnyClass) -> String {
    if numbers[object]?.type != ObjectIdentifier(type) {
      counts["\(type)", default: 0] += 1
      numbers[object] = (ObjectIdentifier(type), counts["\(type)", default: 0])
    }
    return "\(type)#\(numbers[object]?.number ?? 0)"
  }

  /// `Person#1.name`; of a path, `Int of Person#1`.
  func name(of node: Node) -> String {
    let object = name(of: node.owner.identity, node.owner.type)
    if node.isProperty { return object + (node.name.map { ".\($0)" } ?? "") }
    return (node.chain == nil ? "" : "chain to ") + "\(node.valueType) of \(object)"
  }

  /// Forgets an object that is dying: another one may have its address.
  func forget(_ object: UInt) { numbers[object] = nil }

  func text(of value: Any) -> String { quietly { values.text(of: value) } }
}
