// How many emissions a step may cause.

extension ModelRun {
  typealias Count = (law: String, actual: Int, allowed: ClosedRange<Int>)

  /// An expression before and after a step, and whether its reads have changed.
  private struct Change {
    let (before, after): (ModelEvaluation, ModelEvaluation)
    /// Whether a stored property has been set, or a derived value has changed, among the reads.
    let isTouched: Bool
    /// The same without properties that a batch has changed and restored.
    let isCertain: Bool
    /// Whether such a property may count as changed, because a number was mutated in place (D31).
    let isPossible: Bool
  }

  func count(_ record: Record, of index: Int, _ step: Step) -> Count {
    let observer = program.observers[index]
    let emitted = step.emitted[index]
    let isNew = emitted == nil
    let actual = record.emissions.count - (emitted ?? (observer.isInitial ? 1 : 0))
    let before = isNew ? record.snapshot : step.snapshot
    let stores = recorder.stores[(isNew ? record.stores : step.stores)...]
    let change = change(of: observer, from: before, stores)
    switch observer.path.kind {
    case .chain: return countOfChain(step, actual, isNew: isNew, change, stores.count)
    case .derived: return countOfDerived(step, actual, isNew: isNew, change)
    case .stored, .computed: break
    }
    // A derived value that was read in between may have been another one meanwhile.
    let isExact = step.isScope(deaths: recorder.deaths) && !step.hasComputedScripts
    guard change.isTouched else {
      let isSilent = !observer.path.readsDerived || isExact && step.isPlainOrSingle
      return ("P4 not read", actual, isSilent ? 0...0 : 0...stores.count + recorder.deaths)
    }
    if !isNew, isExact {
      if change.isCertain { return ("P4 one per set", actual, 1...1) }
      // A path may emit an equal value; a stored property is silent.
      let isSilent =
        step.isPlainBatch && !change.isPossible && observer.path.kind == .stored
      return ("D31 none", actual, isSilent ? 0...0 : 0...1)
    }
    let all = recorder.snapshots[before...].reduce(into: Set<ModelSlot>()) {
      $0.formUnion(observer.path.evaluate(observer.node, on: $1).all)
    }
    let most = max(1, stores.count { all.contains($0.slot) })
    let isExpected =
      !isNew && change.isCertain || !program.hasBatches && !observer.path.readsDerived
    return ("P4 one per store", actual, (isExpected ? 1 : 0)...most)
  }

  private func change(
    of observer: ModelObserver, from before: Int, _ stores: ArraySlice<ModelRecorder.Store>
  ) -> Change {
    let (former, state) = (recorder.snapshots[before], recorder.state)
    let evaluation = observer.path.evaluate(observer.node, on: former)
    let own = stores.filter { evaluation.reads.contains($0.slot) }
    let isDerivedChanged = evaluation.derived.contains { derived in
      var reader = ModelReader(state)
      return reader.derived(derived.node, derived.property) != derived.value
    }
    // A list that is mutated in place is not compared.
    let isCertain =
      isDerivedChanged
      || own.contains {
        !$0.isBatched || $0.slot.property == .list || former[$0.slot] != state[$0.slot]
      }
    return Change(
      before: evaluation, after: observer.path.evaluate(observer.node, on: state),
      isTouched: isDerivedChanged || !own.isEmpty, isCertain: isCertain,
      isPossible: own.contains(where: \.isInPlace))
  }

  /// One emission for each outermost set or batch that changes the value, and none otherwise.
  private func countOfDerived(_ step: Step, _ actual: Int, isNew: Bool, _ change: Change) -> Count {
    guard !isNew, step.isScope(deaths: recorder.deaths), !step.hasComputedScripts else {
      return ("D4 any", actual, 0...Int.max)
    }
    let isChanged = change.before.values != change.after.values
    return ("D4 one per change", actual, isChanged ? 1...1 : 0...0)
  }

  /// The emission table: one emission for each transaction that sets something on the path, also where
  /// observers of stored properties have set it, with the final value (P4, D37).
  private func countOfChain(
    _ step: Step, _ actual: Int, isNew: Bool, _ change: Change, _ stores: Int
  ) -> Count {
    let deaths = recorder.deaths - step.deaths
    // Observers of computed or derived values, and subscriptions, may set a property once more.
    let isExact = !isNew && !step.hasComputedScripts
    let most = isExact ? 1 : 1 + stores + deaths
    guard change.isTouched else {
      // A batch may have changed and restored hops and leaves that were read in between.
      let isSilent = change.before.derived.isEmpty || isExact && step.isPlainOrSingle
      return ("observeWeakly not on the path", actual, isSilent ? 0...0 : 0...most)
    }
    let (wasBroken, isBroken) = (change.before.values == [nil], change.after.values == [nil])
    guard isExact else { return ("observeWeakly at most one per set", actual, 0...most) }
    if step.action.isDrop, !step.hasScripts {
      return wasBroken
        ? ("observeWeakly still broken", actual, 0...0) : ("observeWeakly hop dies", actual, 1...1)
    }
    guard step.isScope(deaths: recorder.deaths) else {
      // Each death that no set encloses is a transaction of its own.
      let isSet = step.action.isSet || step.action.isDrop
      return ("observeWeakly deaths", actual, 0...(isSet ? 1 + deaths : 1 + stores + deaths))
    }
    if wasBroken, isBroken { return ("observeWeakly still broken", actual, 0...0) }
    if change.isCertain { return ("P4, D37 one per set", actual, 1...1) }
    return ("D37 at most one", actual, 0...1)
  }
}

extension ModelRun.Step {
  /// Whether nothing can have been read between two stores of it.
  fileprivate var isPlainOrSingle: Bool { !hasScripts && (isPlainBatch || !action.isBatch) }
}
