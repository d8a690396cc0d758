/// Watches the object that a weak property refers to, and waits for that object to become
/// unreachable, on any thread.
///
/// If that thread used the owner of the property last, the property changes at once; otherwise it
/// changes with the next operation on the owner (D23).
final class ReferentWatch: DeathObserver, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass; the state is confined to the domain of the
  // owner, where the closure is called.
  private let node: Node
  private let deliverNil: (Node, Transaction) -> Void
  /// Whether the property has been set since, or nil has been delivered.
  var isCancelled: Bool { life == nil }
  /// Whether the dependents of the property have been marked already.
  private var isMarked = false

  init(_ node: Node, of referent: ObjectLife, deliverNil: @escaping (Node, Transaction) -> Void) {
    self.node = node
    self.deliverNil = deliverNil
    super.init(referent, .unreachable)
    _ = referent.wait(self)
  }

  func cancel() {
    dispose()
    life = nil
  }

  /// Called when the object begins to die, after all weak references to it have become nil.
  ///
  /// - Returns: whether the death takes effect in this transaction.
  func referentIsDying(in transaction: Transaction) -> Bool {
    guard node.owner.isUsed(in: transaction) else {
      node.owner.post(.death(self))
      node.flagReaders()
      return false
    }
    mark(in: transaction)
    return true
  }

  /// Marks the dependents of the property before anything is delivered, so that later reads compute
  /// their values without the object.
  func mark(in transaction: Transaction) {
    // An owner that is dying as well, perhaps on another thread, tells its dependents itself.
    guard let owner = node.owner.object else { return }
    defer { withExtendedLifetime(owner) {} }
    guard !isCancelled, !isMarked else { return }
    isMarked = true
    // The death of an array leaves the contents of its views.
    if !node.isComputed { node.beginChange(isDeath: true, in: transaction) }
    // In a batch, nil is delivered now. Otherwise a set caused by the death could come first, and
    // would find nil there already.
    if transaction.batch.level > 0 { deliver(in: transaction) }
  }

  /// Delivers nil, unless the property has been set in the meantime.
  func deliver(in transaction: Transaction) {
    guard let owner = node.owner.object, !isCancelled else { return }
    // Inside a rule, which has opened the inbox by a read, observers would find the rule's value under
    // evaluation.
    if transaction.isInRule { return transaction.atEnd { self.deliver(in: .current) } }
    cancel()
    Instrumentation.enter(.referentDied(node))
    deliverNil(node, transaction)
    Instrumentation.leave()
    withExtendedLifetime(owner) {}
  }
}

extension PropertyNode {
  /// Delivers nil when `referent` dies, the object that the property refers to from now on.
  ///
  /// The death of an object that is neither ``PropertyObservable`` nor ``LifetimeProviding`` goes
  /// unnoticed, which is reported once for each property and class.
  @usableFromInline func watch<Object: AnyObject>(_ referent: Object?) where Value == Object? {
    supplement?.watch?.cancel()
    supplement?.watch = nil
    guard let referent else { return }
    guard let life = RegisteredObject.life(of: referent) else {
      let message = "the death of a \(type(of: referent)) cannot be observed: it has no Lifetime"
      return report(.unobservableDeath, message, once: "\(description) \(message)")
    }
    makeSupplement().watch = ReferentWatch(self, of: life) { node, transaction in
      // Proof of the cast: the watch passes this node.
      cast(node, to: PropertyNode.self).emit(nil, in: transaction)
    }
  }

  /// Whether a weak property has read `former` only because the object that it referred to is dead,
  /// or dying, and nil has not been delivered.
  @usableFromInline func hasLost(_ former: Value) -> Bool {
    supplement?.watch?.isCancelled == false && Optionals.reference(in: former) == nil
  }
}
