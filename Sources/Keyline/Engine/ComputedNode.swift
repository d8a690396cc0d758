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

  /// The operations that depend on the type of the value, made in the client, where the type is
  /// known: generic code would look up metadata at each step.
  @usableFromInline struct Rule {
    /// Computes the value of a path, or the `result` of a derived property and the error of its
    /// rule.
    @usableFromInline let evaluate: (ComputedNode, AnyObject) -> Void
    /// Stores the result of a derived property.
    @usableFromInline let commit: (ComputedNode, Transaction) -> Void
    /// Delivers the value.
    @usableFromInline let deliver: (ComputedNode, Transaction) -> Void
    /// Whether two values are the same; nil if each result counts as new, and for objects that are
    /// compared by identity.
    @usableFromInline let areEqual: ((Value, Value) -> Bool)?
    /// The value for a rule that throws, or reads itself.
    @usableFromInline let fallback: (() -> Value)?

    /// - Parameter comparesObjects: whether `areEqual` also compares objects.
    @inlinable init(
      evaluate: @escaping (ComputedNode, AnyObject) -> Void,
      areEqual: ((Value, Value) -> Bool)?, comparesObjects: Bool, fallback: (() -> Value)?
    ) {
      self.evaluate = evaluate
      self.areEqual = comparesObjects || !Optionals.isReference(Value.self) ? areEqual : nil
      self.fallback = fallback
      commit = { $0.commitResult(in: $1) }
      deliver = { node, transaction in
        if let value = node.valueToDeliver { node.emit(value, in: transaction) }
      }
    }

    /// The rule of a path, where each evaluation counts as a new value.
    @inlinable init(reading access: @escaping PropertyAccess<Value>) {
      evaluate = { node, owner in node.cache.value = access(owner, nil) }
      commit = { _, _ in }
      deliver = { node, transaction in
        guard let value = node.cache.value else { return }
        node.cache.value = nil
        node.emit(value, in: transaction)
      }
      areEqual = nil
      fallback = nil
    }
  }

  /// The rule; nil after the end: it may retain an object whose property it has read, and which leads
  /// here.
  @exclusivity(unchecked) @usableFromInline final var rule: Rule?
  /// Whether the values are objects, which are cached weakly (D14).
  @usableFromInline final let isReference: Bool
  // Proof of unchecked, here and below: confined; a store releases the former value after the
  // access.
  /// The value computed last.
  @exclusivity(unchecked) @usableFromInline final var cache = Remembered<Value>()
  /// The result of the evaluation under way.
  @exclusivity(unchecked) @usableFromInline final var result: Value?
  /// The value delivered last, if it has been replaced since.
  @exclusivity(unchecked) @usableFromInline final var former = Remembered<Value>()
  private var errorSubject: PublishSubject<any Error>?
  /// Registers reads with the standard library's Observation, if the owner's class conforms to it
  /// (D21).
  private var registration: DerivedRegistration?

  /// - Parameter kind: `.derived` for a derived property, which the object owns; `.computed` for an
  ///   observed path, which ends with its observer; `.hop` for a computed property on a chain, of which
  ///   only the changes matter.
  @usableFromInline
  init(owner: RegisteredObject, place: UInt = 0, _ kind: State, rule: Rule) {
    self.rule = rule
    isReference = kind == .derived && Optionals.isReference(Value.self)
    let isReleasable =
      kind == .derived && !isReference
      && (Value.self as? any Container.Type)?.holdsObjects == true
    super.init(owner: owner, isReleasable ? [kind, .releasable] : kind, place: place)
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
    rule?.evaluate(self, owner)
  }

  override func commit(in transaction: Transaction) {
    if isDerived { return rule?.commit(self, transaction) ?? () }
    version &+= 1
    set(.died, dependencies.count == 1 && dependencies[0].node.state.contains(.died))
  }

  @inlinable func commitResult(in transaction: Transaction) {
    guard let result else { return }
    self.result = nil
    if isReference { Optionals.reference(in: result).map(transaction.releaseUnused) }
    if let cached, isSame(cached, result) { return }
    // Remembered, to compare it with the value at the end of the transaction.
    if version == delivered, hasObservers { former = cache }
    cache.forget(isReference: isReference)
    cache.store(result, isReference: isReference)
    version &+= 1
  }

  /// Whether a result does not count as another value.
  @inlinable func isSame(_ value: Value, _ result: Value) -> Bool {
    guard let rule else { return false }
    if isReference {
      if Optionals.word(of: value) == Optionals.word(of: result) { return true }
      guard Optionals.reference(in: result) != nil else { return false }
    }
    return rule.areEqual?(value, result) == true
  }

  /// Whether anything observes the value, apart from the registration with Observation.
  @usableFromInline var hasObservers: Bool { observerCount > (state.contains(.registered) ? 1 : 0) }

  /// Called when the rule has thrown: the fallback becomes the result (D16).
  @usableFromInline func fail(_ error: any Error) {
    result = rule?.fallback?()
    Transaction.current.atEnd { self.emit(error) }
  }

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
    if state.contains(.registered) { registration?.access() }
    return transaction.perform {
      let value = settledValue(of: owner, in: transaction)
      if transaction.isEvaluating { transaction.didRead(self) }
      return value
    }
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
    if let fallback = rule?.fallback { return fallback() }
    if let value = cached ?? Optionals.value(nil, as: Value.self) { return value }
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
    if state.contains(.registered) { registration?.notify() }
    if hasObservers { super.settle(of: owner, in: transaction) } else { forgetReplaced() }
  }

  override func deliver(of owner: AnyObject, in transaction: Transaction) {
    rule?.deliver(self, transaction)
  }

  /// The value of a derived property. Observers that have received the same value last are left out.
  @inlinable var valueToDeliver: Value? {
    let (former, cached) = (isReference ? former.load() : former.value, cached)
    forgetReplaced()
    if let former, let cached, isSame(former, cached) { leaveOut(since: delivered) }
    return cached
  }

  @inlinable func forgetReplaced() { former.forget(isReference: isReference) }

  /// Registers reads with Observation, which is notified whenever a transaction that has outdated
  /// the value closes.
  func registerReads() {
    registration = DerivedRegistration()
    state.insert(.registered)
    settlement.order = Transaction.nextOrder()
    signals.wrappingAdd(Signal.observer, ordering: .relaxed)
  }

  override func observersLeft() { if !isDerived { abandon() } }

  // MARK: Errors

  override var errors: Observable<any Error> {
    let subject = errorSubject ?? PublishSubject()
    errorSubject = subject
    if hasEnded { subject.onCompleted() }
    return subject
  }

  private func emit(_ error: any Error) {
    if let errorSubject, errorSubject.hasObservers { return errorSubject.onNext(error) }
    report(.derivedError, "\(error)")
  }

  override func releaseContents() {
    super.releaseContents()
    errorSubject?.onCompleted()
    rule = nil
    cache.forget(isReference: isReference)
    registration = nil
    state.remove(.registered)
    forgetReplaced()
  }
}
