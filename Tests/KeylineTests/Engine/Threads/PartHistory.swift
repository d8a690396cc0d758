@testable import Keyline

/// The sets that a program has made on one part, and whether the part is alive.
final class PartHistory {
  let id: Int
  private(set) weak var part: Part?
  /// The memory registered for the part, as soon as the part is observed.
  private weak var registered: RegisteredObject?

  // The first entry is the initial value.
  private(set) var numbers: [Expected]
  private(set) var list = [Expected(value: nil)]
  private(set) var nexts = [Expected(value: nil)]
  private(set) var friends = [Expected(value: nil)]

  /// How many rules are surely there, and how many may be disposed at this moment.
  var rules = 0
  var endingRules = 0
  /// How often `limited` has been set.
  var limits = 0
  /// The kinds of bindings that have been made to the part: one of each kind, so that nothing else
  /// writes what the binding writes.
  private var connected: Set<Connection> = []

  init(_ part: Part) {
    id = part.id
    self.part = part
    numbers = [Expected(value: part.number)]
  }

  var isReleased: Bool { part == nil && registered == nil }

  /// Called after an operation that registers the part.
  func noteRegistration() {
    if let object = part?.registration { registered = object }
  }

  /// - Returns: false if a binding of this kind has been made to the part, and must be the only one.
  func connect(_ kind: Connection) -> Bool {
    kind == .chainTarget || connected.insert(kind).inserted
  }

  enum Property { case numbers, list, nexts, friends }

  /// Called before a set.
  ///
  /// - Parameter isBatched: whether the set is in a batch, so that observers may be left out.
  func add(_ value: ThreadRecord.Value, to property: Property, isBatched: Bool) {
    let entry = Expected(value: value, isOptional: isBatched)
    switch property {
    case .numbers: numbers.append(entry)
    case .list: list.append(entry)
    case .nexts: nexts.append(entry)
    case .friends: friends.append(entry)
    }
  }
}
