import Synchronization

/// One object that is observed: the object, referenced weakly, its nodes, and its life.
///
///     object ──▶ (PropertyRegistry) ──▶ RegisteredObject ⇄ nodes ──▶ observers
///        └── @Observed wrapper ─────────────────────────▶ node
///
/// The nodes and the registered object retain each other until the object dies. Nothing here
/// retains the object.
///
/// - Isolation: confined, like the object, except for the state of ``ObjectLife``. The object may die on any
///   thread, and so may an object that one of its weak properties refers to. In the latter case the
///   death takes effect with the next operation on this object (D23).
@usableFromInline package final class RegisteredObject: ObjectLife, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass; the rest is confined, or atomic.
  /// Whether a second thread has been reported; see `Diagnostics.checksThreads`.
  package let isThreadReported = Atomic<Bool>(false)
  /// The number of the transaction that used the object last.
  let user = Atomic<UInt32>(0)
  /// The object; nil once it begins to die.
  #if compiler(>=6.3)
    @usableFromInline package weak let object: AnyObject?
  #else
    @usableFromInline package weak var object: AnyObject?
  #endif
  /// The address of the object.
  @usableFromInline package let identity: UInt
  package let type: AnyClass
  /// The oldest node, and all others in the order in which they were added: most objects have one node.
  private var firstNode: Node?
  private var others: [Node] = []

  init(_ object: AnyObject) {
    self.object = object
    identity = address(of: object)
    type = Swift.type(of: object)
  }

  // MARK: Nodes

  /// The nodes, in the order in which they were added.
  package var nodes: [Node] { firstNode.map { [$0] + others } ?? others }

  /// Adds a node, which ends when the object dies.
  func add(_ node: Node) {
    guard isAlive else { return node.end() }
    if firstNode == nil, others.isEmpty { return firstNode = node }
    // Instead of growing: half of the places are free after a sweep.
    if others.count == others.capacity { sweepNodes() }
    others.append(node)
  }

  /// Removes the nodes of paths that are no longer observed.
  private func sweepNodes() {
    var unused: [Node] = []
    let isUnused = { (node: Node) in
      // Under evaluation, it still needs its dependencies: it stays until the next sweep.
      guard node.hasEnded, !node.state.contains(.busy) else { return false }
      unused.append(node)
      return true
    }
    if firstNode.map(isUnused) == true { firstNode = nil }
    others.removeAll(where: isUnused)
    if others.count > others.capacity / 2 { others.reserveCapacity(2 * others.count) }
    for node in unused { node.releaseUnused() }
  }

  /// The node of the wrapper at `place`. A wrapper that replaced another one there does not refer
  /// to it.
  func node(at place: UInt) -> Node? {
    firstNode?.place == place ? firstNode : others.first { $0.place == place }
  }

  /// The node of the state named `key`, which Keyline does not store, or of the stored property of that
  /// name. To ask counts as an operation on the object (D23).
  func node(named key: String) -> Node? {
    openMail()
    return nodes.first { !$0.isComputed && $0.name == key }
  }

  func makeNode(named key: String) -> Node {
    if let node = node(named: key) { return node }
    let made = NamedNode(owner: self)
    made.key = key
    add(made)
    return made
  }

  /// Records a read of the state named `key`, which Keyline does not store.
  ///
  /// - Parameter object: not made for the evaluation of another thread.
  static func access(_ key: String, of object: @autoclosure () -> RegisteredObject?) {
    guard isTracking() else { return }
    let transaction = Transaction.current
    guard transaction.isEvaluating, let object = object() else { return }
    object.use(in: transaction)
    transaction.didRead(object.makeNode(named: key))
  }

  /// Announces a change of the state, or of the stored property, named `key`.
  func willChange(_ key: String) {
    guard Transaction.areAnnouncementsWanted, let node = node(named: key) else { return }
    let transaction = Transaction.current
    transaction.perform { transaction.announce(node) }
  }

  /// Reports a change of the state, or of the stored property, named `key`.
  func didChange(_ key: String) {
    if let object { node(named: key)?.deliver(of: object, in: .current) }
  }

  // MARK: Death

  /// Called when the object has died: completes everything that observes it.
  func end() {
    guard isAlive else { return }
    if firstNode == nil, others.isEmpty, deathObservers.isEmpty { return reach(.deallocated) }
    Transaction.current.end(self)
  }

  /// Delivers the death in one transaction: paths that have read several properties of the object
  /// settle after all these properties have completed.
  ///
  /// - Parameter marked: weak properties that refer to the object, whose dependents have been marked.
  func deliverDeath(after marked: [ReferentWatch], in transaction: Transaction) {
    let watches = marked + becomeUnreachable(in: transaction)
    reach(.deallocating)
    let ended = nodes
    (firstNode, others) = (nil, [])
    for node in ended { node.end() }
    for watch in watches { watch.deliver(in: transaction) }
    reach(.dead)
    reach(.deallocated)
  }

  // MARK: Threads

  /// Records that the thread of `transaction` uses the object, and delivers the deaths in the
  /// inbox.
  @inline(__always) func use(in transaction: Transaction) {
    user.store(transaction.number, ordering: .relaxed)
    openMail(in: transaction)
  }

  /// Whether the thread of `transaction` used the object last.
  func isUsed(in transaction: Transaction) -> Bool {
    user.load(ordering: .relaxed) == transaction.number
  }
}

extension Transaction {
  /// Delivers the death of an object. Deaths caused by observers are delivered one after the other,
  /// so that a cascade does not grow the stack.
  func end(_ object: RegisteredObject) {
    // A death inside another one waits, but reads compute with nil from now on (D11).
    guard deaths == nil else { return deaths!.append((object, object.becomeUnreachable(in: self))) }
    deaths = Queue()
    deaths?.append((object, []))
    depth += 1
    untracked {
      while let (object, watches) = deaths?.popFirst() {
        Instrumentation.enter(.death(object.identity, object.type))
        object.deliverDeath(after: watches, in: self)
        // The activity of the last death ends after everything has settled.
        if deaths?.isEmpty == false { Instrumentation.leave() }
      }
    }
    deaths = nil
    close()
    Instrumentation.leave()
  }
}

extension ObjectLife {
  /// Enters a phase, and calls the observers that wait for it.
  func reach(_ phase: Phase) { enter(phase).forEach { $0.phaseReached() } }

  /// Marks the computed nodes that depend on weak properties that refer to the object, so that reads
  /// from now on compute with nil (D11). All weak references to the object are nil by now.
  ///
  /// - Returns: the watches whose properties change in this transaction.
  func becomeUnreachable(in transaction: Transaction) -> [ReferentWatch] {
    // Proof of the cast: nothing else waits for this phase.
    enter(.unreachable).map { cast($0, to: ReferentWatch.self) }
      .filter { $0.referentIsDying(in: transaction) }
  }

  /// Delivers the letters in the inbox.
  @inline(__always) final func openMail(
    in transaction: @autoclosure () -> Transaction = Transaction.current
  ) { if hasMail { deliverMail(in: transaction()) } }

  @inline(never) private func deliverMail(in transaction: Transaction) {
    let letters = takeMail()
    transaction.perform {
      for case .death(let watch) in letters { watch.mark(in: transaction) }
      for case .abandoned(let node) in letters { transaction.releaseUnused(of: node) }
      for case .death(let watch) in letters { watch.deliver(in: transaction) }
    }
  }
}

/// The node of state that Keyline does not store.
final class NamedNode: PropertyNode<Void>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.
  fileprivate(set) final var key = ""

  override func currentValue(of owner: AnyObject, in transaction: Transaction) -> Void? { () }
}

/// The identity of an object as a number, which is never used to reach the object.
@inlinable @inline(__always) func address(of object: AnyObject) -> UInt {
  UInt(bitPattern: ObjectIdentifier(object))
}
