/// A value computed from what its rule reads: a path that is observed, or a derived property. Lazy,
/// cached, and settled with the transaction while it is observed.
///
/// The node of a path is its subscription's own: it ends with it, and each evaluation is a new value.
/// The node of a derived property is the object's: it caches, and results that are equal are cut off.
///
/// Laws of derived values are listed, by number, at ``Derived``.
@usableFromInline final class ComputedNode<Value>: PropertyNode<Value>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  /// What depends on the type of the value, made where that is known: generic code would look up
  /// metadata at each step.
  @usableFromInline struct Rule {
    /// Computes the value of a path, or the `result` of a derived property and what it has thrown.
    @usableFromInline let evaluate: (ComputedNode, AnyObject) -> Void
    /// Stores the result of a derived property, unless it is equal to the value.
    @usableFromInline let commit: (ComputedNode) -> Void
    /// Delivers the value, which is another one than was delivered last.
    @usableFromInline let deliver: (ComputedNode, Transaction) -> Void
    /// Whether two values are the same; nil if each result is a new one.
    @usableFromInline let areEqual: ((Value, Value) -> Bool)?
    /// Whether objects are compared like that, too; by identity otherwise.
    @usableFromInline let comparesObjects: Bool
    /// The value of a rule that throws, or reads itself.
    @usableFromInline let fallback: (() -> Value)?

    @inlinable init(
      evaluate: @escaping (ComputedNode, AnyObject) -> Void,
      areEqual: ((Value, Value) -> Bool)?, comparesObjects: Bool, fallback: (() -> Value)?
    ) {
      self.evaluate = evaluate
      self.areEqual = areEqual
      self.comparesObjects = comparesObjects
      self.fallback = fallback
      commit = { node in
        guard let result = node.result else { return }
        node.result = nil
        if let areEqual, let value = node.value, areEqual(value, result) { return }
        node.replaceValue(by: result)
      }
      deliver = { node, transaction in
        guard let value = node.value else { return }
        node.forgetFormer()
        node.emit(value, in: transaction)
      }
    }

    /// The rule of a path, of which each evaluation is a new value.
    @inlinable init(reading access: @escaping PropertyAccess<Value>) {
      evaluate = { node, owner in node.value = access(owner, nil) }
      commit = { _ in }
      deliver = { node, transaction in
        guard let value = node.value else { return }
        node.value = nil
        node.emit(value, in: transaction)
      }
      areEqual = nil
      comparesObjects = false
      fallback = nil
    }
  }

  @usableFromInline enum Kind {
    /// A derived property: the object's own, cached.
    case derived
    /// A path that is observed: ends with its observer.
    case path
    /// A property on a chain that is not stored: only its changes matter.
    case hop
  }

  /// The rule; nil once it is not needed any more.
  @exclusivity(unchecked) private var rule: Rule?
  private let kind: Kind
  /// Whether values are objects, which are cached weakly (D14).
  @usableFromInline final let isReference: Bool
  // Proof of unchecked, here and below: confined; what a store releases is released after it.
  @exclusivity(unchecked) @usableFromInline final var value: Value?
  /// In place of `value`, for objects of derived properties.
  @exclusivity(unchecked) private var object = RecordedObject()
  /// The result of the evaluation under way.
  @exclusivity(unchecked) @usableFromInline final var result: Value?
  /// What the rule has thrown.
  @exclusivity(unchecked) @usableFromInline final var error: (any Error)?
  /// The value that was delivered last, if it has been replaced since, and how often.
  @exclusivity(unchecked) @usableFromInline final var former: Value?
  @exclusivity(unchecked) private var formerObject = RecordedObject()
  @exclusivity(unchecked) private var formerVersion: UInt = 0
  @exclusivity(unchecked) @usableFromInline final var replacements = 0
  /// What observers have received that joined since the last delivery.
  @exclusivity(unchecked) private var joins: [(version: UInt, value: RecordedValue<Value>)] = []
  private var errorSubject: PublishSubject<any Error>?
  /// Registers reads with the standard library's Observation, if the class of the object does (D21).
  @exclusivity(unchecked) private var registration: DerivedRegistration?

  @usableFromInline
  init(owner: RegisteredObject, place: UInt = 0, _ kind: Kind, rule: Rule) {
    self.rule = rule
    self.kind = kind
    isReference = kind == .derived && Optionals.isReference(Value.self)
    super.init(owner: owner, isComputed: true, place: place)
    if kind == .derived, Optionals.isCollectionOfReferences(Value.self) {
      state.insert(.releasable)
    }
  }

  // MARK: Evaluating

  /// Takes over a value that has just been computed, and what has been read for it.
  func adopt(_ value: Value, computedFrom reads: [(node: Node, version: UInt)]) {
    dependencies = reads.map {
      Dependency(node: $0.node, link: $0.node.link(self), version: $0.version)
    }
    state.remove(.outdated)
    version = 1
    if kind != .hop { self.value = value }
  }

  override func evaluate(of owner: AnyObject, from index: Int, in transaction: Transaction) {
    rule?.evaluate(self, owner)
  }

  override func commit(in transaction: Transaction) {
    switch kind {
    case .hop, .path:
      version &+= 1
      if kind == .hop { releaseValue() }
      if dependencies.count == 1, dependencies[0].node.isAtDeath { deathVersion = version }
    case .derived where isReference: commitObject(in: transaction)
    case .derived: rule?.commit(self)
    }
    if error != nil { emitError(in: transaction) }
  }

  private func releaseValue() { value = nil }

  private func emitError(in transaction: Transaction) {
    guard let error else { return }
    self.error = nil
    transaction.atEnd { self.emit(error) }
  }

  /// Stores another value; the first one that it replaces since the last delivery is compared later.
  @inlinable func replaceValue(by result: Value) {
    if isRemembered() {
      if replacements == 0 {
        former = value
        rememberVersion()
      }
      replacements += 1
    }
    value = result
    didReplaceValue()
  }

  @usableFromInline func rememberVersion() { formerVersion = version }

  @usableFromInline func didReplaceValue() {
    version &+= 1
    // What has read the value before it was replaced for a while need not be evaluated (D5, D31).
    if replacements > 1, isBackAtFormer { restore(formerVersion) }
    guard !joins.isEmpty, let cached else { return }
    for join in joins where join.value.isSame(as: cached) { restore(join.version) }
  }

  /// Whether the value is to be compared with later ones: it is observed, or something has read it before
  /// the batch that is open, which may restore it.
  @usableFromInline func isRemembered() -> Bool {
    if isObserved || replacements > 0 { return true }
    let transaction = Transaction.current
    guard transaction.openBatches > 0, !dependents.isEmpty else { return false }
    transaction.atEnd { [self] in if !isObserved { forgetFormer() } }
    return true
  }

  private func commitObject(in transaction: Transaction) {
    guard let result else { return }
    self.result = nil
    let new = Optionals.reference(in: result)
    if let new { transaction.keep(new) }
    if object.refers(to: new) { return }
    if let rule, rule.comparesObjects, new != nil, let value: Value = object.value(),
      rule.areEqual?(value, result) == true
    {
      return
    }
    if isRemembered() {
      if replacements == 0 {
        formerObject = object
        rememberVersion()
      }
      replacements += 1
    }
    object = RecordedObject(new)
    didReplaceValue()
  }

  /// What the rule makes of `owner`, not cached.
  func resultOfRule(of owner: AnyObject) -> Value {
    rule?.evaluate(self, owner)
    guard let result = result ?? value else { fatalError("a rule that may throw has a fallback") }
    return result
  }

  /// Called when the rule has thrown: the fallback is the result (D16).
  @usableFromInline func fail(_ error: any Error) {
    result = rule?.fallback?()
    self.error = error
  }

  /// Evaluates with the next read or, if it is observed, when the transaction closes (D18).
  func invalidate() {
    let transaction = Transaction.current
    transaction.perform { transaction.markOutdated(self) }
  }

  override func releaseUnusedValue() {
    guard !state.contains(.busy) else { return }
    state.insert(.outdated)
    value = nil
  }

  // MARK: Reading

  /// The cached value, if reading it is all there is to do: it is up to date, and no thread is
  /// evaluating anything. Nothing but loads and a copy.
  @inlinable @inline(__always) func cleanValue(of owner: AnyObject) -> Value? {
    guard state.isEmpty, !isTracking(), identity == address(of: owner) else {
      return nil
    }
    return value
  }

  override var isDerived: Bool { kind == .derived }
  override var isHop: Bool { kind == .hop }

  override var inspectedValue: Any? { cached.map { $0 as Any } }

  /// The value as it was computed last; nil if there is none.
  var cached: Value? { isReference ? object.value() : value }

  /// The value, brought up to date, for a reader.
  @inlinable func read(of owner: AnyObject) -> Value {
    if settleRead(of: owner), let value { return value }
    return readCarefully(of: owner)
  }

  /// Brings the value up to date for a reader, and records the read.
  ///
  /// - Returns: false if it is an object, being evaluated, or registered: there is more to it.
  @usableFromInline func settleRead(of owner: AnyObject) -> Bool {
    let transaction = Transaction.current
    if RegisteredObject.isMailPending { transaction.openMail(below: self) }
    self.owner.use(in: transaction)
    guard !isReference, state.isDisjoint(with: [.busy, .registered]) else { return false }
    transaction.depth += 1
    transaction.refresh(self, of: owner)
    if transaction.isEvaluating { transaction.didRead(self) }
    transaction.close()
    return true
  }

  /// The value, if it is an object, depends on itself, or is registered with Observation.
  @usableFromInline func readCarefully(of owner: AnyObject) -> Value {
    let transaction = Transaction.current
    registration?.access()
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
    // The object has died.
    state.insert(.outdated)
    transaction.refresh(self, of: owner)
    return cached ?? valueInCycle(in: transaction)
  }

  /// The value for a rule that reads its own: the fallback, the last value, or nil (D15).
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
      kind == .derived
      ? settledValue(of: owner, in: transaction) : currentValue(of: owner, in: transaction)
    if !isObserved {
      delivered = version
      forgetFormer()
    } else if let value, delivered != version {
      joins.append((version, RecordedValue(value)))
    }
    if kind == .path { self.value = nil }
    return value
  }

  override func settle(of owner: AnyObject, in transaction: Transaction) {
    delivery.remove(.announced)
    registration?.notify()
    // The registration counts as an observer.
    if observerCount.load(ordering: .relaxed) == (registration == nil ? 0 : 1) { return }
    transaction.refresh(self, of: owner)
    guard delivered != version, transaction.admitsDelivery(of: self) else { return }
    joins = []
    if isReference {
      forgetFormer()
      if let object = cached { emit(object, in: transaction) }
    } else {
      rule?.deliver(self, transaction)
    }
  }

  private var isBackAtFormer: Bool {
    if isReference { return formerObject.isSame(as: object) }
    guard let former, let value, let areEqual = rule?.areEqual else { return false }
    return areEqual(former, value)
  }

  @inlinable func forgetFormer() {
    guard replacements > 0 else { return }
    replacements = 0
    former = nil
    if isReference { forgetFormerObject() }
  }

  @usableFromInline func forgetFormerObject() { formerObject = RecordedObject() }

  /// Registers reads with Observation, which is notified whenever a transaction closes that has outdated the
  /// value.
  func registerReads() {
    registration = DerivedRegistration()
    state.insert(.registered)
    order = Transaction.nextOrder()
    observerCount.wrappingAdd(1, ordering: .relaxed)
  }

  override func observersLeft() { if kind != .derived { _ = markEnded() } }

  // MARK: Errors

  /// What the rule throws.
  var errors: Observable<any Error> {
    let subject = errorSubject ?? PublishSubject()
    errorSubject = subject
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
    value = nil
    registration = nil
    forgetFormer()
  }
}
