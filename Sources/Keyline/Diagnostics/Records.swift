import KeylineCore
import Synchronization

extension Diagnostics {
  /// Whether what is made from now on is recorded: the call that makes it, with file and line, and
  /// the operators between that call and what it observes. Off unless set.
  ///
  /// What is recorded has names in graphs, traces and lists of what is alive; what was made before
  /// is found there without a name.
  ///
  /// - Complexity: off, one relaxed load for each subscription, disposable and subject made, which
  ///   ``Resources/isCounting`` shares, and one test for each operator subscribed to. On, a lock
  ///   round trip for each of these, and the name of the property for each subscription to one;
  ///   nothing per element.
  public static var isRecording: Bool {
    get { Records.mode.load(ordering: .relaxed) & Records.recording != 0 }
    set { Records.set(Records.recording, newValue) }
  }
}

/// What is known of one thing that is alive, and was made while counting or recording.
struct Record {
  /// Grows in the order in which things are made.
  let number: Int
  let kind: ResourceKind
  let isCounted: Bool
  let isRecorded: Bool
  /// The call that has made it.
  var call: CallSite?
  /// The stages between what it observes and the call, the one next to the call first.
  var stages: [String] = []
  /// Whether further stages are details of the last one.
  var isSealed = false
  /// What it was made on behalf of, and how many stages of that lead to it.
  var outer: ObjectIdentifier?
  var outerStages = 0
  /// What is recorded as the same thing; all that is reported of it is recorded there.
  var same: ObjectIdentifier?
  /// What it does beside delivering to closures: for those who know its type.
  var role: AnyObject?
}

/// The probe behind counting, recording and traces: what the library reports, by object.
///
/// Under its lock no foreign code runs: stages and calls are text, and a role is released outside.
final class Records: Probe {
  /// What is done with new resources: any of the two below.
  static let mode = Atomic<UInt8>(0)
  static let counting: UInt8 = 1
  static let recording: UInt8 = 2

  static let shared = Records()

  private struct Table {
    var records: [ObjectIdentifier: Record] = [:]
    /// How many are counted, by the kind's raw value.
    var alive = [Int](repeating: 0, count: ResourceKind.allCases.count)
    var last = 0
  }

  private let table = Protected(Table())

  /// Switches counting or recording. The probe stays installed: what has begun must end.
  static func set(_ bit: UInt8, _ isOn: Bool) {
    if isOn {
      Instrumentation.install(shared)
      mode.bitwiseOr(bit, ordering: .relaxed)
    } else {
      mode.bitwiseAnd(~bit, ordering: .relaxed)
    }
  }

  func receive(_ event: Instrumentation.Event) {
    switch event {
    case .began(let id, let kind): add(id, kind)
    case .ended(let id): remove(id)
    case .called(let id, let call): if call.isOfProgram { Self.update(id) { $0.call = call } }
    case .passed(let id, let stage):
      let name = CallSite.baseName(stage)
      Self.update(id) { if !$0.isSealed, !name.isEmpty { $0.stages.append(name) } }
    case .sealed(let id): Self.update(id) { $0.isSealed = true }
    case .belongs(let inner, let outer): link(inner, inside: outer)
    case .reported(let report): TraceRecorder.ofThread?.note(.report, "", report.line)
    }
  }

  private func add(_ id: ObjectIdentifier, _ kind: ResourceKind) {
    let mode = Self.mode.load(ordering: .relaxed)
    guard mode != 0 else { return }
    table.withLock { table in
      table.last += 1
      let record = Record(
        number: table.last, kind: kind, isCounted: mode & Self.counting != 0,
        isRecorded: mode & Self.recording != 0)
      table.records[id] = record
      if record.isCounted { table.alive[Int(kind.rawValue)] += 1 }
    }
  }

  private func remove(_ id: ObjectIdentifier) {
    let removed = table.withLock { table in
      let record = table.records.removeValue(forKey: id)
      if let record, record.isCounted { table.alive[Int(record.kind.rawValue)] -= 1 }
      return record
    }
    withExtendedLifetime(removed) {}
  }

  /// Makes `inner` a part of `outer`, behind the stages that `outer` has now.
  private func link(_ inner: ObjectIdentifier, inside outer: ObjectIdentifier) {
    table.withLock { table in
      let outer = table.records[outer]?.same ?? outer
      guard let record = table.records[outer], record.isRecorded else { return }
      table.records[inner]?.outer = outer
      table.records[inner]?.outerStages = record.stages.count
      table.records[inner]?.isSealed = record.isSealed
    }
  }

  /// Records all that is reported of `id` as reported of `other`.
  static func merge(_ id: ObjectIdentifier, into other: ObjectIdentifier) {
    shared.table.withLock { $0.records[id]?.same = other }
  }

  /// Whether something is recorded of `id`.
  static func isRecorded(_ id: ObjectIdentifier) -> Bool {
    mode.load(ordering: .relaxed) != 0
      && shared.table.withLock { $0.records[id]?.isRecorded == true }
  }

  /// Changes the record of `id`, if it is there and is more than counted.
  static func update(_ id: ObjectIdentifier, _ change: (inout Record) -> Void) {
    shared.table.withLock { table in
      let id = table.records[id]?.same ?? id
      guard table.records[id]?.isRecorded == true else { return }
      change(&table.records[id]!)
    }
  }

  static func alive(_ kind: ResourceKind) -> Int {
    shared.table.withLock { $0.alive[Int(kind.rawValue)] }
  }

  /// All that is recorded now, in the order in which it was made.
  static var all: [(id: ObjectIdentifier, record: Record)] {
    shared.table.withLock { $0.records.filter(\.value.isRecorded) }
      .sorted { $0.value.number < $1.value.number }
      .map { ($0.key, $0.value) }
  }

  /// How something reaches the call it belongs to.
  static func path(from id: ObjectIdentifier) -> RecordedPath? {
    shared.table.withLock { table in
      guard var record = table.records[id], record.isRecorded else { return nil }
      var path = RecordedPath(origin: id, stages: record.stages.reversed(), call: record.call)
      while let id = record.outer, let outer = table.records[id] {
        path.origin = id
        path.stages += outer.stages.prefix(record.outerStages).reversed()
        path.call = outer.call
        record = outer
      }
      path.role = record.role
      return path
    }
  }
}

extension CallSite {
  /// Whether the call stands in the program, and not in the library.
  fileprivate var isOfProgram: Bool {
    let module = "\(file)".prefix { $0 != "/" }
    return !["", "Keyline", "KeylineCore", "KeylineFoundation", "KeylineTest"].contains(module)
  }

  /// `bind`.
  var name: String { Self.baseName(function) }

  /// `Form.swift:12`.
  var place: String { "\("\(file)".split(separator: "/").last ?? ""):\(line)" }
}

/// The stages between something observed and the call that has made the observation.
struct RecordedPath {
  /// The outermost one: that of the observation.
  fileprivate(set) var origin: ObjectIdentifier
  /// The one next to what is observed first: `observe`, `map`.
  fileprivate(set) var stages: [String]
  fileprivate(set) var call: CallSite?
  fileprivate(set) var role: AnyObject?

  /// `observe → map → bind (Form.swift:12)`.
  var description: String { description(observing: nil) }

  /// `observe(\.name) → map → bind (Form.swift:12)`, if `property` is what is observed.
  func description(observing property: Substring?) -> String {
    var names = stages + [call?.name].compactMap { $0 }
    if let property, !names.isEmpty { names[0] += "(\\.\(property))" }
    return names.joined(separator: " → ") + (call.map { " (\($0.place))" } ?? "")
  }
}
