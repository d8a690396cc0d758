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

/// Computes the deliveries to observers of stored properties, from the laws alone:
///
/// - P1: observers are called after the store, in subscription order. If they set other properties,
///   these are delivered at once, inside the delivery.
/// - P2: every set is one emission.
/// - P3: a set of the property that is being delivered is stored at once, and delivered to all of
///   its observers after the current delivery. An observer receives the sets after its
///   subscription.
/// - A binding of one direction is an observer that sets its target.
/// - D30, D35: sets in a batch are delivered at its end, each property once, in the order of the
///   first set; sets during that delivery are delivered at once.
/// - D31: a property restored to its value is not delivered; a list that is mutated in place counts
///   as changed, and a number that is mutated in place may.
/// - D32: a batch in a batch is part of it; a batch in an observer ends by itself, and delivers its
///   own sets in place of the outer batch.
/// - D36: an observer that joins in between gets the current value, and at the end of the batch the
///   last one, even if that is the value before the batch; whether an equal value is emitted again
///   is open.
/// - A rule replaces the value that is stored, or refuses the set.
///
/// Where the laws leave an order or an emission open, the interpreter makes a choice. It tries the
/// sequences that the choices lead to, and keeps the actual one if it is among them.
struct ModelInterpreter {
  private enum Member: Hashable { case observer(Int), binding(Int) }

  /// A property: all values to be delivered so far, how many of them have been, and the observers.
  private struct Channel {
    struct Value {
      let values: ModelValues
      /// Those that have joined in the batch whose end it is, with the value that there was then.
      var late: [Member: ModelValues] = [:]
      /// Whether only those receive it.
      var isForLate = false
    }

    var values: [Value] = []
    var delivered = 0
    var isDelivering = false
    /// In subscription order, each with the number of values there were before.
    var members: [(member: Member, first: Int)] = []
    /// The value before the batch, nil if it is not compared, of a change that waits for its end.
    var pending: ModelValues??
    /// Whether that is a mutation in place of a number, which need not be compared.
    var isInPlace = false
    /// Those that have joined while a change was waiting, with the value that there was then.
    var late: [Member: ModelValues] = [:]
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
  /// The index in `batched` at which the open batch begins.
  private var openBatch = 0
  /// The choices made so far, and how many of them the current attempt has used.
  private var choices: [Bool] = []
  private var asked = 0

  init(_ program: ModelProgram) {
    self.program = program
    state = Array(repeating: ModelNodeState(), count: program.nodes)
  }

  /// - Parameter isMatching: whether the given deliveries equal the actual ones.
  /// - Returns: the deliveries, in order.
  mutating func run(_ step: ModelAction, isMatching: ([ModelLine]) -> Bool) -> [ModelLine] {
    let before = self
    var (choices, first) = ([Bool](), ModelInterpreter?.none)
    for _ in 0..<256 {
      self = before
      (self.choices, asked, lines) = (choices, 0, [])
      perform(step)
      if isMatching(lines) { return lines }
      first = first ?? self
      choices = self.choices
      while choices.last == true { choices.removeLast() }
      guard let last = choices.indices.last else { break }
      choices[last] = true
    }
    self = first ?? self
    return lines
  }

  private mutating func choose() -> Bool {
    defer { asked += 1 }
    if asked == choices.count { choices.append(false) }
    return choices[asked]
  }

  private func isHeld(_ nodes: Int?...) -> Bool {
    nodes.allSatisfy { $0.map { state[$0].isAlive } ?? true }
  }

  private mutating func perform(_ action: ModelAction) {
    switch action {
    case .set(let slot, let value): if isHeld(slot.node) { set(slot, [value]) }
    case .add(let slot, let value):
      if isHeld(slot.node) {
        set(slot, [state[slot.node][slot.property][0]! + value], isInPlace: true)
      }
    case .swap(let node):
      guard isHeld(node) else { return }
      let former = state[node]
      set(ModelSlot(node: node, property: .a), [former.c], isInPlace: true)
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
      guard startOfBatch == nil else {
        for action in actions { perform(action) }
        return
      }
      startOfBatch = state
      let start = batched.count
      openBatch = start
      for action in actions { perform(action) }
      endBatch(from: start)
    }
  }

  private mutating func endBatch(from start: Int) {
    startOfBatch = nil
    for slot in batched[start...] where channels[slot]!.pending == .some(state[slot]) {
      if channels[slot]!.isInPlace, choose() { continue }
      channels[slot]!.pending = nil
    }
    var index = start
    while index < batched.count {
      let slot = batched[index]
      index += 1
      guard isHeld(slot.node) else { continue }
      let (isPending, late) = (channels[slot]!.pending != nil, channels[slot]!.late)
      if !isPending, late.isEmpty { continue }
      channels[slot]!.pending = nil
      channels[slot]!.late = [:]
      deliver(Channel.Value(values: state[slot], late: late, isForLate: !isPending), of: slot)
    }
    batched.removeSubrange(start...)
  }

  private mutating func set(_ slot: ModelSlot, _ values: ModelValues, isInPlace: Bool = false) {
    var values = values
    for (_, rule) in rules where rule.slot == slot {
      guard let value = rule.judge(values[0]!, c: state[slot.node].c) else { return }
      values = [value]
    }
    let former = state[slot]
    state[slot.node][slot.property] = values
    if startOfBatch != nil {
      if channels[slot, default: Channel()].pending == nil {
        channels[slot, default: Channel()].pending =
          .some(isInPlace && slot.property == .list ? nil : former)
        channels[slot]!.isInPlace = isInPlace && slot.property != .c
      }
      if !batched[openBatch...].contains(slot) { batched.append(slot) }
      return
    }
    channels[slot, default: Channel()].pending = nil
    channels[slot]!.late = [:]
    deliver(Channel.Value(values: values), of: slot)
  }

  private mutating func deliver(_ value: Channel.Value, of slot: ModelSlot) {
    channels[slot]!.values.append(value)
    guard !channels[slot]!.isDelivering else { return }
    channels[slot]!.isDelivering = true
    while channels[slot]!.delivered < channels[slot]!.values.count { deliverNext(of: slot) }
    channels[slot]!.isDelivering = false
  }

  private mutating func deliverNext(of slot: ModelSlot) {
    let channel = channels[slot]!
    let value = channel.values[channel.delivered]
    for (member, first) in channel.members where first <= channel.delivered {
      if let known = value.late[member] {
        guard known != value.values || choose() else { continue }
      } else if value.isForLate {
        continue
      }
      call(member, value.values)
    }
    channels[slot]!.delivered += 1
  }

  private mutating func call(_ member: Member, _ values: ModelValues) {
    switch member {
    case .observer(let index):
      guard observers[index]! else { return }
      lines.append(ModelLine(observer: index, values: values))
      deliveries[index, default: 0] += 1
      for action in program.observers[index].script[deliveries[index]!] ?? [] { perform(action) }
    case .binding(let index):
      guard bindings[index]! else { return }
      let binding = program.bindings[index]
      set(binding.target, [binding.forward(values[0]!)])
    }
  }

  private mutating func join(_ member: Member, _ slot: ModelSlot, isInitial: Bool) {
    var channel = channels[slot] ?? Channel()
    channel.members.append((member, channel.values.count))
    if channel.pending != nil { channel.late[member] = state[slot] }
    channels[slot] = channel
    if isInitial { call(member, state[slot.node][slot.property]) }
  }

  private mutating func subscribe(_ index: Int) {
    let observer = program.observers[index]
    guard isHeld(observer.node), observers[index] == nil else { return }
    observers[index] = true
    let slot = ModelSlot(node: observer.node, property: observer.path.property!)
    join(.observer(index), slot, isInitial: observer.isInitial)
  }

  private mutating func bind(_ index: Int) {
    let binding = program.bindings[index]
    guard isHeld(binding.source.node, binding.target.node), bindings[index] == nil else { return }
    bindings[index] = true
    join(.binding(index), binding.source, isInitial: true)
  }

  private mutating func die(_ node: Int) {
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
