import Keyline

// What is checked after each step of a program.

extension ModelRun {
  /// The exact sequence, as the interpreter has computed it.
  func check(_ expected: [ModelLine], _ state: [ModelNodeState], _ step: Step) {
    // In which order observers of different properties complete is left open.
    let isEqual = step.action.isDrop ? Set(expected) == Set(lines) : expected == lines
    demand("P1-P3 sequence", isEqual, "expected \(expected), got \(lines)")
    compare(with: state, "the interpreter")
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
      if observer.path.kind == .computed { checkStates(record, of: index) }
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
    demand(
      "P2, P3 gap-free",
      Array(emitted.prefix(first.count)) == first
        && matches(emitted.dropFirst(first.count), stores[...]),
      "observer \(index): initially \(first), then set \(stores.map(\.values)), got \(emitted)")
  }

  /// Whether `emitted` is what was stored; nil for a death may be left out, where another object
  /// has replaced the dead one before it could be delivered.
  private func matches(
    _ emitted: ArraySlice<ModelValues>, _ stores: ArraySlice<ModelRecorder.Store>
  ) -> Bool {
    guard let store = stores.first else { return emitted.isEmpty }
    if emitted.first == store.values, matches(emitted.dropFirst(), stores.dropFirst()) {
      return true
    }
    return store.isDeath && matches(emitted, stores.dropFirst())
  }

  /// P4: each value is that of a stored state, and time does not run backwards.
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

  // MARK: How many

  private typealias Count = (law: String, actual: Int, allowed: ClosedRange<Int>)

  private func count(_ record: Record, of index: Int, _ step: Step) -> Count {
    let observer = program.observers[index]
    let emitted = step.emitted[index]
    let isNew = emitted == nil
    let actual = record.emissions.count - (emitted ?? (observer.isInitial ? 1 : 0))
    let before = isNew ? record.snapshot : step.snapshot
    let stores = recorder.stores[(isNew ? record.stores : step.stores)...].map(\.slot)
    let (_, reads) = observer.path.evaluate(observer.node, on: recorder.snapshots[before])
    let isTouched = stores.contains(where: reads.contains)
    guard observer.path.kind == .computed else {
      return countOfChain(observer, step, actual, isNew: isNew, isTouched, stores)
    }
    guard isTouched else { return ("P4 not read", actual, 0...0) }
    if !isNew, step.isScope(deaths: recorder.deaths), !step.hasComputedScripts {
      return ("P4 one per set", actual, 1...1)
    }
    let all = recorder.snapshots[before...].reduce(into: Set<ModelSlot>()) {
      $0.formUnion(observer.path.evaluate(observer.node, on: $1).reads)
    }
    return ("P4 one per store", actual, 1...max(1, stores.count(where: all.contains)))
  }

  /// The emission table.
  private func countOfChain(
    _ observer: ModelObserver, _ step: Step, _ actual: Int, isNew: Bool, _ isTouched: Bool,
    _ stores: [ModelSlot]
  ) -> Count {
    guard isTouched else { return ("observeWeakly not on the path", actual, 0...0) }
    let unknown = 0...Int.max
    guard !step.hasScripts, !isNew else { return ("observeWeakly nested", actual, unknown) }
    let before = observer.path.evaluate(observer.node, on: recorder.snapshots[step.snapshot])
    let after = observer.path.evaluate(observer.node, on: recorder.state)
    let (wasBroken, isBroken) = (before.values == [nil], after.values == [nil])
    if step.action.isDrop {
      return wasBroken
        ? ("observeWeakly still broken", actual, 0...0) : ("observeWeakly hop dies", actual, 1...1)
    }
    guard step.isScope(deaths: recorder.deaths) else {
      return ("observeWeakly deaths", actual, unknown)
    }
    if wasBroken, isBroken { return ("observeWeakly still broken", actual, 0...0) }
    if case .setNext = step.action, before.values == after.values, before.reads == after.reads {
      // Whether the same object again replaces the hop is left open.
      return ("observeWeakly same hop", actual, 0...1)
    }
    if case .setWeak = step.action, before.reads == after.reads {
      return ("observeWeakly same hop", actual, 0...1)
    }
    return ("observeWeakly one per set", actual, 1...1)
  }
}

extension [ModelNodeState] {
  subscript(slot: ModelSlot) -> ModelValues { self[slot.node][slot.property] }
}
