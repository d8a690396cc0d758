import Keyline

// The graph of objects that random programs run over, and its shadow: plain values, of which every
// stored state is kept.

/// What an observed expression has as its value: one number, several, or none.
typealias ModelValues = [Int?]

enum ModelProperty: String, CaseIterable {
  case a, b, c, list, next, weak

  static let numbers: [ModelProperty] = [.a, .b, .c]
}

/// One property of one object.
struct ModelSlot: Hashable, CustomStringConvertible {
  let node: Int
  let property: ModelProperty

  var description: String { "n\(node).\(property)" }
}

// MARK: The real objects

class ModelNode: ReactiveObject {
  @Observed var a = 0
  @Observed var b = 0
  /// In programs that record each store of `c`, bindings write to no other property.
  @Observed var c = 0 {
    willSet { recorder.record(ModelSlot(node: id, property: .c), [newValue]) }
  }
  @Observed var list: [Int] = []
  @Observed var next: ModelNode?
  @WeakObserved var weak: ModelNode?

  let id: Int
  private let recorder: ModelRecorder

  init(_ id: Int, _ recorder: ModelRecorder) {
    (self.id, self.recorder) = (id, recorder)
  }

  var sameA: Int { a }
  var sum: Int { a + b }
  var total: Int { list.reduce(a, +) }
  var choice: Int { a.isMultiple(of: 2) ? b : c }
  var reach: Int { (next?.a ?? -1) * 100 + b }
  var far: Int { (weak?.c ?? -1) * 100 + a }
  var diamond: Int { sum * 1000 + choice }

  @Derived({ (self: ModelNode) in self.a + self.b }) var derivedSum: Int
  @Derived({ (self: ModelNode) in self.derivedSum / 10 }) var derivedTens: Int
  @Derived({ (self: ModelNode) in self.a.isMultiple(of: 2) ? self.b : self.derivedTens })
  var derivedChoice: Int
  @Derived({ (self: ModelNode) in self.list.reduce(self.a, +) }) var derivedTotal: Int
  @Derived({ (self: ModelNode) in (self.next?.derivedSum ?? -1) * 100 + self.b })
  var derivedReach: Int
  @Derived({ (self: ModelNode) in (self.weak?.derivedTens ?? -1) * 100 + self.c })
  var derivedFar: Int
  @Derived({ (self: ModelNode) in self.derivedSum * 1000 + self.derivedChoice })
  var derivedDiamond: Int
  @Derived({ (self: ModelNode) in self.next ?? self.weak }) var nearest: ModelNode?
  var label: Int { derivedDiamond + derivedTens }

  func values(of property: ModelProperty) -> ModelValues {
    switch property {
    case .a: [a]
    case .b: [b]
    case .c: [c]
    case .list: list
    case .next: [next?.id]
    case .weak: [weak?.id]
    }
  }

  // Weak references to the object are nil already, and its observers have not received completion
  // yet.
  deinit { recorder.recordDeath(of: id) }
}

/// A subclass, whose inherited properties are observed through either class.
final class ModelLeaf: ModelNode {}

// MARK: The shadow

struct ModelNodeState {
  var a = 0
  var b = 0
  var c = 0
  var list: [Int] = []
  var next: Int?
  var weak: Int?
  var isAlive = true

  subscript(property: ModelProperty) -> ModelValues {
    get {
      switch property {
      case .a: [a]
      case .b: [b]
      case .c: [c]
      case .list: list
      case .next: [next]
      case .weak: [weak]
      }
    }
    set {
      switch property {
      case .a: a = newValue[0]!
      case .b: b = newValue[0]!
      case .c: c = newValue[0]!
      case .list: list = newValue.map { $0! }
      case .next: next = newValue[0]
      case .weak: weak = newValue[0]
      }
    }
  }
}

/// Every stored state of the graph, and every store.
final class ModelRecorder {
  struct Store {
    let slot: ModelSlot
    let values: ModelValues
    /// Whether it is nil because the object behind a weak property has died.
    var isDeath = false
    /// Whether it was made in a batch; whether it is a mutation in place, which batches need not compare.
    var isBatched = false
    var isInPlace = false
  }

  private(set) var snapshots: [[ModelNodeState]]
  private(set) var stores: [Store] = []
  private(set) var deaths = 0
  private var isRecording = true
  var isInBatch = false

  init(nodes: Int) {
    snapshots = [Array(repeating: ModelNodeState(), count: nodes)]
  }

  var state: [ModelNodeState] { snapshots[snapshots.count - 1] }

  /// Called just before each store.
  func record(_ slot: ModelSlot, _ values: ModelValues, isInPlace: Bool = false) {
    guard isRecording else { return }
    var state = state
    state[slot.node][slot.property] = values
    snapshots.append(state)
    stores.append(
      Store(slot: slot, values: values, isBatched: isInBatch, isInPlace: isInPlace))
  }

  fileprivate func recordDeath(of id: Int) {
    guard isRecording else { return }
    deaths += 1
    var state = state
    state[id].isAlive = false
    for node in state.indices where state[node].weak == id {
      state[node].weak = nil
      let slot = ModelSlot(node: node, property: .weak)
      stores.append(Store(slot: slot, values: [nil], isDeath: true))
    }
    snapshots.append(state)
  }

  /// Called when the graph is about to be taken apart.
  func stop() { isRecording = false }
}
