import Keyline
import KeylineDiagnostics

/// A random program of one domain, and of other threads that only dispose subscriptions and drop last
/// references meanwhile.
///
/// Objects stand in numbered slots. A step that finds its slots empty does nothing, so that any part
/// of a program is a program.
struct ThreadProgram: SteppedProgram {
  /// What the domain does.
  indirect enum Operation {
    case make(Int)
    case release(Int)
    /// Sets the number, or changes it in place.
    case set(Int, inPlace: Bool)
    /// Appends to the list in place.
    case append(Int)
    case setTwin(Int)
    /// Sets the property that may have a rule.
    case limit(Int)
    case refer(Int, to: Int?)
    case link(Int, to: Int?)
    /// Reads the friend, and sets the friend's number.
    case setFriend(Int)
    /// Reads all derived values.
    case read(Int)
    case batch([Operation])

    /// Subscribes. The next value runs an operation, once; the closure retains a part.
    case observe(PartObservation, Int, slot: Int, inBag: Bool, keeping: Int?, then: Operation?)
    case observeArray(ArrayObservation, Int, slot: Int)
    case observeView(Int, slot: Int)
    case dispose(Int)

    case bind(Connection, Int, Int, slot: Int)
    case unbind(Int)
    case addRule(Int, slot: Int)
    case removeRule(Int)

    case makeArray(Int, of: [Int])
    case edit(Int, ArrayOperation)
    case releaseArray(Int)
    case makeView(ViewKind, Int, slot: Int)
    case readView(Int)
    case releaseView(Int)
  }

  enum ArrayOperation {
    case insert(part: Int, at: Int)
    case replace(at: Int, by: Int)
    case remove(at: Int)
    case move(from: Int, to: Int)
    case removeAll
  }

  /// What another thread does, with the contents of a slot.
  enum Errand {
    case dispose(Int)
    case unbind(Int)
    case removeRule(Int)
    case drop(Int)
    case dropArray(Int)
    case dropView(Int)
  }

  /// An errand, and how long its thread idles before it.
  struct Delayed {
    let errand: Errand
    let delay: Int
  }

  enum Step {
    case alone(Operation)
    /// The operations of the domain, and the errands of each other thread, at the same time.
    case together([Operation], after: Int, [[Delayed]])
    /// Compares everything with the laws. Derived values are read before or after an operation on
    /// their owners.
    case check(readsFirst: Bool)
  }

  static let parts = 6
  static let arrays = 2
  static let views = 3
  static let subscriptions = 14
  static let connections = 4
  static let rules = 2

  let seed: UInt64
  /// The number of other threads.
  let threads: Int
  /// Whether the program is recorded for diagnostics, which takes other paths through the engine.
  let isRecorded: Bool
  var steps: [Step]

  var description: String {
    (isRecorded ? "  recorded\n" : "")
      + steps.enumerated().map { "  \($0): \($1)" }.joined(separator: "\n")
      .replacing(/KeylineTests\.(\w+\.)*/, with: "")
  }

  var failures: [LawFailure] {
    let others = OtherThreads(threads)
    defer { others.stop() }
    return failures(with: others)
  }

  /// Leaves out steps, and then operations and errands of the meetings.
  func shortened(while fails: (Self) -> Bool) -> Self {
    var shortest = self
    for index in steps.indices.reversed() {
      var shorter = shortest
      shorter.steps.remove(at: index)
      if fails(shorter) { shortest = shorter }
    }
    for index in shortest.steps.indices {
      while let step = shortest.steps[index].shorter.first(where: {
        fails(shortest.with($0, at: index))
      }) { shortest = shortest.with(step, at: index) }
    }
    return shortest
  }

  private func with(_ step: Step, at index: Int) -> Self {
    var program = self
    program.steps[index] = step
    return program
  }

  /// - Parameter others: as many threads as the program uses.
  func failures(with others: OtherThreads) -> [LawFailure] {
    Diagnostics.isRecording = isRecorded
    defer { Diagnostics.isRecording = false }
    let domain = ThreadDomain(others)
    for (index, step) in steps.enumerated() { domain.run(step, index) }
    domain.finish(seed: seed)
    return domain.failures
  }
}

extension ThreadProgram.Step {
  /// A meeting without one of its operations, or without one of its errands.
  var shorter: [Self] {
    guard case .together(let operations, let delay, let errands) = self else { return [] }
    func without<Element>(_ index: Int, _ list: [Element]) -> [Element] {
      Array(list[..<index] + list[(index + 1)...])
    }
    let fewerOperations = operations.indices.map { index in
      Self.together(without(index, operations), after: delay, errands)
    }
    let fewerErrands = errands.indices.flatMap { thread in
      errands[thread].indices.map { index in
        var errands = errands
        errands[thread] = without(index, errands[thread])
        return Self.together(operations, after: delay, errands)
      }
    }
    return fewerOperations + fewerErrands
  }
}

extension ThreadProgram.Step: CustomStringConvertible {
  var description: String {
    switch self {
    case .alone(let operation): "\(operation)"
    case .together(let operations, let delay, let errands):
      (["together, after \(delay)"] + operations.map { "    here: \($0)" }
        + errands.enumerated().map { thread, errands in
          "    thread \(thread): "
            + errands.map { "\($0.errand) after \($0.delay)" }.joined(separator: ", ")
        }).joined(separator: "\n  ")
    case .check(let readsFirst): "check, \(readsFirst ? "reads" : "operations") first"
    }
  }
}

extension ThreadProgram.Errand {
  /// The errands that empty all slots of objects.
  static var allDrops: [Self] {
    (0..<ThreadProgram.parts).map(Self.drop) + (0..<ThreadProgram.arrays).map(Self.dropArray)
      + (0..<ThreadProgram.views).map(Self.dropView)
  }
}

/// The ways to observe an array.
enum ArrayObservation: CaseIterable {
  case changes, count, elements
}

/// The kinds of bindings from one part to another.
enum Connection: String, CaseIterable, Codable, Sendable {
  case oneWay, twoWay, chainSource, chainTarget

  func bind(_ source: Part, to target: Part) -> PropertyBinding {
    switch self {
    case .oneWay: source.bind(\.number, to: target, \.copy)
    case .twoWay: source.bind(\.twin, to: target, \.twin, mode: .twoWay)
    case .chainSource:
      source.bind({ $0.friend.number }, to: target, \.followed, whenBroken: .value(-1))
    case .chainTarget: source.bind(\.number, to: target, { $0.friend.reached })
    }
  }

  /// Whether both ends have the same value (B3, B5). The target of a chain may have several writers.
  func agrees(_ source: Part, _ target: Part) -> Bool {
    switch self {
    case .oneWay: target.copy == source.number
    case .twoWay: target.twin == source.twin
    case .chainSource: target.followed == source.friend?.number ?? -1
    case .chainTarget: true
    }
  }

  /// The value that the binding writes; nil if others write it, too.
  func written(to target: Part) -> Int? { self == .oneWay ? target.copy : nil }
}

/// The kinds of live views.
enum ViewKind: String, CaseIterable, Codable, Sendable {
  case filtered, befriended, sorted, mapped, combined

  func make(of array: LiveArray<Part>) -> LiveArray<Part> {
    switch self {
    case .filtered: array.filtered { $0.number.isMultiple(of: 2) }
    case .befriended: array.filtered { $0.friend != nil }
    case .sorted: array.sorted { $0.ofFriend < $1.ofFriend }
    case .mapped: array.mapped { $0.number > 0 ? $0 : Part(0, 0) }
    case .combined:
      array.filtered { $0.number.isMultiple(of: 2) }.sorted { $0.number > $1.number }.mapped { $0 }
    }
  }

  /// The same elements, computed anew.
  func elements(of parts: [Part]) -> [Part] {
    switch self {
    case .filtered: parts.filter { $0.number.isMultiple(of: 2) }
    case .befriended: parts.filter { $0.friend != nil }
    case .sorted: parts.sorted { $0.naiveOfFriend < $1.naiveOfFriend }
    case .mapped: parts
    case .combined:
      parts.filter { $0.number.isMultiple(of: 2) }.sorted { $0.number > $1.number }
    }
  }
}
