import Keyline
import Synchronization

extension Diagnostics {
  /// Whether new subscriptions, disposables and subjects are recorded: the call that makes each, with
  /// file and line, and the operators between the call and the observed property. Off by default.
  ///
  /// Recorded objects have names in graphs, in traces and in ``Resources/places``. Objects made while
  /// recording was off have no name there.
  ///
  /// - Complexity: off, one relaxed load for each subscription, disposable and subject made, which
  ///   ``Resources/isCounting`` shares, and one test for each operator subscribed to. On, a lock
  ///   round trip for each of these; nothing per element.
  public static var isRecording: Bool {
    get { Records.isRecording.load(ordering: .relaxed) }
    set { Records.turn(Records.isRecording, on: newValue) }
  }
}

/// The record of one live object that was made while counting or recording.
struct Record {
  let id: ObjectIdentifier
  let kind: ResourceKind
  let isCounted: Bool
  let isRecorded: Bool
  /// The call that made the object.
  var call: CallSite?
  /// The object itself, if a call made it.
  weak var object: AnyObject?
  /// The stages between the observed property and the call, beginning at the property: `observe`, `map`.
  var stages: [String] = []
  /// Whether further stages are details of the last one.
  var isSealed = false
  /// The subscription on whose behalf the object was made, and how many of its stages, counted from
  /// the call, lead to the object.
  var outer: (id: ObjectIdentifier, stageCount: Int)?

  /// `observe(\.name) → map → bind (Form.swift:12)`, if `property` is the observed property.
  func description(observing property: String? = nil) -> String {
    var names = stages + [call?.name].compactMap { $0 }
    if let property, !names.isEmpty { names[0] += "(\\.\(property))" }
    let place = call.map { $0.line == 0 ? "" : " (\($0.place))" } ?? ""
    return names.joined(separator: " → ") + place
  }
}

/// The probe behind counting, recording and traces. It keeps the library's reports by object.
///
/// Under its lock no foreign code runs: stages and calls are text, and the objects are the library's.
final class Records: Probe {
  static let isCounting = Atomic<Bool>(false)
  static let isRecording = Atomic<Bool>(false)

  /// Stays installed once it is: the end of every object whose beginning was reported must arrive.
  static let shared = Records()

  private let table = Protected<[ObjectIdentifier: Record]>([:])

  static func turn(_ flag: borrowing Atomic<Bool>, on isOn: Bool) {
    flag.store(isOn, ordering: .relaxed)
    if isOn { Instrumentation.install(shared) }
  }

  func receive(_ event: Instrumentation.Event) {
    switch event {
    case .began(let id, let kind):
      let record = Record(
        id: id, kind: kind, isCounted: Resources.isCounting, isRecorded: Diagnostics.isRecording)
      if record.isCounted || record.isRecorded { table.withLock { $0[id] = record } }
    case .ended(let id): _ = table.withLock { $0.removeValue(forKey: id) }
    case .called(let object, let call):
      guard call.isOfProgram else { return }
      update(ObjectIdentifier(object)) {
        $0.call = call
        $0.object = object
      }
    case .passed(let id, let stage):
      let name = CallSite.baseName(stage)
      update(id) { if !$0.isSealed, !name.isEmpty { $0.stages.insert(name, at: 0) } }
    case .sealed(let id): update(id) { $0.isSealed = true }
    case .belongs(let inner, let outer):
      // The inner subscription begins behind the stages that the outer one has now.
      table.withLock { table in
        guard let record = table[outer], record.isRecorded else { return }
        table[inner]?.outer = (outer, record.stages.count)
        table[inner]?.isSealed = record.isSealed
      }
    case .reported(let report): TraceRecorder.current.value?.note(.report, "", report.line)
    case .entered(let activity as Activity):
      // First, so that a report stands inside the activity.
      TraceRecorder.current.value?.enter(activity)
      ThreadCheck.enter(activity)
    case .left:
      ThreadCheck.leave()
      TraceRecorder.current.value?.leave()
    case .noted(let occurrence as Occurrence): TraceRecorder.current.value?.note(occurrence)
    case .entered, .noted: break
    }
  }

  /// Changes the record of `id`, if it is there and is more than counted.
  private func update(_ id: ObjectIdentifier, _ change: (inout Record) -> Void) {
    table.withLock { if $0[id]?.isRecorded == true { change(&$0[id]!) } }
  }

  /// The records of all live objects.
  static var all: [ObjectIdentifier: Record] { shared.table.withLock { $0 } }

  /// The record of the outermost subscription that an object belongs to, with all stages between the
  /// object and the call; nil if the object is not recorded.
  static func path(from id: ObjectIdentifier) -> Record? {
    shared.table.withLock { table in
      guard var path = table[id], path.isRecorded else { return nil }
      while let (id, stageCount) = path.outer, var outer = table[id] {
        outer.stages = path.stages + outer.stages.suffix(stageCount)
        path = outer
      }
      return path
    }
  }
}

extension CallSite {
  /// Whether the call stands in the program, and not in the library.
  fileprivate var isOfProgram: Bool {
    let module = "\(file)".prefix { $0 != "/" }
    let library = ["", "Core", "Diagnostics", "Foundation", "Test"]
    return !library.contains { "Keyline\($0)" == module }
  }

  /// `bind`.
  var name: String { Self.baseName(function) }
}
