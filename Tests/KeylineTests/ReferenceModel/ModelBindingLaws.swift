import Keyline

// The checks of bindings and rules after each step of a program.

extension ModelRun {
  private func isAlive(_ slot: ModelSlot) -> Bool { recorder.state[slot.node].isAlive }

  private func number(_ slot: ModelSlot) -> Int { value(slot)![0]! }

  func checkBindings(after step: Step) {
    for (index, made) in bindings.sorted(by: { $0.key < $1.key }) {
      let binding = program.bindings[index]
      let isPossible = isAlive(binding.source) && isAlive(binding.target)
      demand(
        "B1", !made.isActive || isPossible, "binding \(index) is active, and an end is dead")
      guard isPossible else { continue }
      let (source, target) = (number(binding.source), number(binding.target))
      let ends = "binding \(index): the source is \(source), the target \(target)"
      if binding.mode == .twoWay, made.isActive, !isRejecting(binding) {
        demand(
          "B3 agreement",
          binding.forward(source) == target || binding.backward(target) == source, ends)
      }
      guard !step.hasScripts else { continue }
      if binding.mode == .oneTime { demand("B2", !made.isActive, "binding \(index) goes on") }
      check(binding, made, step, ends)
      if binding.mode == .twoWay, made.isActive { checkBatch(index, step, ends) }
    }
    guard !step.hasScripts, program.rules.isEmpty, case .set(let slot, let value) = step.action,
      step.values[slot] != nil, isHeld(slot.node)
    else { return }
    demand(
      "B3 kept", number(slot) == value, "\(slot) was set to \(value), and is \(number(slot))")
  }

  /// A step in which no observer has set anything.
  private func check(
    _ binding: ModelBinding, _ made: PropertyBinding, _ step: Step, _ ends: String
  ) {
    guard program.rules.isEmpty else { return }
    let isArrived = number(binding.target) == binding.forward(number(binding.source))
    switch step.action {
    case .bind(let index)
    where program.bindings[index].target == binding.target && !step.bindings.contains(index):
      let isKept = step.values[binding.source] == value(binding.source)
      demand("B2 initially", isArrived && isKept, ends)
    case .set(binding.source, _), .add(binding.source, _):
      guard isHeld(binding.source.node) else { return }
      demand("B2 follows", !made.isActive || isArrived, ends)
      let isLeft = step.values[binding.target] == value(binding.target)
      demand("B1 ended", made.isActive || isLeft, ends)
    default: break
    }
  }

  /// D38: what a batch has set is brought into agreement once, at its end; the source wins.
  private func checkBatch(_ index: Int, _ step: Step, _ text: String) {
    let binding = program.bindings[index]
    let isAlone = bindings.keys.allSatisfy { other in
      let (one, two) = (program.bindings[other].source, program.bindings[other].target)
      return other == index || Set([one, two]).isDisjoint(with: [binding.source, binding.target])
    }
    let ends = [binding.source, binding.target]
    // D31: whether a number that is mutated in place, and back, counts as set is left open.
    let isRestored = recorder.stores[step.stores...].contains {
      $0.isInPlace && ends.contains($0.slot) && step.values[$0.slot] == step.valuesOfBatch[$0.slot]
    }
    guard step.isPlainBatch, program.rules.isEmpty, step.bindings.contains(index), isAlone,
      !isRestored,
      let source = step.valuesOfBatch[binding.source]?[0],
      let target = step.valuesOfBatch[binding.target]?[0]
    else { return }
    let expected: (source: Int, target: Int) =
      if step.values[binding.source] != [source] {
        (source, binding.forward(source))
      } else if step.values[binding.target] != [target] {
        (binding.backward(target), target)
      } else {
        (source, target)
      }
    demand(
      "D38", (number(binding.source), number(binding.target)) == expected,
      "\(text), expected \(expected)")
  }

  /// Whether an end of the binding may refuse a value written to it.
  private func isRejecting(_ binding: ModelBinding) -> Bool {
    program.rules.contains {
      $0.kind == .reject && ($0.slot == binding.source || $0.slot == binding.target)
    }
  }

  func checkRules(after step: Step) {
    for (index, made) in rules.sorted(by: { $0.key < $1.key }) where !made.isDisposed {
      let rule = program.rules[index]
      guard isAlive(rule.slot) else { continue }
      let value = number(rule.slot)
      let rejecting = rules.keys.filter {
        program.rules[$0].slot == rule.slot && program.rules[$0].kind == .reject
      }
      let bound = number(ModelSlot(node: rule.slot.node, property: .c))
      // What one rule makes of a value another one may reject.
      if rule.kind != .reject, !rejecting.isEmpty, bound < 0 { continue }
      // A value that was there before the rule may be one that it would reject.
      let isKept =
        rule.kind == .reject
        ? rule.judge(value, c: bound) != nil || step.values[rule.slot] == [value]
        : rule.judge(value, c: bound) == value
      demand("B rule", isKept, "\(rule.slot) is \(value), c is \(bound)")
    }
  }
}
