/// One delivery: of values, or of the completion.
struct ModelLine: Hashable, CustomStringConvertible {
  let observer: Int
  /// Nil for the completion.
  let values: ModelValues?

  var description: String {
    guard let values else { return "\(observer): completed" }
    return "\(observer): " + modelText(values)
  }
}

func modelText(_ values: ModelValues) -> String {
  "(" + values.map { $0.map(String.init) ?? "nil" }.joined(separator: ", ") + ")"
}

/// Computes what the observers of stored properties get, from the laws alone:
///
/// - P1: observers are called after the store, in subscription order. What they set of other
///   properties is delivered at once, inside.
/// - P2: every set is one emission.
/// - P3: a set of the property that is being delivered is stored at once, and delivered to all of
///   its observers after the delivery in hand. An observer gets what is set after it has
///   subscribed.
/// - A binding of one direction is an observer that sets its target.
/// - D30, D35: sets in a batch are delivered at its end, each property once, in the order of the first
///   set; what is set during that is delivered at once.
/// - D31: not delivered if the value is back; a list that is mutated in place counts as changed.
/// - D32: a batch in a batch is part of it, one in an observer ends by itself; what it sets it also
///   delivers, in the place of the batch around it.
/// - D36: who joins in between gets what is set later, also if that is the value before the batch.
/// - A rule replaces the value that is stored, or the set does not take place.
final class ModelInterpreter {
  private enum Member: Hashable { case observer(Int), binding(Int) }

  /// A property: all values to be delivered so far, how many of them have been, and to whom.
  private struct Channel {
    struct Value {
      let values: ModelValues
      /// How many sets there had been.
      let sets: Int
      /// Whether only those receive it who have joined in the batch.
      var isForLate = false
    }

    var values: [Value] = []
    var delivered = 0
    var isDelivering = false
    var sets = 0
    /// In subscription order, each with the number of values there were before and, if it joined
    /// while a change was waiting, the number of sets.
    var members: [(member: Member, first: Int, joined: Int?)] = []
    /// The value before the batch, nil if it is not compared, of a change that waits for its end.
    var pending: ModelValues??
    /// Those that have joined in the batch.
    var late: [Member] = []
  }

  private let program: ModelProgram
  private(set) var state: [ModelNodeState]
  private var channels: [ModelSlot: Channel] = [:]
  /// Those that have been made, and whether they are still active.
  private var observers: [Int: Bool] = [:]
  private var bindings: [Int: Bool] = [:]
  private var rules: [(index: Int, rule: ModelRule)] = []
  private var madeRules: Set<Int> = []
  private var deliveries: [Int: Int] = [:]
  private var lines: [ModelLine] = []
  private var startOfBatch: [ModelNodeState]?
  /// What batches have set, those that are being delivered included.
  private var batched: [ModelSlot] = []
  /// Where that of the batch that is open begins.
  private var openBatch = 0

  init(_ program: ModelProgram) {
    self.program = program
    state = Array(repeating: ModelNodeState(), count: program.nodes)
  }

  /// - Returns: the deliveries, in order.
  func run(_ step: ModelAction) -> [ModelLine] {
    lines = []
    perform(step)
    return lines
  }

  private func isHeld(_ nodes: Int?...) -> Bool {
    nodes.allSatisfy { $0.map { state[$0].isAlive } ?? true }
  }

  private func perform(_ action: ModelAction) {
    switch action {
    case .set(let slot, let value): if isHeld(slot.node) { set(slot, [value]) }
    case .add(let slot, let value):
      if isHeld(slot.node) { set(slot, [state[slot.node][slot.property][0]! + value]) }
    case .swap(let node):
      guard isHeld(node) else { return }
      let former = state[node]
      set(ModelSlot(node: node, property: .a), [former.c])
      set(ModelSlot(node: node, property: .c), [former.a])
    case .append(let node, let value):
      let slot = ModelSlot(node: node, property: .list)
      if isHeld(node) { set(slot, state[node][.list] + [value], isInPlace: true) }
    case .removeLast(let node):
      let slot = ModelSlot(node: node, property: .list)
      if isHeld(node), !state[node].list.isEmpty {
        set(slot, state[node][.list].dropLast(), isInPlace: true)
      }
    case .setNext(let node, let next):
      if isHeld(node, next) { set(ModelSlot(node: node, property: .next), [next]) }
    case .setWeak(let node, let weak):
      if isHeld(node, weak) { set(ModelSlot(node: node, property: .weak), [weak]) }
    case .drop(let node): if isHeld(node) { die(node) }
    case .subscribe(let index): subscribe(index)
    case .dispose(let index): if observers[index] != nil { observers[index] = false }
    case .bind(let index): bind(index)
    case .unbind(let index): if bindings[index] != nil { bindings[index] = false }
    case .validate(let index):
      let rule = program.rules[index]
      guard isHeld(rule.slot.node), madeRules.insert(index).inserted else { return }
      rules.append((index, rule))
    case .invalidate(let index): rules.removeAll { $0.index == index }
    case .restore(let slot):
      let value = (startOfBatch ?? state)[slot][0]
      switch slot.property {
      case .next: perform(.setNext(slot.node, value))
      case .weak: perform(.setWeak(slot.node, value))
      default: perform(.set(slot, value!))
      }
    case .batch(let actions, _):
      guard startOfBatch == nil else { return actions.forEach(perform) }
      startOfBatch = state
      let start = batched.count
      openBatch = start
      actions.forEach(perform)
      endBatch(from: start)
    }
  }

  private func endBatch(from start: Int) {
    startOfBatch = nil
    for slot in batched[start...] where channels[slot]!.pending == .some(state[slot]) {
      channels[slot]!.pending = nil
    }
    var index = start
    while index < batched.count {
      let slot = batched[index]
      index += 1
      guard isHeld(slot.node) else { continue }
      let isPending = channels[slot]!.pending != nil
      if !isPending, channels[slot]!.late.isEmpty { continue }
      channels[slot]!.pending = nil
      if isPending { channels[slot]!.late = [] }
      deliver(state[slot], of: slot, isForLate: !isPending)
    }
    batched.removeSubrange(start...)
  }

  private func set(_ slot: ModelSlot, _ values: ModelValues, isInPlace: Bool = false) {
    var values = values
    for (_, rule) in rules where rule.slot == slot {
      guard let value = rule.judge(values[0]!, c: state[slot.node].c) else { return }
      values = [value]
    }
    let former = state[slot]
    state[slot.node][slot.property] = values
    channels[slot, default: Channel()].sets += 1
    if startOfBatch != nil {
      if channels[slot]!.pending == nil {
        channels[slot]!.pending = .some(isInPlace && slot.property == .list ? nil : former)
      }
      if !batched[openBatch...].contains(slot) { batched.append(slot) }
      return
    }
    channels[slot]!.pending = nil
    channels[slot]!.late = []
    deliver(values, of: slot)
  }

  private func deliver(_ values: ModelValues, of slot: ModelSlot, isForLate: Bool = false) {
    let sets = channels[slot]!.sets
    channels[slot]!.values.append(Channel.Value(values: values, sets: sets, isForLate: isForLate))
    guard !channels[slot]!.isDelivering else { return }
    channels[slot]!.isDelivering = true
    while channels[slot]!.delivered < channels[slot]!.values.count { deliverNext(of: slot) }
    channels[slot]!.isDelivering = false
  }

  private func deliverNext(of slot: ModelSlot) {
    let channel = channels[slot]!
    let value = channel.values[channel.delivered]
    if value.isForLate { channels[slot]!.late = [] }
    for (member, first, joined) in channel.members
    where first <= channel.delivered && joined != value.sets
      && (!value.isForLate || channel.late.contains(member))
    {
      call(member, value.values)
    }
    channels[slot]!.delivered += 1
  }

  private func call(_ member: Member, _ values: ModelValues) {
    switch member {
    case .observer(let index):
      guard observers[index]! else { return }
      lines.append(ModelLine(observer: index, values: values))
      deliveries[index, default: 0] += 1
      for action in program.observers[index].script[deliveries[index]!] ?? [] { perform(action) }
    case .binding(let index):
      guard bindings[index]! else { return }
      let binding = program.bindings[index]
      set(binding.flow.to, [binding.convert(values[0]!)])
    }
  }

  private func join(_ member: Member, _ slot: ModelSlot, isInitial: Bool) {
    let first = channels[slot]?.values.count ?? 0
    var channel = channels[slot] ?? Channel()
    let isLate = channel.pending != nil
    channel.members.append((member, first, isLate ? channel.sets : nil))
    if isLate { channel.late.append(member) }
    channels[slot] = channel
    if isInitial { call(member, state[slot.node][slot.property]) }
  }

  private func subscribe(_ index: Int) {
    let observer = program.observers[index]
    guard isHeld(observer.node), observers[index] == nil else { return }
    observers[index] = true
    let slot = ModelSlot(node: observer.node, property: observer.path.property!)
    join(.observer(index), slot, isInitial: observer.isInitial)
  }

  private func bind(_ index: Int) {
    let flow = program.bindings[index].flow
    guard isHeld(flow.from.node, flow.to.node), bindings[index] == nil else { return }
    bindings[index] = true
    join(.binding(index), flow.from, isInitial: true)
  }

  private func die(_ node: Int) {
    state[node].isAlive = false
    for (index, binding) in program.bindings.enumerated()
    where bindings[index] != nil && (binding.source.node == node || binding.target.node == node) {
      bindings[index] = false
    }
    for (index, observer) in program.observers.enumerated()
    where observer.node == node && observers[index] == true {
      observers[index] = false
      lines.append(ModelLine(observer: index, values: nil))
    }
  }
}
