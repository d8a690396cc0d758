import Keyline

// The checks of each emission, and the checks after each step.

extension CellRun {
  func check(_ value: Int, _ record: Record, of index: Int) {
    let observer = program.observers[index]
    let isInitial = observer.isInitial && record.emissions == 1
    demand("C2", record.isActive, "observer \(index) receives \(value) after its end")
    defer { record.last = value }
    if isInitial {
      demand(
        "D4 initial", value == current(observer),
        "observer \(index) receives \(value) at first, expected \(current(observer))")
      return
    }
    record.emitted.append(value)
    guard observer.isSettled else { return }
    if let order = record.order { step.called.append((order, index)) }
    if !step.hasFeedback {
      demand(
        "D7 mix", value == oracle.value(observer.cell),
        "observer \(index) receives \(value), expected \(oracle.value(observer.cell))")
      record.matched = step.states.count - 1
      return
    }
    let match = step.states[record.matched...].indices.first {
      CellOracle(program, step.states[$0]).value(observer.cell) == value
    }
    demand(
      "D7 mix", match != nil,
      "observer \(index) receives \(record.emitted), the last of no state: the values are "
        + "\(step.states.map { CellOracle(program, $0).value(observer.cell) })")
    record.matched = match ?? record.matched
  }

  func checkLaws() {
    for (index, record) in records.sorted(by: { $0.key < $1.key }) where !record.isDisposed {
      let observer = program.observers[index]
      guard state.isAlive[observer.cell] else {
        demand("P5", record.isCompleted, "observer \(index) has not completed")
        continue
      }
      demand("P5", !record.isCompleted, "observer \(index) has completed")
      let now = current(observer)
      demand(
        "D4 last value", record.last == now,
        "observer \(index) received \(record.last) last, the value is \(now)")
      switch observer.kind {
      case .value: checkDerived(record, of: index, now)
      case .computed: checkComputed(record, of: index)
      case .input, .weak: break
      }
    }
    checkEvaluations()
    checkOrder()
  }

  /// One emission if the value is another one than was delivered last, none otherwise; more where
  /// observers that are called when the scope closes set something, each another one than the one
  /// before.
  private func checkDerived(_ record: Record, of index: Int, _ now: Int) {
    let emitted = record.emitted
    let text = "observer \(index) receives \(emitted), the value is \(now)"
    guard let last = step.lasts[index] else {
      if !step.hasFeedback { demand("D4 at most one", emitted.count <= 1, text) }
      return
    }
    if step.hasFeedback || step.hasDeaths {
      let pairs = zip([last] + emitted, emitted)
      demand("D5 equal", pairs.allSatisfy { $0 != $1 }, "\(text), and had received \(last)")
      return
    }
    demand(
      last == now ? "D5 none" : "D4 one", emitted == (last == now ? [] : [now]),
      "\(text), and had received \(last)")
  }

  /// Every evaluation of a computed property is emitted, and it is evaluated if something that it
  /// has read has been set, or is another value.
  private func checkComputed(_ record: Record, of index: Int) {
    let cell = program.observers[index].cell
    let evaluated = step.evaluations[cell] ?? 0
    if !record.isNew, !step.hasFeedback {
      demand(
        "P4 emitted", record.emitted.count == evaluated,
        "observer \(index) receives \(record.emitted) of \(evaluated) evaluations")
      demand(
        "P4 one", step.hasDeaths || evaluated <= 1, "observer \(index) receives \(record.emitted)")
    }
    let outdated = evaluations.outdated(cell, oracle)
    demand(
      "P4 missing", outdated == nil, "observer \(index) is not called, though \(outdated!) changed")
  }

  private func checkEvaluations() {
    for cell in step.invalidated where !step.hasDeaths {
      let isObserved = records.contains {
        $0.value.isActive && !$0.value.isNew && program.observers[$0.key].kind == .value
          && program.observers[$0.key].cell == cell
      }
      demand(
        "D18", !isObserved || step.evaluations[cell] != nil,
        "c\(cell) is observed, and not evaluated after invalidate()")
    }
    guard !step.hasFeedback, !step.hasDeaths, !step.hasReadsInside else { return }
    for (cell, count) in step.evaluations where evaluations.last[cell] != nil {
      let isNew = records.contains { $0.value.isNew && program.observers[$0.key].cell == cell }
      demand("D7 one run", count <= 1 || isNew, "c\(cell) is evaluated \(count) times")
    }
  }

  /// Computations in the order of subscription (D12).
  private func checkOrder() {
    guard !step.hasFeedback, !step.hasDeaths else { return }
    let orders = step.called.map(\.order)
    demand(
      "D12 order", orders == orders.sorted(), "observers are called in the order \(step.called)")
  }
}
