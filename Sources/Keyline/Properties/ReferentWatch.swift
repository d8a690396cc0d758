import Synchronization

/// Watches the object that a weak property refers to.
///
/// The watch is in the list of that object's lifetime, which notifies it of the object's death, on
/// any thread. If this thread used the owner of the property last, the property changes at once;
/// otherwise it changes with the next operation on the owner (D23).
final class ReferentWatch: @unchecked Sendable {
  // Proof of @unchecked: the fields are atomic or immutable, but for `isMarked`, which is confined
  // to the domain of the owner; the closure is called in that domain.
  private let node: Node
  private let deliverNil: (Node, Transaction) -> Void
  private let cancelled = Atomic<Bool>(false)
  /// Whether the dependents of the property have been marked already.
  private var isMarked = false

  init(_ node: Node, deliverNil: @escaping (Node, Transaction) -> Void) {
    self.node = node
    self.deliverNil = deliverNil
  }

  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  func cancel() { cancelled.store(true, ordering: .relaxed) }

  /// Called when the object begins to die, after all weak references to it have become nil.
  ///
  /// - Returns: whether the death takes effect in this transaction.
  func referentIsDying(in transaction: Transaction) -> Bool {
    guard !isCancelled else { return false }
    guard node.owner.isUsed(in: transaction) else {
      node.owner.post(self)
      return false
    }
    mark(in: transaction)
    return true
  }

  /// Marks the dependents of the property before anything is delivered, so that later reads compute
  /// their values without the object.
  func mark(in transaction: Transaction) {
    guard !isCancelled, !isMarked else { return }
    isMarked = true
    node.beginChange(isDeath: true, in: transaction)
    // In a batch, nil is delivered now. Otherwise a set caused by the death could come first, and
    // would find nil there already.
    if transaction.batchLevel > 0 { deliver(in: transaction) }
  }

  /// Delivers nil, unless the property has been set in the meantime.
  func deliver(in transaction: Transaction) {
    guard !isCancelled else { return }
    cancel()
    Instrumentation.enter(.referentDied(node))
    deliverNil(node, transaction)
    Instrumentation.leave()
  }
}

extension PropertyNode {
  /// Delivers nil when `referent` dies, the object that the property refers to from now on.
  ///
  /// The death of an object that is neither ``PropertyObservable`` nor ``LifetimeProviding`` goes
  /// unnoticed, which is reported once for each property and class.
  @usableFromInline func watch<Object: AnyObject>(_ referent: Object?) where Value == Object? {
    watch?.cancel()
    watch = nil
    guard let referent else { return }
    guard let lifetime = Lifetime.of(referent) else { return reportUnobservableDeath(of: referent) }
    let watch = ReferentWatch(self) { node, transaction in
      // Proof of the cast: the watch passes this node.
      cast(node, to: PropertyNode.self).deliver(nil, from: nil, in: transaction)
    }
    self.watch = watch
    lifetime.add(watch)
  }

  /// Whether a weak property has read `former` only because the object that it referred to is dead,
  /// or dying, and nil has not been delivered.
  @usableFromInline func hasLost(_ former: Value) -> Bool {
    watch?.isCancelled == false && Optionals.reference(in: former) == nil
  }

  private func reportUnobservableDeath(of referent: AnyObject) {
    let message = "the death of a \(type(of: referent)) cannot be observed: it has no Lifetime"
    report(.unobservableDeath, message, once: "\(description) \(message)")
  }
}
