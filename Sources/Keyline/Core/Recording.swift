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
    get { ResourceCount.mode.load(ordering: .relaxed) & ResourceCount.recording != 0 }
    set { ResourceCount.set(ResourceCount.recording, newValue) }
  }
}

/// A call that makes something, and where it stands in the source.
@usableFromInline struct CallSite: Sendable {
  @usableFromInline let file: StaticString
  @usableFromInline let line: UInt
  @usableFromInline let function: StaticString

  @inlinable init(_ file: StaticString, _ line: UInt, _ function: StaticString = #function) {
    self.file = file
    self.line = line
    self.function = function
  }

  /// `bind`.
  var name: String { Self.baseName(function) }

  /// `Form.swift:12`.
  var place: String { "\("\(file)".split(separator: "/").last ?? ""):\(line)" }

  /// The function as a stage; none without a name.
  static func stages(_ function: StaticString) -> [String] {
    [baseName(function)].filter { !$0.isEmpty }
  }

  /// The name of a function without its labels.
  static func baseName(_ function: StaticString) -> String {
    String("\(function)".prefix { $0 != "(" })
  }
}

/// Nothing conforms to it.
///
/// Where an initialiser takes a pack of this type, the pack is empty in every call, and cannot be
/// inferred without one: `PublishSubject<Int>.init`, as a value, is the initialiser without
/// parameters, while a call takes the one that knows its file and line.
public protocol NoArgument {}

/// What is known of one thing that is alive, and was made while counting or recording.
struct Record {
  let kind: ResourceKind
  let isCounted: Bool
  let isRecorded: Bool
  /// The call that has made it.
  var call: CallSite?
  /// The stages between what it observes and the call, the one next to the call first.
  var stages: [String] = []
  /// Whether further stages are details of the last one.
  var isSealed = false
  /// The number of the record around it, and how many stages of that lead to it.
  var outer: UInt32 = 0
  var outerStages = 0
  /// What it does beside delivering to closures: for those who know its type.
  var role: AnyObject?
}

/// The records, by number. Numbers grow in the order in which things are made.
///
/// Under its lock no foreign code runs: stages and calls are text, and a role is released outside.
enum Records {
  private struct Table {
    var records: [UInt32: Record] = [:]
    /// How many are counted, by the kind's raw value.
    var alive = [Int](repeating: 0, count: ResourceKind.allCases.count)
    var last: UInt32 = 0
  }

  private static let table = Protected(Table())

  /// - Returns: the number of the new record, never 0.
  static func add(_ record: Record) -> UInt32 {
    table.withLock { table in
      repeat { table.last &+= 1 } while table.last == 0 || table.records[table.last] != nil
      table.records[table.last] = record
      if record.isCounted { table.alive[Int(record.kind.rawValue)] += 1 }
      return table.last
    }
  }

  static func remove(_ number: UInt32) {
    let removed = table.withLock { table in
      let record = table.records.removeValue(forKey: number)
      if let record, record.isCounted { table.alive[Int(record.kind.rawValue)] -= 1 }
      return record
    }
    withExtendedLifetime(removed) {}
  }

  /// Changes the record with that number, if it is there and is more than counted.
  static func update(_ number: UInt32, _ change: (inout Record) -> Void) {
    table.withLock { table in
      guard table.records[number]?.isRecorded == true else { return }
      change(&table.records[number]!)
    }
  }

  /// Makes `inner` a part of `outer`, behind the stages that `outer` has now.
  static func link(_ inner: UInt32, inside outer: UInt32) {
    table.withLock { table in
      guard let record = table.records[outer], record.isRecorded else { return }
      table.records[inner]?.outer = outer
      table.records[inner]?.outerStages = record.stages.count
      table.records[inner]?.isSealed = record.isSealed
    }
  }

  static func alive(_ kind: ResourceKind) -> Int { table.withLock { $0.alive[Int(kind.rawValue)] } }

  /// All that is recorded now, in the order in which it was made.
  static var all: [(number: UInt32, record: Record)] {
    table.withLock { $0.records.filter(\.value.isRecorded) }
      .sorted { $0.key < $1.key }
      .map { ($0.key, $0.value) }
  }

  /// How the thing with that number reaches the call it belongs to.
  static func path(from number: UInt32) -> RecordedPath? {
    table.withLock { table in
      guard var record = table.records[number], record.isRecorded else { return nil }
      var path = RecordedPath(origin: number, stages: record.stages.reversed(), call: record.call)
      while let outer = table.records[record.outer] {
        path.origin = record.outer
        path.stages += outer.stages.prefix(record.outerStages).reversed()
        path.call = outer.call
        record = outer
      }
      path.role = record.role
      return path
    }
  }
}

/// The stages between something observed and the call that has made the observation.
struct RecordedPath {
  /// The number of the outermost record: that of the observation.
  fileprivate(set) var origin: UInt32
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
