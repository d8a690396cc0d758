import Keyline

/// A subscription of the program, and the law that its record obeys.
class Followed {
  let record: ThreadRecord
  /// Whether the subscription was disposed, on any thread.
  final var isEnded = false
  /// The number of events, once the subscription is over.
  private var lastCount: Int?

  init(_ record: ThreadRecord) { self.record = record }

  /// Whether the observed object is dead.
  var isSubjectDead: Bool { false }

  /// The breaches of the law of this kind of observation, at rest.
  func breaches(in domain: ThreadDomain) -> [String] { [] }

  /// All breaches, at rest: all threads have joined, and an operation on each object that is alive
  /// has followed.
  final func faults(in domain: ThreadDomain) -> [String] {
    var faults = record.faults + breaches(in: domain)
    let isDead = isSubjectDead
    let (completions, disposals) = (record.completions, record.disposals)
    if isEnded ? completions > (isDead ? 1 : 0) : completions != (isDead ? 1 : 0) {
      faults.append("P5: \(completions) completions, \(isDead ? "dead" : "alive")")
    }
    let isOver = isDead || isEnded
    if disposals != (isOver ? 1 : 0) { faults.append("C2: disposed \(disposals) times") }
    if isOver {
      if !record.isReleased { faults.append("C8: the closures are retained") }
      let count = record.values.count + completions
      if let lastCount, lastCount != count { faults.append("C2: events after the end") }
      lastCount = count
    }
    return faults.map { "\($0), by \(record.name): \(record.values.suffix(12))" }
  }
}

/// An observation of a part.
final class FollowedPart: Followed {
  private let observation: PartObservation
  private let history: PartHistory
  /// The number of entries in the history before the subscription.
  private let start: Int
  /// Whether the subscription was made in a batch, so that the first value may come again (D36).
  private let isBatched: Bool

  init(
    _ observation: PartObservation, _ history: PartHistory, _ record: ThreadRecord, isBatched: Bool
  ) {
    self.observation = observation
    self.history = history
    self.isBatched = isBatched
    start =
      switch observation.law {
      case .exact(let list): history[keyPath: list].count
      case .weak: history.friends.count
      case .changeSets: history.numbers.count
      default: 0
      }
    super.init(record)
  }

  override var isSubjectDead: Bool { history.part == nil }

  /// Whether the value received last is the current one.
  var isCurrent: Bool {
    switch observation.law {
    case .weak: last(record.values, isOpen: true) { $0.friend?.id }.isEmpty
    case .settled(let current), .distinct(let current), .chain(let current):
      last(record.values, isOpen: true, current).isEmpty
    case .exact, .changeSets, .death: true
    }
  }

  override func breaches(in domain: ThreadDomain) -> [String] {
    let values = record.values
    let isOpen = !isEnded && history.part != nil
    switch observation.law {
    case .exact(let list):
      return exact(values, history[keyPath: list], isOpen: isOpen)
    case .weak:
      return weak(values, domain) + last(values, isOpen: isOpen) { $0.friend?.id }
    case .settled(let current): return last(values, isOpen: isOpen, current)
    case .distinct(let current):
      let isRepeated = zip(values, values.dropFirst()).contains { $0 == $1 }
      return (isRepeated ? ["D5: a value is repeated"] : [])
        + last(values, isOpen: isOpen, current)
    case .chain(let current):
      let isRepeated = zip(values, values.dropFirst()).contains { $0 == nil && $1 == nil }
      let isUnfinished = !isEnded && history.part == nil && values.last != .some(nil)
      return (isRepeated ? ["P4: nil is repeated"] : [])
        + (isUnfinished ? ["P4: no nil before the completion"] : [])
        + last(values, isOpen: isOpen, current)
    case .changeSets:
      guard history.numbers.count > start else { return [] }
      return last(values, isOpen: isOpen) { $0.number }
    case .death:
      return !isEnded && history.part == nil && values != [1] ? ["P5: no element"] : []
    }
  }

  private func last(
    _ values: [ThreadRecord.Value], isOpen: Bool, _ current: (Part) -> ThreadRecord.Value
  ) -> [String] {
    guard isOpen, let part = history.part, values.last != current(part) else { return [] }
    return ["P4: the current value is \(current(part) as Any)"]
  }

  private func exact(_ values: [ThreadRecord.Value], _ entries: [Expected], isOpen: Bool)
    -> [String]
  {
    var expected = Array(entries[start...])
    if observation.isInitial {
      // The entry before the subscription is the current value.
      expected.insert(Expected(value: entries[start - 1].value), at: 0)
    }
    if isBatched {
      let index = observation.isInitial ? 1 : 0
      expected.insert(Expected(value: entries[start - 1].value, isOptional: true), at: index)
    }
    let isComplete = !isEnded
    var faults: [String] = []
    if !values.follow(expected, isComplete: isComplete) {
      faults.append("P2: not the values set: \(expected.suffix(12))")
    }
    if isOpen, let last = entries.last, let received = values.last, received != last.value {
      faults.append("P3: the last value set is \(last.value as Any)")
    }
    return faults
  }

  /// Compares with the history of a weak property, in which one nil follows each part that is dead.
  private func weak(_ values: [ThreadRecord.Value], _ domain: ThreadDomain) -> [String] {
    func isDead(_ id: Int?) -> Bool { id.map { domain.histories[$0].part == nil } ?? false }
    let death = Expected(value: nil, isOptional: true)
    let current = history.friends[start - 1].value
    var expected = history.friends[start...].flatMap { isDead($0.value) ? [$0, death] : [$0] }
    if isDead(current) { expected.insert(death, at: 0) }
    if isBatched { expected.insert(Expected(value: current, isOptional: true), at: 0) }
    // The friend may have died before the subscription.
    let first = values.first == .some(nil) && isDead(current) ? nil : current
    expected.insert(Expected(value: first), at: 0)
    return values.follow(expected, isComplete: !isEnded)
      ? [] : ["D23: not the objects set: \(expected.suffix(12))"]
  }
}
