// Evaluation: how a marked node is brought up to date, and how reads are recorded meanwhile.

/// A node that is being checked and evaluated.
struct Frame {
  let node: Node
  /// Keeps the object alive meanwhile; nil if the frame below, or the caller, does.
  let owner: AnyObject?
  /// The dependency that is checked next.
  var index = 0
  /// Whether that one has been brought up to date.
  var isChecked = false
}

/// What is known of the evaluation under way.
struct Evaluation {
  let number: UInt
  /// How many dependencies have been recorded.
  var count = 0
}

/// What a first read of a path finds: the property that it leads to, or what its value is computed from.
struct Identification {
  let owner: AnyObject
  let number: UInt
  /// The key path that is being applied, stored by the closure that applies it.
  var keyPath: AnyKeyPath?
  /// The nodes that have been read, each once, and their versions.
  var reads: [(node: Node, version: UInt)] { first.map { [$0] + others } ?? [] }
  // Most paths lead to one property: no array for that.
  fileprivate var first: (node: Node, version: UInt)?
  fileprivate var others: [(node: Node, version: UInt)] = []

  /// The property, if the path is one of the owner itself: it has read that alone, by the property's own key
  /// path.
  ///
  /// - Parameter isLenient: whether any path that reads one property counts as that.
  func property(isLenient: Bool) -> Node? {
    guard others.isEmpty, let node = first?.node,
      node.identity == address(of: owner)
    else { return nil }
    if isLenient { return node }
    guard let keyPath, keyPath == node.keyPath, !node.isComputed || !node.mayBeOverridden else {
      return nil
    }
    return node
  }
}

extension Transaction {
  /// Brings a computed node up to date: checks its dependencies in the order of reading, and evaluates
  /// at the first that has changed. Without recursion, however many are in a row (D19).
  func refresh(_ node: Node, of owner: AnyObject) {
    guard node.mayBeStale, !node.state.contains(.busy) else { return }
    let isDeep = ruleLevel >= Transaction.deep
    // Most nodes read nothing that has to be checked first.
    switch node.check(from: 0, isChecked: false, isDeep: isDeep) {
    case .current:
      node.state.remove(.marked)
      Instrumentation.note(.skip(node))
    case .outdated(let index):
      push(node, of: nil)
      evaluate(node, of: owner, from: index)
      pop()
    case .dependent: refreshDependencies(of: node, of: owner, isDeep: isDeep)
    }
  }

  private func refreshDependencies(of node: Node, of owner: AnyObject, isDeep: Bool) {
    let base = stack.count
    push(node, of: nil)
    while stack.count > base {
      let top = stack.count - 1
      let node = stack[top].node
      switch node.check(
        from: stack[top].index, isChecked: stack[top].isChecked, isDeep: isDeep)
      {
      case .current where node.isMarked:
        // Marked meanwhile: by what has been evaluated for it.
        node.state.remove(.marked)
        stack[top].index = 0
        stack[top].isChecked = false
      case .current:
        Instrumentation.note(.skip(node))
        pop()
      case .outdated(let index):
        evaluate(node, of: ownerOnTop(from: base) ?? owner, from: index)
        pop()
      case .dependent(let index):
        stack[top].index = index
        stack[top].isChecked = true
        let dependency = node.dependencies[index].node
        if dependency.owner === node.owner {
          push(dependency, of: nil)
        } else if let owner = dependency.owner.object {
          push(dependency, of: owner)
        }
      // Else its object has died: it keeps its last version.
      }
    }
  }

  /// The object of the node on top of the stack; nil if it is that of the node at `base`.
  private func ownerOnTop(from base: Int) -> AnyObject? {
    var index = stack.count
    while index > base {
      index -= 1
      if let owner = stack[index].owner { return owner }
    }
    return nil
  }

  private func push(_ node: Node, of owner: AnyObject?) {
    node.state.insert(.busy)
    node.state.remove(.marked)
    stack.append(Frame(node: node, owner: owner))
  }

  private func pop() { stack.removeLast().node.state.remove(.busy) }

  /// Evaluates the node on top of the stack, until nothing that it has read changes any more (D17).
  private func evaluate(_ node: Node, of owner: AnyObject, from changed: Int) {
    var index = changed
    var rounds = 0
    node.changedDependency = changed
    while true {
      let isReported = Instrumentation.isOn
      if isReported { Instrumentation.enter(.evaluate(node)) }
      node.state.subtract([.marked, .outdated])
      evaluateOnce(node, of: owner, from: index)
      if isReported { Instrumentation.leave() }
      guard node.isMarked, !node.state.contains(.outdated) else { return }
      guard case .outdated(let next) = node.check(from: 0, isChecked: false, isDeep: false)
      else { return }
      rounds += 1
      if rounds > Diagnostics.feedbackLimit {
        node.state.remove(.marked)
        // Delivered once, and not settled without end in this transaction.
        node.round = node.settling == settling ? max(node.round, rounds) : rounds
        node.settling = settling
        return reportFeedback(of: node)
      }
      index = next
    }
  }

  private func evaluateOnce(_ node: Node, of owner: AnyObject, from changed: Int) {
    guard node.isTracked else {
      return untracked { node.evaluate(of: owner, from: changed, in: self) }
    }
    if let search = identification {
      // What is evaluated for a first read is no part of that.
      identification = nil
      evaluateOnce(node, of: owner, from: changed)
      identification = search
      return
    }
    if changed < node.dependencies.count {
      node.dependencies[changed].version = node.dependencies[changed].node.version
    }
    lastEvaluation += 1
    depth += 1
    ruleLevel += 1
    let outer = (evaluation, isEvaluating)
    evaluation = Evaluation(number: lastEvaluation)
    setEvaluating(true)
    // What the rule sets is stored at once, and delivered when it has returned.
    beginBatch()
    node.evaluate(of: owner, from: changed, in: self)
    node.dropDependencies(from: evaluation.count)
    setEvaluating(false)
    node.commit(in: self)
    ruleLevel -= 1
    endBatch()
    evaluation = outer.0
    setEvaluating(outer.1)
    close()
  }

  /// Whether a rule is being evaluated, and not a path.
  var isInRule: Bool { stack.last?.node.isDerived ?? false }

  /// Delivers the deaths that wait for any object that `node` has been computed from: what is read is
  /// fresh, whatever has died elsewhere (D23).
  func openMail(below node: Node) {
    var waiting = [node]
    var visited: Set<ObjectIdentifier> = [ObjectIdentifier(node)]
    while let node = waiting.popLast() {
      node.owner.use(in: self)
      for dependency in node.dependencies
      where visited.insert(ObjectIdentifier(dependency.node)).inserted {
        waiting.append(dependency.node)
      }
    }
  }

  // MARK: Reads

  /// Records that `node` has been read by what is being evaluated, or identifies it.
  func didRead(_ node: Node) {
    if identification != nil { return identify(node) }
    guard node.stamp != evaluation.number else { return }
    node.stamp = evaluation.number
    let index = evaluation.count
    evaluation.count = index + 1
    let reader = stack[stack.count - 1].node
    if !reader.hasDependency(at: index, on: node) { record(node, at: index, of: reader) }
  }

  private func record(_ node: Node, at index: Int, of reader: Node) {
    if index < reader.dependencies.count, reader.dependencies[index].node === node {
      reader.dependencies[index].version = node.version
      return
    }
    // From here on, it reads other nodes than before.
    reader.dropDependencies(from: index)
    reader.dependencies.append(
      Dependency(node: node, link: node.link(reader), version: node.version))
  }

  // MARK: Identification

  /// What `access`, which applies a key path to `owner`, reads.
  func identify(_ owner: AnyObject, _ access: () -> Void) -> Identification {
    lastEvaluation += 1
    let outer = (identification, isEvaluating)
    let search = Identification(owner: owner, number: lastEvaluation)
    identification = search
    depth += 1
    setEvaluating(true)
    access()
    setEvaluating(outer.1)
    let result = identification ?? search
    identification = outer.0
    close()
    return result
  }

  private func identify(_ node: Node) {
    guard let number = identification?.number, node.stamp != number else { return }
    node.stamp = number
    if identification?.first == nil {
      identification?.first = (node, node.version)
    } else {
      identification?.others.append((node, node.version))
    }
  }

  // MARK: Cycles

  /// Reports the cycle that reading `node` closes, once for each (D15).
  ///
  /// - Returns: its members.
  @discardableResult func reportCycle(through node: Node) -> String {
    let start = stack.firstIndex { $0.node === node } ?? stack.startIndex
    let names = stack[start...].map(\.node.description)
    let cycle = (names + [node.description]).joined(separator: " → ")
    // The same one, wherever it is entered.
    node.report(
      .derivedCycle, "derived from itself: \(cycle)",
      once: names.sorted().joined(separator: ", "))
    return cycle
  }
}
