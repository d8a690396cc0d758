/// A value that a rule computes from other nodes: an observed path, or a derived property. It is
/// lazy, cached, and settled with the transaction while it is observed.
///
/// The node of a path belongs to its subscription and ends with it; each evaluation counts as a new
/// value. The node of a derived property belongs to the object: it caches its value, and an equal
/// result does not count as a change.
///
/// For the laws of derived values and their numbers, see ``Derived``.
@usableFromInline final class ComputedNode<Value>: PropertyNode<Value>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  /// Carries out a step. Made in the client, where the type of the value is known: generic code would
  /// look up metadata.
  @usableFromInline typealias Rule = (ComputedNode, Step) -> Void

  /// What a rule is asked for.
  @usableFromInline enum Step {
    /// Compute the value from the properties of the owner, and store it.
    case evaluate(AnyObject, Transaction)
    /// Deliver the value.
    case deliver(Transaction)
    /// Pass on the fallback, if there is one: the rule reads itself.
    case fallBack((Value) -> Void)
  }

  /// The rule of a path, where each evaluation counts as a new value.
  @inlinable static func rule(reading access: @escaping PropertyAccess<Value>) -> Rule {
    { node, step in
      switch step {
      case .evaluate(let owner, _): node.cache.value = access(owner, nil)
      case .deliver(let transaction):
        guard let value = node.cache.value else { return }
        node.cache.value = nil
        node.emit(value, in: transaction)
      case .fallBack: break
      }
    }
  }

  /// The rule; nil after the end: it may retain an object whose property it has read, and which leads
  /// here.
  @exclusivity(unchecked) @usableFromInline final var rule: Rule?
  // Proof of unchecked, here and below: confined; a store releases the former value after the
  // access.
  /// The value computed last.
  @exclusivity(unchecked) @usableFromInline final var cache = Remembered<Value>()
  /// The value delivered last, if it has been replaced since.
  @exclusivity(unchecked) @usableFromInline final var former = Remembered<Value>()

  /// - Parameter kind: `.derived` for a derived property, which the object owns; `.computed` for an
  ///   observed path, which ends with its observer; `.hop` for a computed property on a chain, of which
  ///   only the changes matter.
  @usableFromInline
  init(owner: RegisteredObject, place: UInt = 0, _ kind: State, rule: @escaping Rule) {
    self.rule = rule
    var kind = kind
    if kind == .derived, Optionals.isReference(Value.self) {
      kind.insert(.reference)
    } else if kind == .derived, (Value.self as? any Container.Type)?.holdsObjects == true {
      kind.insert(.releasable)
    }
    super.init(owner: owner, kind, place: place)
  }

  // MARK: Evaluating

  /// Takes over a value that has just been computed, and the reads of its computation as
  /// dependencies.
  func adopt(_ value: Value, computedFrom reads: [(node: Node, version: UInt)]) {
    for read in reads { depend(on: read.node, version: read.version) }
    state.remove(.outdated)
    version = 1
    cache.value = value
  }

  /// The value read last, which is not kept; nil if it has been taken.
  func takeValue() -> Value? { exchange(&cache.value, with: nil) }

  override func evaluate(of owner: AnyObject, from index: Int, in transaction: Transaction) {
    rule?(self, .evaluate(owner, transaction))
    if isDerived { return }
    transaction.endReads(of: self)
    version &+= 1
    set(.died, dependencies.count == 1 && dependencies[0].node.state.contains(.died))
  }

  /// Stores the result of a derived property.
  ///
  /// - Parameter areEqual: whether two values are the same; nil if each result counts as new, and for
  ///   objects that are compared by identity.
  @inlinable func commit(
    _ result: Value, _ areEqual: ((Value, Value) -> Bool)?, in transaction: Transaction
  ) {
    transaction.endReads(of: self)
    if isReference { Optionals.reference(in: result).map(transaction.releaseUnused) }
    if let cached, isSame(cached, result, areEqual) { return }
    // Remembered, to compare it with the value at the end of the transaction.
    if version == delivered, hasObservers { former = cache }
    cache.forget(isReference: isReference)
    cache.store(result, isReference: isReference)
    version &+= 1
  }

  /// Whether a result does not count as another value.
  @inlinable func isSame(
    _ value: Value, _ result: Value, _ areEqual: ((Value, Value) -> Bool)?
  ) -> Bool {
    if isReference {
      if Optionals.word(of: value) == Optionals.word(of: result) { return true }
      guard Optionals.reference(in: result) != nil else { return false }
    }
    return areEqual?(value, result) == true
  }

  /// Whether anything observes the value, apart from the registration with Observation.
  @usableFromInline var hasObservers: Bool { observerCount > (state.contains(.registered) ? 1 : 0) }

  override func releaseUnused() {
    // Retained meanwhile, because the owner may die on another thread, which ends the node.
    super.releaseUnused()
    guard mayBeStale, !isObserved, !state.contains(.busy), let owner = owner.object else { return }
    state.insert(.outdated)
    withExtendedLifetime(owner) { cache.value = nil }
  }

  // MARK: Reading

  /// The cached value if it is up to date and no thread is evaluating, so that the read need not be
  /// recorded. Only loads and a copy.
  @inlinable @inline(__always) func cleanValue(of owner: AnyObject) -> Value? {
    guard state.isDisjoint(with: .unclean), !isTracking(), identity == address(of: owner) else {
      return nil
    }
    return cache.value
  }

  override var inspectedValue: Any? { cached.map { $0 as Any } }

  /// The value computed last; nil if there is none.
  @inlinable var cached: Value? { isReference ? cache.load() : cache.value }

  /// The up-to-date value, for a reader, whose read is recorded.
  @usableFromInline func read(of owner: AnyObject) -> Value {
    let transaction = Transaction.current
    transaction.openMail(below: self)
    if state.contains(.registered), !isInEvaluation() { supplement?.derived?.access() }
    // Without a closure, a row of rules takes less of the stack.
    transaction.depth += 1
    let value = settledValue(of: owner, in: transaction)
    if transaction.isEvaluating { transaction.didRead(self) }
    transaction.close()
    return value
  }

  private func settledValue(of owner: AnyObject, in transaction: Transaction) -> Value {
    guard !state.contains(.busy) else { return valueInCycle(in: transaction) }
    transaction.refresh(self, of: owner)
    if let cached { return cached }
    // The cached object has died.
    state.insert(.outdated)
    transaction.refresh(self, of: owner)
    return cached ?? valueInCycle(in: transaction)
  }

  /// The value for a rule that reads itself: the fallback, the last value, or nil (D15).
  private func valueInCycle(in transaction: Transaction) -> Value {
    let cycle = transaction.reportCycle(through: self)
    var fallback: Value?
    rule?(self, .fallBack { fallback = $0 })
    if let value = fallback ?? cached ?? Optionals.value(nil, as: Value.self) { return value }
    fatalError("derived from itself, without a value or a fallback: \(cycle)")
  }

  override func currentValue(of owner: AnyObject, in transaction: Transaction) -> Value? {
    transaction.refresh(self, of: owner)
    return cached
  }

  // MARK: Observing

  override func firstValue(of owner: AnyObject, in transaction: Transaction) -> Value? {
    let value =
      isDerived
      ? settledValue(of: owner, in: transaction) : currentValue(of: owner, in: transaction)
    if !isObserved {
      delivered = version
      forgetReplaced()
    }
    if !isDerived, !isHop { cache.value = nil }
    return value
  }

  override func settle(of owner: AnyObject, in transaction: Transaction) {
    if state.contains(.registered) { supplement?.derived?.notify() }
    if hasObservers { super.settle(of: owner, in: transaction) } else { forgetReplaced() }
  }

  override func deliver(of owner: AnyObject, in transaction: Transaction) {
    rule?(self, .deliver(transaction))
  }

  /// Delivers a derived property. Observers that have received the same value last are left out.
  @inlinable func deliver(
    _ areEqual: ((Value, Value) -> Bool)?, in transaction: Transaction
  ) {
    let (former, cached) = (isReference ? former.load() : former.value, cached)
    forgetReplaced()
    guard let cached else { return }
    if let former, isSame(former, cached, areEqual) { leaveOut(since: delivered) }
    emit(cached, in: transaction)
  }

  /// Whether the values are objects, which are cached weakly (D14).
  @inlinable var isReference: Bool { state.contains(.reference) }

  @inlinable func forgetReplaced() { former.forget(isReference: isReference) }

  /// Registers reads with Observation, which is notified whenever a transaction that has outdated
  /// the value closes.
  func registerReads() {
    makeSupplement().derived = DerivedSupplement()
    state.insert(.registered)
    settlement.order = Transaction.nextOrder()
    signals.wrappingAdd(Signal.observer, ordering: .relaxed)
  }

  override func observersLeft() { if !isDerived { abandon() } }

  // MARK: Errors

  override var errors: Observable<any Error> {
    let derived = supplement?.derived ?? DerivedSupplement()
    let errors = derived.errors ?? PublishSubject()
    derived.errors = errors
    if hasEnded { errors.onCompleted() } else { makeSupplement().derived = derived }
    return errors
  }

  /// Called when the rule has thrown (D16).
  @usableFromInline func fail(_ error: any Error, in transaction: Transaction) {
    transaction.atEnd { [self] in
      let errors = supplement?.derived?.errors
      if let errors, errors.hasObservers { return errors.onNext(error) }
      report(.derivedError, "\(error)")
    }
  }

  override func releaseContents() {
    super.releaseContents()
    rule = nil
    cache.forget(isReference: isReference)
    state.remove(.registered)
    forgetReplaced()
  }
}
