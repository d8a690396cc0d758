import Synchronization

/// The watch of a weak property over the object that it refers to.
///
/// It is in the list of that object's lifetime, and is told of its death on whatever thread that is. If
/// it was this thread that used the owner of the property last, the property changes at once; else with
/// the owner's next operation (D23).
final class ReferentWatch: @unchecked Sendable {
  // Proof of @unchecked: atomics; the closure is called by the domain of the owner.
  private let node: Node
  private let deliverNil: (Node, Transaction) -> Void
  private let cancelled = Atomic<Bool>(false)
  /// Whether readers have been marked already.
  private var isMarked = false

  init(_ node: Node, deliverNil: @escaping (Node, Transaction) -> Void) {
    self.node = node
    self.deliverNil = deliverNil
  }

  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  func cancel() { cancelled.store(true, ordering: .relaxed) }

  /// The object begins to die: all weak references to it are nil.
  ///
  /// - Returns: whether it takes effect in this transaction.
  func referentIsDying(in transaction: Transaction) -> Bool {
    guard !isCancelled else { return false }
    guard node.owner.isUsed(in: transaction) else {
      node.owner.post(self)
      return false
    }
    mark(in: transaction)
    return true
  }

  /// Marks what depends on the property, before anything is delivered: what is read from then on is
  /// computed without the object.
  func mark(in transaction: Transaction) {
    guard !isCancelled, !isMarked else { return }
    isMarked = true
    node.beginChange(isDeath: true, in: transaction)
    // Before anything that the death causes sets the property in the batch, and finds nil there already.
    if transaction.batchLevel > 0 { deliver(in: transaction) }
  }

  /// Delivers nil, unless the property has been set since.
  func deliver(in transaction: Transaction) {
    guard !isCancelled else { return }
    cancel()
    Instrumentation.enter(.referentDied(node))
    deliverNil(node, transaction)
    Instrumentation.leave()
  }
}

extension PropertyNode {
  /// Delivers nil when `referent`, the object that the property refers to from now on, dies.
  ///
  /// An object that is neither ``PropertyObservable`` nor ``LifetimeProviding`` dies unobserved, which
  /// is reported once for each property and class.
  @usableFromInline func watch<Object: AnyObject>(_ referent: Object?) where Value == Object? {
    watch?.cancel()
    watch = nil
    guard let referent else { return }
    guard let lifetime = Lifetime.of(referent) else { return reportUnobservableDeath(of: referent) }
    let watch = ReferentWatch(self) { node, transaction in
      // Proof of the cast: it is this node.
      cast(node, to: PropertyNode.self).deliver(nil, from: nil, in: transaction)
    }
    self.watch = watch
    lifetime.add(watch)
  }

  private func reportUnobservableDeath(of referent: AnyObject) {
    let message = "the death of a \(type(of: referent)) cannot be observed: it has no Lifetime"
    report(.unobservableDeath, message, once: "\(description) \(message)")
  }
}
