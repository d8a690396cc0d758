import Keyline

// The checks after each step of a program.

extension ModelRun {
  /// The exact sequence, as the interpreter has computed it.
  func check(_ expected: [ModelLine], _ state: [ModelNodeState], _ step: Step) {
    let law = step.action.isBatch ? "D30-D38 sequence" : "P1-P3 sequence"
    demand(law, isMatching(expected, step), "expected \(expected), got \(lines)")
    compare(with: state, "the interpreter")
  }

  /// Whether the deliveries are these. In which order observers of different properties complete is left
  /// open.
  func isMatching(_ expected: [ModelLine], _ step: Step) -> Bool {
    guard step.action.all.contains(where: \.isDrop) else { return expected == lines }
    return Set(expected) == Set(lines)
      && expected.filter { $0.values != nil } == lines.filter { $0.values != nil }
  }

  private func compare(with state: [ModelNodeState], _ origin: String) {
    for node in state.indices where state[node].isAlive {
      for property in ModelProperty.allCases {
        let slot = ModelSlot(node: node, property: property)
        guard let value = value(slot) else { continue }
        demand(
          "state", value == state[slot],
          "\(slot) is \(modelText(value)), in \(origin) \(modelText(state[slot]))")
      }
    }
  }

  func checkLaws(after step: Step) {
    if program.category.isRecorded {
      compare(with: recorder.state, "the record")
      if let nested = step.nested, step.isScope(deaths: recorder.deaths) {
        demand("P4 settled last", false, "observer \(nested) is called while another one is")
      }
    }
    for (index, record) in records.sorted(by: { $0.key < $1.key }) where !record.isDisposed {
      let observer = program.observers[index]
      if recorder.state[observer.node].isAlive {
        demand("P5 completion", !record.isCompleted, "observer \(index) has completed")
        check(record, of: index, step)
      } else {
        demand("P5 completion", record.isCompleted, "observer \(index) has not completed")
        guard observer.path.kind == .chain, observer.isInitial else { continue }
        demand(
          "observeWeakly root dies", record.emissions.last?.values == [nil],
          "observer \(index) has not got nil")
      }
    }
    checkBindings(after: step)
    checkRules(after: step)
  }

  private func check(_ record: Record, of index: Int, _ step: Step) {
    let observer = program.observers[index]
    let now: ModelValues
    var count: Count = ("P3", 0, 0...0)
    if let property = observer.path.property {
      let slot = ModelSlot(node: observer.node, property: property)
      now = value(slot)!
      if program.category.isRecorded { checkSequence(record, of: index, slot) }
    } else {
      now = observer.path.evaluate(observer.node, on: recorder.state).values
      checkStates(record, of: index)
      if observer.path.kind == .derived { checkDistinct(record, of: index, step) }
      count = self.count(record, of: index, step)
      demand(
        count.law, count.allowed.contains(count.actual),
        "observer \(index): \(count.actual) emissions, expected \(count.allowed)")
    }
    if let last = record.emissions.last?.values {
      demand(
        "\(count.law), last value", last == now,
        "observer \(index) got \(modelText(last)) last, the value is \(modelText(now))")
    }
  }

  /// P2, P3: of a stored property, every value from the subscription on.
  private func checkSequence(_ record: Record, of index: Int, _ slot: ModelSlot) {
    let isInitial = program.observers[index].isInitial
    let stores = recorder.stores[record.stores...].filter { $0.slot == slot }
    let first = isInitial ? [recorder.snapshots[record.snapshot][slot]] : []
    let emitted = record.emissions.map(\.values)
    let isMatching =
      program.hasBatches
      ? isSubsequence(emitted.dropFirst(first.count), of: stores)
      : matches(emitted.dropFirst(first.count), stores[...])
    demand(
      "P2, P3 gap-free", Array(emitted.prefix(first.count)) == first && isMatching,
      "observer \(index): initially \(first), then set \(stores.map(\.values)), got \(emitted)")
  }

  /// Whether `emitted` equals the stored values; the nil of a death may be missing, if another
  /// object has replaced the dead one before the delivery.
  private func matches(
    _ emitted: ArraySlice<ModelValues>, _ stores: ArraySlice<ModelRecorder.Store>
  ) -> Bool {
    guard let store = stores.first else { return emitted.isEmpty }
    if emitted.first == store.values, matches(emitted.dropFirst(), stores.dropFirst()) {
      return true
    }
    return store.isDeath && matches(emitted, stores.dropFirst())
  }

  /// Values that batches skip may be missing.
  private func isSubsequence(
    _ emitted: ArraySlice<ModelValues>, of stores: [ModelRecorder.Store]
  ) -> Bool {
    var rest = stores[...]
    return emitted.allSatisfy { values in
      guard let index = rest.firstIndex(where: { $0.values == values }) else { return false }
      rest = rest[(index + 1)...]
      return true
    }
  }

  /// D5: each value of a derived property is another one than the one before, unless the observer
  /// has joined in between.
  private func checkDistinct(_ record: Record, of index: Int, _ step: Step) {
    guard let emitted = step.emitted[index] else { return }
    let values = record.emissions[max(0, emitted - 1)...].map(\.values)
    demand(
      "D5 equal", zip(values, values.dropFirst()).allSatisfy { $0 != $1 },
      "observer \(index) receives \(values)")
  }

  /// P4: each value belongs to a stored state, and the states are in order.
  private func checkStates(_ record: Record, of index: Int) {
    let observer = program.observers[index]
    func value(on snapshot: Int) -> ModelValues {
      observer.path.evaluate(observer.node, on: recorder.snapshots[snapshot]).values
    }
    for emission in record.emissions[record.checked...] {
      let isFirst = observer.isInitial && record.checked == 0
      let earliest = isFirst ? emission.snapshot : record.matched
      let state = (earliest...emission.snapshot).first { value(on: $0) == emission.values }
      demand(
        "P4 stored states", state != nil,
        "observer \(index) got \(modelText(emission.values)); the stored states had "
          + "\((earliest...emission.snapshot).map { modelText(value(on: $0)) })")
      record.matched = state ?? emission.snapshot
      record.checked += 1
    }
  }
}

extension [ModelNodeState] {
  subscript(slot: ModelSlot) -> ModelValues { self[slot.node][slot.property] }
}
