import Keyline

/// Runs a program over real objects, and keeps what its observers get.
final class ModelRun {
  struct Emission {
    let values: ModelValues
    /// The stored state at that time, as an index into the recorded ones.
    let snapshot: Int
  }

  /// The emissions and the state of an observer of the program.
  final class Record {
    var disposable: (any Disposable)?
    var isDisposed = false
    var isCompleted = false
    var emissions: [Emission] = []
    /// When it was subscribed: how many steps, stores and stored states there were.
    let (step, stores, snapshot): (Int, Int, Int)
    /// The stored state that the last emission belongs to, at the earliest.
    var matched: Int
    var checked = 0

    init(step: Int, stores: Int, snapshot: Int) {
      (self.step, self.stores, self.snapshot) = (step, stores, snapshot)
      matched = snapshot
    }

    var isActive: Bool { disposable != nil && !isDisposed && !isCompleted }
  }

  /// A step, with the counts and values of the run at its beginning.
  struct Step {
    let index: Int
    let action: ModelAction
    let (stores, snapshot, deaths): (Int, Int, Int)
    let values: [ModelSlot: ModelValues]
    /// Which bindings had been made before.
    let bindings: Set<Int>
    /// How much each observer had got before.
    let emitted: [Int: Int]
    /// If the step is a batch, the values that it has stored, before their delivery.
    var valuesOfBatch: [ModelSlot: ModelValues] = [:]
    /// Whether an observer has done something; whether one of something computed, or of a chain.
    var hasScripts = false
    var hasComputedScripts = false
    /// An observer of something computed, or of a chain, that was called while another one was.
    var nested: Int?

    /// Whether it is one batch, of sets alone.
    var isPlainBatch: Bool {
      action.isBatch && !hasScripts
        && action.all.allSatisfy { $0.isSet || $0.isDrop }
    }

    /// Whether the outermost set is the whole step.
    func isScope(deaths: Int) -> Bool { action.isSet && deaths == self.deaths }
  }

  private struct Refusal: Error {}
  private struct WeakNode { weak var node: ModelNode? }

  let program: ModelProgram
  let recorder: ModelRecorder
  private var nodes: [ModelNode?]
  private let allNodes: [WeakNode]
  private(set) var records: [Int: Record] = [:]
  private(set) var bindings: [Int: PropertyBinding] = [:]
  private(set) var rules: [Int: PropertyValidation<Int>] = [:]
  private(set) var step: Step?
  private(set) var lines: [ModelLine] = []
  /// The laws that the first failing step breaks.
  private(set) var failures: [LawFailure] = []
  private var depth = 0
  private var startOfBatch: [ModelSlot: ModelValues]?

  init(_ program: ModelProgram) {
    self.program = program
    let recorder = ModelRecorder(nodes: program.nodes)
    let nodes = (0..<program.nodes).map {
      $0.isMultiple(of: 2) ? ModelNode($0, recorder) : ModelLeaf($0, recorder)
    }
    (self.recorder, self.nodes) = (recorder, nodes)
    allNodes = nodes.map { WeakNode(node: $0) }
  }

  /// What `program` breaks in the first step that breaks something.
  static func failures(of program: ModelProgram) -> [LawFailure] {
    let run = ModelRun(program)
    run.runAll()
    run.stop()
    guard run.failures.isEmpty else { return run.failures }
    let leaked = run.allNodes.indices.filter { run.allNodes[$0].node != nil }
    run.demand("P5 retained", leaked.isEmpty, "objects \(leaked) are retained")
    return run.failures
  }

  private func runAll() {
    var interpreter = program.category.isExact ? ModelInterpreter(program) : nil
    for (index, action) in program.steps.enumerated() where failures.isEmpty {
      lines = []
      let step = Step(
        index: index, action: action, stores: recorder.stores.count, snapshot: snapshot,
        deaths: recorder.deaths, values: values, bindings: Set(bindings.keys),
        emitted: records.mapValues { $0.emissions.count })
      self.step = step
      perform(action)
      checkLaws(after: self.step!)
      if let expected = interpreter?.run(action, isMatching: { isMatching($0, step) }) {
        check(expected, interpreter!.state, step)
      }
    }
  }

  func demand(_ law: String, _ isKept: Bool, _ message: @autoclosure () -> String) {
    guard !isKept else { return }
    let index = step?.index ?? program.steps.count
    failures.append(LawFailure(law: law, step: index, message: message()))
  }

  /// Takes the graph apart; its observers stay subscribed.
  private func stop() {
    recorder.stop()
    step = nil
    for node in allNodes { node.node?.next = nil }
    nodes = []
  }

  var snapshot: Int { recorder.snapshots.count - 1 }

  func isHeld(_ node: Int) -> Bool { nodes[node] != nil }

  func value(_ slot: ModelSlot) -> ModelValues? {
    allNodes[slot.node].node?.values(of: slot.property)
  }

  /// Of all properties of objects that are alive.
  private var values: [ModelSlot: ModelValues] {
    var values: [ModelSlot: ModelValues] = [:]
    for node in allNodes.indices {
      for property in ModelProperty.allCases {
        let slot = ModelSlot(node: node, property: property)
        values[slot] = value(slot)
      }
    }
    return values
  }

  // MARK: Actions

  private func perform(_ action: ModelAction) {
    switch action {
    case .set(let slot, let value):
      guard let node = nodes[slot.node] else { return }
      record(slot, [value])
      switch slot.property {
      case .a: node.a = value
      case .b: node.b = value
      default: node.c = value
      }
    case .add(let slot, let value):
      guard let node = nodes[slot.node] else { return }
      record(slot, [node.values(of: slot.property)[0]! + value], isInPlace: true)
      switch slot.property {
      case .a: node.a += value
      case .b: node.b += value
      default: node.c += value
      }
    case .swap(let index):
      guard let node = nodes[index] else { return }
      record(ModelSlot(node: index, property: .a), [node.c], isInPlace: true)
      // The setter of `c` runs last, on a copy. Of two properties without `willSet`, both would be
      // under modification while the first is delivered, and observers could not read them.
      swap(&node.c, &node.a)
    case .append(let index, let value):
      guard let node = nodes[index] else { return }
      record(ModelSlot(node: index, property: .list), node.list + [value])
      node.list.append(value)
    case .removeLast(let index):
      guard let node = nodes[index], !node.list.isEmpty else { return }
      record(ModelSlot(node: index, property: .list), node.list.dropLast())
      node.list.removeLast()
    case .setNext(let index, let next):
      guard let node = nodes[index], next == nil || nodes[next!] != nil else { return }
      record(ModelSlot(node: index, property: .next), [next])
      // Kept until the store is over: while an object dies in a store to an unobserved property, as
      // to a plain one, Swift's exclusivity check forbids its observers to read that property.
      withExtendedLifetime(node.next) { node.next = next.flatMap { nodes[$0] } }
    case .setWeak(let index, let weak):
      guard let node = nodes[index], weak == nil || nodes[weak!] != nil else { return }
      record(ModelSlot(node: index, property: .weak), [weak])
      node.weak = weak.flatMap { nodes[$0] }
    case .drop(let index):
      // Dropped when the array is no longer being accessed.
      withExtendedLifetime(nodes[index]) { nodes[index] = nil }
    case .subscribe(let index): subscribe(index)
    case .dispose(let index):
      guard let record = records[index], let disposable = record.disposable else { return }
      disposable.dispose()
      record.isDisposed = true
    case .bind(let index): bind(index)
    case .unbind(let index): bindings[index]?.dispose()
    case .validate(let index):
      let rule = program.rules[index]
      guard let node = nodes[rule.slot.node], rules[index] == nil else { return }
      rules[index] = node.validate(rule.slot.property == .a ? \.a : \.b) { rule.rule($0, $1) }
    case .invalidate(let index): rules[index]?.dispose()
    case .restore(let slot):
      guard isHeld(slot.node), let values = startOfBatch?[slot] ?? value(slot) else { return }
      let value = values[0]
      switch slot.property {
      case .next: perform(.setNext(slot.node, value))
      case .weak: perform(.setWeak(slot.node, value))
      default: perform(.set(slot, value!))
      }
    case .batch(let actions, let isThrowing): batch(actions, isThrowing: isThrowing)
    }
  }

  private func batch(_ actions: [ModelAction], isThrowing: Bool) {
    let isOutermost = startOfBatch == nil
    if isOutermost {
      startOfBatch = values
      recorder.isInBatch = true
    }
    do {
      try batchUpdates {
        for action in actions { perform(action) }
        if isOutermost {
          startOfBatch = nil
          if step?.action.isBatch == true, depth == 0 { step?.valuesOfBatch = values }
          recorder.isInBatch = false
        }
        if isThrowing { throw Refusal() }
      }
      demand("D33", !isThrowing, "the error is lost")
    } catch {
      demand("D33", isThrowing && error is Refusal, "\(error)")
    }
  }

  /// Stores to `c` are recorded where they take place, because bindings make some of them.
  private func record(_ slot: ModelSlot, _ values: ModelValues, isInPlace: Bool = false) {
    if slot.property != .c { recorder.record(slot, values, isInPlace: isInPlace) }
  }

  private func subscribe(_ index: Int) {
    let observer = program.observers[index]
    guard let node = nodes[observer.node], records[index] == nil, let step else { return }
    let record = Record(step: step.index, stores: recorder.stores.count, snapshot: snapshot)
    records[index] = record
    record.disposable = observer.path.observable(node, isInitial: observer.isInitial).subscribe(
      onNext: { [unowned self] in received($0, by: index) },
      onCompleted: { [unowned self] in
        record.isCompleted = true
        lines.append(ModelLine(observer: index, values: nil))
      })
  }

  private func received(_ values: ModelValues, by index: Int) {
    guard let step, let record = records[index] else { return }
    let observer = program.observers[index]
    demand(
      "C2", !record.isDisposed && !record.isCompleted,
      "observer \(index) gets \(modelText(values)) after it has been disposed")
    let isFirst = observer.isInitial && record.emissions.isEmpty
    if observer.path.kind != .stored, !isFirst, depth > 0, step.nested == nil {
      self.step!.nested = index
    }
    lines.append(ModelLine(observer: index, values: values))
    record.emissions.append(Emission(values: values, snapshot: snapshot))
    guard let actions = observer.script[record.emissions.count] else { return }
    self.step!.hasScripts = true
    if observer.path.kind != .stored { self.step!.hasComputedScripts = true }
    depth += 1
    for action in actions { perform(action) }
    depth -= 1
  }

  private func bind(_ index: Int) {
    let binding = program.bindings[index]
    guard let source = nodes[binding.source.node], let target = nodes[binding.target.node],
      bindings[index] == nil
    else { return }
    let paths = [binding.source, binding.target].map { slot -> ReferenceWritableKeyPath in
      switch slot.property {
      case .a: \ModelNode.a
      case .b: \ModelNode.b
      default: \ModelNode.c
      }
    }
    if binding.converter == .identity {
      if binding.mode == .oneWay {
        bindings[index] = source.bind(paths[0], to: target, paths[1])
      } else {
        bindings[index] = source.bind(paths[0], to: target, paths[1], mode: binding.mode)
      }
      return
    }
    bindings[index] = source.bind(
      paths[0], to: target, paths[1], mode: binding.mode,
      converter: BindingConverter(forward: binding.forward, backward: binding.backward))
  }
}
