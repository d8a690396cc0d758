// Evaluation: bringing a marked node up to date, and recording its reads.

/// A node that is being checked and evaluated.
struct Frame {
  let node: Node
  /// Keeps the owner of the node alive until the frame is popped; nil if the caller does.
  let owner: AnyObject?
  /// The index of the dependency brought up to date last; -1 before the first. In a cycle, that
  /// dependency stays outdated.
  var checked = -1
  /// How often the node has been evaluated.
  var rounds: Int32 = 0
}

/// The state of the evaluation under way.
struct Evaluation {
  var number: UInt64 = 0
  /// How many rules are being evaluated, nested in each other, even if they run untracked code.
  var ruleLevel = 0
  /// Whether reads are recorded for the node on top of the stack, or identified.
  var isRecording = false
  /// The number of dependencies recorded so far.
  var count = 0
}

/// The result of applying a path once: the property that it leads to, or the nodes that its value
/// is computed from.
struct Identification {
  let owner: AnyObject
  let number: UInt64
  /// The key path being applied; the closure that applies it stores it here.
  var keyPath: AnyKeyPath?
  // Most paths read one node, which then needs no allocation.
  fileprivate var first: (node: Node, version: UInt)?
  fileprivate var others: [(node: Node, version: UInt)] = []

  /// The nodes that were read, each once, with their versions.
  var reads: [(node: Node, version: UInt)] { first.map { [$0] + others } ?? [] }

  fileprivate mutating func note(_ node: Node) {
    guard node.stamp != number else { return }
    node.stamp = number
    let read = (node, node.readVersion)
    if first == nil { first = read } else { others.append(read) }
  }

  /// The property, if the path is one of the owner's own: the path has read this node only, through
  /// the property's own key path.
  ///
  /// - Parameter isLenient: whether any path that reads one property counts as that property.
  func property(isLenient: Bool) -> Node? {
    guard others.isEmpty, let node = first?.node, node.identity == address(of: owner)
    else { return nil }
    let isOwn = keyPath != nil && keyPath == node.keyPath
    return isLenient || isOwn && !(node.isComputed && node.mayBeOverridden) ? node : nil
  }
}

extension Transaction {
  /// Brings a computed node up to date: checks its dependencies in the order of reading, and
  /// evaluates at the first one that has changed, until none of them changes any more (D17). Without
  /// recursion, whatever the length of the row of nodes (D19).
  func refresh(_ node: Node, of owner: AnyObject) {
    guard node.mayBeStale, !node.state.contains(.busy) else { return }
    let (base, isDeep) = (stack.count, evaluation.ruleLevel >= Transaction.deep)
    push(node, of: nil)
    while stack.count > base {
      guard let index = checkTop(isDeep: isDeep) else { continue }
      let top = stack.count - 1
      // The node is delivered once more, but not settled endlessly in this transaction.
      if admits(stack[top].node, after: stack[top].rounds) {
        // Not one call for both, which would retain the object.
        stack[top].owner.map { evaluate(stack[top].node, of: $0, from: index) }
          ?? evaluate(stack[top].node, of: owner, from: index)
      }
      stack[top].checked = -1
      stack[top].rounds &+= 1
      if !stack[top].node.isMarked || stack[top].node.state.contains(.outdated) { pop() }
    }
  }

  /// Checks the node on top of the stack: pops it, or pushes a dependency to be checked first. A function
  /// of its own, so that a row of rules takes less of the stack in a debug build.
  ///
  /// - Returns: the first dependency that has changed, if the node must be evaluated.
  @inline(__always) private func checkTop(isDeep: Bool) -> Int? {
    let top = stack.count - 1
    let node = stack[top].node
    switch node.check(after: stack[top].checked, isDeep: isDeep) {
    case .current where node.isMarked:
      // The node was marked again during its evaluation, or while a dependency was evaluated. Later marks
      // of a marked node would not reach its readers.
      node.state.remove(.marked)
      stack[top].checked = -1
    case .current:
      if stack[top].rounds == 0 { Instrumentation.note(.skip(node)) }
      pop()
    case .outdated(let index): return index
    case .dependent(let index):
      stack[top].checked = index
      let dependency = node.dependencies[index].node
      if let owner = dependency.owner.object { push(dependency, of: owner) }
    // A dependency whose object has died keeps its last version.
    }
    return nil
  }

  private func push(_ node: Node, of owner: AnyObject?) {
    node.state.insert(.busy)
    node.state.remove(.marked)
    stack.append(Frame(node: node, owner: owner))
  }

  private func pop() { stack.removeLast().node.state.remove(.busy) }

  /// Whether a node may be evaluated again because its rule has changed a dependency (D17); reports a
  /// loop.
  private func admits(_ node: Node, after rounds: Int32) -> Bool {
    if rounds == 0 || rounds <= Diagnostics.feedbackLimit { return true }
    node.state.remove(.marked)
    let counted = node.settlement.transaction == settling ? node.settlement.count : 0
    node.settlement.transaction = settling
    node.settlement.count = max(counted, rounds)
    reportFeedback(of: node)
    return false
  }

  /// Evaluates the node on top of the stack.
  private func evaluate(_ node: Node, of owner: AnyObject, from changed: Int) {
    Instrumentation.enter(.evaluate(node))
    defer { Instrumentation.leave() }
    node.settlement.changedDependency = Int32(truncatingIfNeeded: changed)
    node.state.subtract([.marked, .outdated])
    guard !node.state.contains(.recordsReads) else {
      return untracked { node.evaluate(of: owner, from: changed, in: self) }
    }
    // The evaluation of a node that is read during an identification is not part of the
    // identification.
    let search = exchange(&identification, with: nil)
    if changed < node.dependencies.count {
      node.dependencies[changed].version = node.dependencies[changed].node.version
    }
    lastEvaluation += 1
    depth += 1
    let outer = evaluation
    evaluation = Evaluation(
      number: lastEvaluation, ruleLevel: outer.ruleLevel + 1, isRecording: outer.isRecording)
    setEvaluating(true)
    // Sets made by the rule are stored at once, and delivered after the rule has returned.
    batch.level += 1
    node.evaluate(of: owner, from: changed, in: self)
    endReads(of: node)
    evaluation.ruleLevel -= 1
    endBatch()
    setEvaluating(outer.isRecording)
    evaluation = outer
    close()
    identification = search
  }

  /// Ends the recording of reads for `node`, which is being evaluated.
  @usableFromInline func endReads(of node: Node) {
    node.dropDependencies(from: evaluation.count)
    setEvaluating(false)
  }

  /// Whether a rule is being evaluated, not a path. The first test decides for most sets.
  var isInRule: Bool { evaluation.ruleLevel > 0 && stack.last?.node.isDerived == true }

  /// Uses the object of `node`, and delivers the letters in the inboxes of all objects that `node` is
  /// computed from, so that reads are fresh even if an object died on another thread (D23).
  @inline(__always) func openMail(below node: Node) {
    node.owner.use(in: self)
    if node.hasMailBelow { openAllMail(below: node) }
  }

  @inline(never) private func openAllMail(below node: Node) {
    var waiting = [node]
    while let node = waiting.popLast() {
      // Kept alive, because the death of the object ends its dependencies.
      guard let owner = node.owner.object else { continue }
      // Cleared before the inboxes below are opened: a letter that comes later sets it again.
      node.signals.bitwiseAnd(~Node.Signal.mailBelow.rawValue, ordering: .sequentiallyConsistent)
      for source in node.parts + node.dependencies.map(\.node) {
        source.owner.openMail(in: self)
        if source.hasMailBelow { waiting.append(source) }
      }
      withExtendedLifetime(owner) {}
    }
  }

  // MARK: Reads

  /// Records that the evaluation under way has read `node`, or identifies `node`.
  func didRead(_ node: Node) {
    if identification != nil { return identification?.note(node) ?? () }
    guard node.stamp != evaluation.number else { return }
    node.stamp = evaluation.number
    let (index, version) = (evaluation.count, node.readVersion)
    evaluation.count = index + 1
    let reader = stack[stack.count - 1].node
    if index < reader.dependencies.count, reader.dependencies[index].node === node {
      // A write checks whether the list is shared.
      guard reader.dependencies[index].version != version else { return }
      return reader.dependencies[index].version = version
    }
    // From this index on, the evaluation reads other nodes than the last one.
    reader.dropDependencies(from: index)
    reader.depend(on: node, version: version)
  }

  // MARK: Identification

  /// Calls `access`, which applies a key path to `owner`, and returns its reads and its result.
  func identify<Value>(
    _ owner: AnyObject, _ access: () -> Value
  ) -> (search: Identification, value: Value) {
    lastEvaluation += 1
    let search = Identification(owner: owner, number: lastEvaluation)
    let outer = (exchange(&identification, with: search), isEvaluating)
    depth += 1
    setEvaluating(true)
    let value = access()
    setEvaluating(outer.1)
    let result = exchange(&identification, with: outer.0) ?? search
    close()
    return (result, value)
  }

  // MARK: Cycles

  /// Reports the cycle that reading `node` closes, once for each cycle (D15).
  ///
  /// - Returns: the members of the cycle.
  @discardableResult func reportCycle(through node: Node) -> String {
    let start = stack.firstIndex { $0.node === node } ?? stack.startIndex
    let names = stack[start...].map(\.node.description)
    let cycle = (names + [node.description]).joined(separator: " → ")
    // A cycle is the same wherever it is entered.
    node.report(
      .derivedCycle, "derived from itself: \(cycle)",
      once: names.sorted().joined(separator: ", "))
    return cycle
  }
}
