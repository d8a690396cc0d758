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
    /// A derived value, or a computed path that is observed, is computed anew.
    case evaluate
    /// Something that was marked has been checked, and nothing that it has read has changed.
    case skip
    /// A value has been passed to an observer.
    case deliver
    /// An observer has joined.
    case subscribe
    /// A subscription has been disposed that was made in a trace, or while ``isRecording``.
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
/// It retains nothing of the program: names and descriptions are made when an entry is. Its memory is
/// bounded: of many entries inside one, only the first and the last are kept, and deep ones are not.
///
/// - Isolation: a thread's own.
/// - Complexity: a thread that is not recorded pays one relaxed load where an entry may be made, none
///   of them in a read or in a set without computations.
final class TraceRecorder {
  /// How many threads are recorded.
  private static let active = Atomic<Int>(0)
  private static let current = ThreadKey(destroy: { pointer in
    // Proof of Unmanaged: `installed` has retained what it put there.
    Unmanaged<TraceRecorder>.fromOpaque(pointer).release()
  })

  /// Entries deeper than this are left out, and those that come when so many are kept.
  private static let deepest = 100
  private static let capacity = 20_000

  /// The entry that is open, within those around it. The first one is open as long as the recorder.
  private var open: [TraceNode]
  private var count = 0
  private var total = 0
  private var isSuspended = false
  /// How many traces, and the switch, use it.
  private var users = 0
  /// Whether one of these is the switch.
  var isLasting = false
  private var numbers: [ObjectIdentifier: (type: ObjectIdentifier, number: Int)] = [:]
  private var counts: [String: Int] = [:]
  /// The latest change of each node.
  private var changes: [ObjectIdentifier: Change] = [:]

  /// The names of objects that are in their deinit, and whose deaths are being recorded.
  var dying: [UnsafeRawPointer: String] = [:]

  /// A change, as the cause of others.
  struct Change {
    /// That of the property. It is made while the object is known to be alive, which later it need
    /// not be.
    let name: String
    /// The number of its entry, one that no entry has if that was left out at once.
    let number: Int
    /// Nil once it has been left out.
    fileprivate(set) weak var entry: TraceNode?
  }

  /// - Parameter recent: how many entries to keep that are inside no other.
  private init(recent: Int) {
    open = [TraceNode(.trace, "", "", number: 0, limit: recent, head: 0, at: .now)]
    Self.active.wrappingAdd(1, ordering: .relaxed)
  }

  deinit { Self.active.wrappingSubtract(1, ordering: .relaxed) }

  // MARK: Of the thread

  /// That of this thread, if it is to record now.
  @inline(__always) static var ofThread: TraceRecorder? {
    active.load(ordering: .relaxed) == 0 ? nil : recording
  }

  @inline(never) private static var recording: TraceRecorder? {
    installed.flatMap { $0.isSuspended ? nil : $0 }
  }

  fileprivate(set) static var installed: TraceRecorder? {
    get {
      // Proof of Unmanaged: only the setter puts a pointer there, and retains what it is of.
      current.pointer.map { Unmanaged<TraceRecorder>.fromOpaque($0).takeUnretainedValue() }
    }
    set {
      let former = current.pointer
      current.pointer = newValue.map { Unmanaged.passRetained($0).toOpaque() }
      if let former { Unmanaged<TraceRecorder>.fromOpaque(former).release() }
    }
  }

  /// Installs the recorder of this thread for one more user, which is to `resign()`.
  static func appoint() -> TraceRecorder {
    let recorder = installed ?? TraceRecorder(recent: 32)
    if recorder.users == 0 { installed = recorder }
    recorder.users += 1
    return recorder
  }

  /// - Returns: whether that was the last user.
  func resign() -> Bool {
    users -= 1
    if users == 0 { Self.installed = nil }
    return users == 0
  }

  /// Runs foreign code without recording it.
  func quietly<Result>(_ body: () -> Result) -> Result {
    let outer = isSuspended
    isSuspended = true
    defer { isSuspended = outer }
    return body()
  }

  // MARK: Entries

  /// The entries that are in no other.
  var root: TraceNode { open[0] }

  /// The entry that is open; nil if there is none.
  var last: TraceNode? { open.count > 1 ? open.last : nil }

  /// Opens an entry, which is to be ended.
  ///
  /// - Parameters:
  ///   - subject: what it is about: `Person#1.name`.
  ///   - cause: what has caused it, if that is not the entry around it.
  ///   - limit: how many entries inside it are kept.
  /// - Returns: nil if there are too many around it.
  func begin(
    _ step: Diagnostics.Step, _ subject: String, _ text: String, cause: Change? = nil,
    limit: Int? = nil
  ) -> TraceNode? {
    let parent = open[open.count - 1]
    if open.count == 1 { makeRoom() }
    guard open.count < Self.deepest && total < Self.capacity || step == .trace else {
      parent.omitted += 1
      parent.isCutOff = true
      return nil
    }
    count += 1
    total += 1
    let limit = limit ?? (open.count > 1 ? parent.limit : 100)
    let node = TraceNode(
      step, subject, text, number: count, limit: limit, head: limit / 2, at: .now)
    node.parent = parent
    node.cause = cause?.entry
    node.causeNumber = cause?.number
    parent.children.append(node)
    open.append(node)
    return node
  }

  /// Drops what is old, before an entry that is in no other.
  private func makeRoom() {
    while total > Self.capacity / 2, !root.children.isEmpty { total -= root.omitFirst() }
    if changes.count > Self.capacity { changes = [:] }
    if numbers.count > Self.capacity { numbers = [:] }
  }

  /// Ends an entry, and those inside that are open still.
  func end(_ node: TraceNode?) {
    guard let node, let index = open.lastIndex(where: { $0 === node }), index > 0 else { return }
    while open.count > index { close(open.removeLast(), inside: open[open.count - 1]) }
  }

  /// Ends an entry that has turned out to be none: what is inside takes its place.
  func dissolve(_ node: TraceNode?) {
    guard let node, node === open.last, let parent = node.parent else { return end(node) }
    open.removeLast()
    parent.children.removeLast()
    for child in node.children { child.parent = parent }
    parent.children += node.children
    parent.omitted += node.omitted
    parent.isCutOff = parent.isCutOff || node.isCutOff
    total -= 1
    while parent.children.count > parent.limit { total -= parent.omitFirst() }
  }

  /// Ends the set that has opened the scope, which has closed.
  func endScope() {
    if let last, last.endsWithScope { end(last) }
  }

  private func close(_ node: TraceNode, inside parent: TraceNode) {
    node.duration = node.start.duration(to: .now)
    if node.step == .settle, node.children.isEmpty {
      parent.children.removeLast()
      total -= 1
      return
    }
    total -= parent.omitSurplus()
  }

  /// Makes an entry that has none inside.
  func note(_ step: Diagnostics.Step, _ subject: String, _ text: String) {
    end(begin(step, subject, text))
  }

  /// Records that the observers of something receive completion.
  func noteCompletion(of name: String) { note(.complete, name, name) }

  /// Records that `node` has changed the property `name`, whose node has `identity`.
  func record(_ node: TraceNode?, asChangeOf identity: ObjectIdentifier, _ name: String) {
    changes[identity] = Change(name: name, number: node?.number ?? .max, entry: node)
  }

  /// What was recorded as the latest change.
  func change(of identity: ObjectIdentifier) -> Change? { changes[identity] }

  // MARK: Names

  /// `Person#1`: the class, and a number in the order in which objects are met.
  func name(of object: AnyObject) -> String {
    let type: AnyClass = type(of: object)
    let known = numbers[ObjectIdentifier(object)]
    if let known, known.type == ObjectIdentifier(type) { return "\(type)#\(known.number)" }
    let number = counts["\(type)", default: 0] + 1
    counts["\(type)"] = number
    numbers[ObjectIdentifier(object)] = (ObjectIdentifier(type), number)
    return "\(type)#\(number)"
  }

  /// Forgets an object that is dying: another one may have its address.
  func forget(_ object: ObjectIdentifier) { numbers[object] = nil }

  /// All names, by object.
  var names: [ObjectIdentifier: String] {
    var names: [ObjectIdentifier: String] = [:]
    for (object, number) in numbers { names[object] = "#\(number.number)" }
    return names
  }

  /// A value in one line: objects by name, texts in quotation marks, all cut to a length.
  func text(of value: Any) -> String {
    let text = quietly { line(value, depth: 0) }
    return text.count > 60 ? text.prefix(59) + "…" : text
  }

  private func line(_ value: Any, depth: Int) -> String {
    if type(of: value) is AnyClass { return name(of: value as AnyObject) }
    if let text = value as? String { return String(text.prefix(60)).literal }
    let mirror = Mirror(reflecting: value)
    let parts = mirror.children.prefix(4).lazy.map { child in
      let label = child.label.flatMap { $0.hasPrefix(".") ? nil : "\($0): " } ?? ""
      return label + self.line(child.value, depth: depth + 1)
    }
    let list = { parts.joined(separator: ", ") + (mirror.children.count > 4 ? ", …" : "") }
    switch mirror.displayStyle {
    case .optional: return mirror.children.first.map { line($0.value, depth: depth) } ?? "nil"
    case .collection where depth < 4: return "[\(list())]"
    case .enum where depth < 4 && !(value is any CustomStringConvertible):
      guard let payload = mirror.children.first else { break }
      let text = line(payload.value, depth: depth + 1)
      return "\(payload.label ?? "")" + (text.hasPrefix("(") ? text : "(\(text))")
    case .tuple where depth < 4: return "(\(list()))"
    default: break
    }
    return String(String(describing: value).prefix(100)).inOneLine
  }
}

/// One entry.
final class TraceNode {
  /// What it is once that is known: an entry may be open before.
  var step: Diagnostics.Step
  let subject: String
  /// What stands behind the step; a result is added when it is known.
  var text: String
  let number: Int
  fileprivate(set) var children: [TraceNode] = []
  /// How many entries inside it were left out.
  fileprivate(set) var omitted = 0
  /// Whether the last ones are among those.
  fileprivate(set) var isCutOff = false
  /// How many entries inside it are kept, and how many of these are the first ones.
  fileprivate let limit: Int
  let head: Int
  fileprivate let start: ContinuousClock.Instant
  fileprivate(set) var duration = Duration.zero
  fileprivate(set) weak var parent: TraceNode?
  /// What has caused it, if that is not the entry around it; nil once that has been left out.
  fileprivate(set) weak var cause: TraceNode?
  fileprivate(set) var causeNumber: Int?
  /// Of a derived value that is being evaluated: its version and value before.
  var version: UInt = 0
  var former: String?
  /// Whether it is a set that has opened the scope: what settles belongs to it.
  var endsWithScope = false

  fileprivate init(
    _ step: Diagnostics.Step, _ subject: String, _ text: String, number: Int, limit: Int, head: Int,
    at start: ContinuousClock.Instant
  ) {
    self.step = step
    self.subject = subject
    self.text = text
    self.number = number
    self.limit = limit
    self.head = head
    self.start = start
  }

  /// Ends it, and those inside that are open still.
  func end() { TraceRecorder.installed?.end(self) }

  private var size: Int { children.reduce(1) { $0 + $1.size } }

  /// - Returns: how many entries that were.
  fileprivate func omitSurplus() -> Int { children.count > limit ? omitFirst() : 0 }

  /// Drops the first entry behind those that are kept for being the first ones.
  fileprivate func omitFirst() -> Int {
    omitted += 1
    return children.remove(at: head).size
  }
}
