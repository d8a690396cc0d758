import Observation
import Synchronization

/// What a registry knows of its object: the object itself, weakly; its nodes; and its lifetimes.
///
///     object ──▶ PropertyRegistry ──▶ RegisteredObject ⇄ nodes ──▶ observers
///        └── @Observed wrapper ─────────────────────────▶ node
///
/// Nodes and registered object retain each other until the object's death. Nothing here retains the
/// object.
///
/// - Isolation: confined, with the object. Its death may come from any thread, and so may the death of
///   an object that one of its weak properties refers to: that is put into the inbox, and takes effect
///   with the next operation on this object (D23).
@usableFromInline package final class RegisteredObject: @unchecked Sendable {
  // Proof of @unchecked: confined as above; what other threads use is atomic, or behind a mutex.
  private weak var reference: AnyObject?
  /// The address of the object; 0 until a node is made.
  package private(set) var identity: UInt = 0
  package private(set) var type: AnyClass = RegisteredObject.self
  private(set) var nodes: [Node] = []
  /// How many of `nodes` were found in use by the last sweep.
  private var sweptCount = 4
  private var lifetime: Lifetime?
  private var rest: Rest?
  private var hasEnded = false
  /// The number of the transaction that used the object last.
  private let user = Atomic<UInt>(0)
  private let hasMail = Atomic<Bool>(false)
  private let inbox = Protected<[ReferentWatch]>([])

  /// What few objects need.
  private final class Rest {
    /// By name: nodes for state that Keyline does not store.
    var named: [String: PropertyNode<Void>] = [:]
    var deallocating: Lifetime?
    var deallocated: Lifetime?
    let registrar = ObservationRegistrar()
  }

  private var madeRest: Rest {
    let made = rest ?? Rest()
    rest = made
    return made
  }

  /// The object; nil once it begins to die.
  @usableFromInline package var object: AnyObject? { reference }

  /// - Returns: false if it has been another object's from the beginning, or of one that has died.
  func register(_ object: AnyObject) -> Bool {
    let address = address(of: object)
    guard identity == 0, !hasEnded else {
      return identity == address && type == Swift.type(of: object) && !hasEnded
    }
    identity = address
    reference = object
    type = Swift.type(of: object)
    return true
  }

  // MARK: Nodes

  /// Adds a node, which ends with the object.
  func add(_ node: Node) {
    guard !hasEnded else { return node.end() }
    if nodes.count >= 2 * sweptCount { sweepNodes() }
    nodes.append(node)
  }

  /// Releases the nodes of paths that nothing observes any more.
  private func sweepNodes() {
    for node in nodes where node.hasEnded { node.dropDependencies() }
    nodes.removeAll { $0.hasEnded }
    sweptCount = max(4, nodes.count)
  }

  /// The node of the wrapper at that address. A wrapper that has been replaced does not refer to it.
  func node(at place: UInt) -> Node? { nodes.first { $0.place == place } }

  /// The node for state that Keyline does not store.
  func node(named key: String) -> PropertyNode<Void>? { rest?.named[key] }

  func makeNode(named key: String) -> PropertyNode<Void> {
    if let node = rest?.named[key] { return node }
    let made = PropertyNode<Void>(owner: self)
    madeRest.named[key] = made
    add(made)
    return made
  }

  /// The name under which `node` was made.
  func name(of node: Node) -> String? { rest?.named.first { $0.value === node }?.key }

  // MARK: Deaths

  /// For the user; ends first.
  var deallocating: Lifetime { made(&madeRest.deallocating) }

  /// For what depends on the object: weak references to it, bindings.
  var death: Lifetime { made(&lifetime) }

  /// As `death`, if something depends on the object; for inspection.
  var existingDeath: Lifetime? { lifetime }

  /// For the user; ends last.
  var deallocated: Lifetime { made(&madeRest.deallocated) }

  /// Lifetimes are made on first use.
  private func made(_ lifetime: inout Lifetime?) -> Lifetime {
    let made = lifetime ?? Lifetime()
    if hasEnded { made.end() }
    lifetime = made
    return made
  }

  /// The object has died: completes everything that observes it.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    _ = takeMail()
    if !nodes.isEmpty || lifetime != nil || rest != nil { Transaction.current.end(self) }
  }

  /// One transaction: what several paths have read of the object settles when all have been completed.
  func deliverDeath(in transaction: Transaction) {
    // All weak references are nil by now: what is read meanwhile is computed from that (D11).
    let watches = lifetime?.takeWatches(in: transaction) ?? []
    rest?.deallocating?.end()
    let ended = nodes
    nodes = []
    for node in ended { node.end() }
    for watch in watches { watch.deliver(in: transaction) }
    lifetime?.end()
    rest?.deallocated?.end()
    rest?.named = [:]
  }

  // MARK: Threads

  /// Records that the thread of `transaction` uses the object, and delivers the deaths that wait.
  @inline(__always) func use(in transaction: Transaction) {
    if user.load(ordering: .relaxed) != transaction.number {
      user.store(transaction.number, ordering: .relaxed)
    }
    if hasMail.load(ordering: .relaxed) { openMail(in: transaction) }
  }

  /// Whether the thread of `transaction` used the object last.
  func isUsed(in transaction: Transaction) -> Bool {
    user.load(ordering: .relaxed) == transaction.number
  }

  /// Leaves the death of the object that `watch` refers to for the next operation.
  func post(_ watch: ReferentWatch) {
    inbox.withLock { $0.append(watch) }
    // Counted first: a count that is too low for a moment would hide reads of other threads.
    countMail(1)
    if hasMail.exchange(true, ordering: .acquiringAndReleasing) { countMail(-1) }
  }

  /// How many objects have mail.
  private static let mailCount = Atomic<Int>(0)

  /// Whether any object in the process has mail.
  static var isMailPending: Bool { mailCount.load(ordering: .relaxed) > 0 }

  /// Delivers the deaths that wait.
  @inline(__always) func openMail() {
    if hasMail.load(ordering: .relaxed) { openMail(in: .current) }
  }

  // A death may have been left after the object had ended.
  deinit { _ = takeMail() }

  private func countMail(_ change: Int) {
    Self.mailCount.wrappingAdd(change, ordering: .relaxed)
    countTracking(change)
  }

  private func takeMail() -> [ReferentWatch] {
    guard hasMail.exchange(false, ordering: .acquiringAndReleasing) else { return [] }
    countMail(-1)
    return inbox.exchange([])
  }

  @inline(never) private func openMail(in transaction: Transaction) {
    let watches = takeMail()
    transaction.perform {
      for watch in watches { watch.mark(in: transaction) }
      for watch in watches { watch.deliver(in: transaction) }
    }
  }

  // MARK: Observation

  /// For objects that the standard library's Observation observes, too.
  var registrar: ObservationRegistrar { madeRest.registrar }
}

/// An object's identity as a number: never used to reach the object.
@inlinable @inline(__always) func address(of object: AnyObject) -> UInt {
  UInt(bitPattern: ObjectIdentifier(object))
}
