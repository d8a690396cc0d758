import Observation
import Synchronization

/// The contents of a registry: its object, referenced weakly, the object's nodes, and its
/// lifetimes.
///
///     object ──▶ PropertyRegistry ──▶ RegisteredObject ⇄ nodes ──▶ observers
///        └── @Observed wrapper ─────────────────────────▶ node
///
/// The nodes and the registered object retain each other until the object dies. Nothing here
/// retains the object.
///
/// - Isolation: confined, like the object. The object may die on any thread, and so may an object
///   that one of its weak properties refers to. In the latter case the death is put into the inbox,
///   and takes effect with the next operation on this object (D23).
@usableFromInline package final class RegisteredObject: @unchecked Sendable {
  // Proof of @unchecked: confined as above; fields used by other threads are atomic, or behind a
  // mutex.
  private weak var reference: AnyObject?
  /// The address of the object; 0 until the object is registered.
  package private(set) var identity: UInt = 0
  package private(set) var type: AnyClass = RegisteredObject.self
  private(set) var nodes: [Node] = []
  /// How many of `nodes` the last sweep found in use; at least 4.
  private var sweptCount = 4
  /// `death`, if anything depends on the object.
  private(set) var lifetime: Lifetime?
  private var rest: Rest?
  private var hasEnded = false
  /// Whether a second thread has been reported; under the lock of the thread check.
  var isThreadReported = false
  /// The number of the transaction that used the object last.
  private let user = Atomic<UInt>(0)
  private let hasMail = Atomic<Bool>(false)
  private let inbox = Protected<[ReferentWatch]>([])

  /// State that few objects need.
  private final class Rest {
    /// The nodes of state that Keyline does not store, by name.
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

  /// - Returns: false if the registry belongs to another object, or to one that has died.
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

  /// Adds a node, which ends when the object dies.
  func add(_ node: Node) {
    guard !hasEnded else { return node.end() }
    if nodes.count >= 2 * sweptCount { sweepNodes() }
    nodes.append(node)
  }

  /// Releases the nodes of paths that are no longer observed.
  private func sweepNodes() {
    for node in nodes where node.hasEnded {
      node.dropDependencies()
      node.releaseContents()
    }
    nodes.removeAll { $0.hasEnded }
    sweptCount = max(4, nodes.count)
  }

  /// The node of the wrapper at `place`. A wrapper that replaced another one there does not refer
  /// to it.
  func node(at place: UInt) -> Node? { nodes.first { $0.place == place } }

  /// The node of the state named `key`, which Keyline does not store.
  func node(named key: String) -> PropertyNode<Void>? { rest?.named[key] }

  func makeNode(named key: String) -> PropertyNode<Void> {
    if let node = rest?.named[key] { return node }
    let made = PropertyNode<Void>(owner: self)
    madeRest.named[key] = made
    add(made)
    return made
  }

  /// The name of the state that `node` belongs to.
  func name(of node: Node) -> String? { rest?.named.first { $0.value === node }?.key }

  // MARK: Deaths

  /// For the program; ends first.
  var deallocating: Lifetime { made(&madeRest.deallocating) }

  /// For dependents of the object: weak references to it, and bindings.
  var death: Lifetime { made(&lifetime) }

  /// For the program; ends last.
  var deallocated: Lifetime { made(&madeRest.deallocated) }

  /// A lifetime is made on first use.
  private func made(_ lifetime: inout Lifetime?) -> Lifetime {
    let made = lifetime ?? Lifetime()
    if hasEnded { made.end() }
    lifetime = made
    return made
  }

  /// Called when the object has died: completes everything that observes it.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    _ = takeMail()
    if !nodes.isEmpty || lifetime != nil || rest != nil { Transaction.current.end(self) }
  }

  /// Delivers the death in one transaction: paths that have read several properties of the object
  /// settle after all these properties have completed.
  ///
  /// - Parameter marked: weak properties that refer to the object, whose dependents have been marked.
  func deliverDeath(after marked: [ReferentWatch], in transaction: Transaction) {
    // All weak references are nil by now. Mark their dependents first, so that reads from now on
    // compute with nil (D11).
    let watches = marked + (lifetime?.takeWatches(in: transaction) ?? [])
    rest?.deallocating?.end()
    for node in exchange(&nodes, with: []) { node.end() }
    for watch in watches { watch.deliver(in: transaction) }
    lifetime?.end()
    rest?.deallocated?.end()
    rest?.named = [:]
  }

  // MARK: Threads

  /// Records that the thread of `transaction` uses the object, and delivers the deaths in the
  /// inbox.
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

  /// Puts the death of the object that `watch` observes into the inbox, for the next operation.
  func post(_ watch: ReferentWatch) {
    inbox.withLock { $0.append(watch) }
    // Counted before the flag is set: a count that is too low for a moment would hide reads by
    // threads that are evaluating.
    countMail(1)
    if hasMail.exchange(true, ordering: .acquiringAndReleasing) { countMail(-1) }
  }

  /// How many objects have mail in their inbox.
  private static let mailCount = Atomic<Int>(0)

  /// Whether any object in the process has mail.
  static var isMailPending: Bool { mailCount.load(ordering: .relaxed) > 0 }

  /// Delivers the deaths in the inbox.
  @inline(__always) func openMail() {
    if hasMail.load(ordering: .relaxed) { openMail(in: .current) }
  }

  // A death may have arrived after the object had ended.
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

  /// For objects that are also observed by the standard library's Observation.
  var registrar: ObservationRegistrar { madeRest.registrar }
}

/// The identity of an object as a number, which is never used to reach the object.
@inlinable @inline(__always) func address(of object: AnyObject) -> UInt {
  UInt(bitPattern: ObjectIdentifier(object))
}
