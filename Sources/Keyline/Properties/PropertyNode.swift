/// A property that has been observed: its version, its observers (P1 to P3), and what a set of it
/// has to pass.
///
/// Made when the property is first read by something that observes; the owner's registry retains
/// it. The parts that few properties need are made on demand: ``PropertyObservers``,
/// ``PropertyGuards`` (rules, exclusive bindings, `.prior`) and ``ReferentWatch`` (weak
/// properties).
///
/// A derived property has a ``DerivedNode``.
///
/// - Isolation: confined, with its object.
@usableFromInline class PropertyNode<Value>: DependencyNode {
  /// Proof of unowned(unsafe): used by the owner's accessors, and by observations before the
  /// registry has ended, which it does with the owner.
  unowned(unsafe) let object: AnyObject
  /// The property's own key path, and another one that is known to equal it.
  private var keyPath: AnyKeyPath?
  private var equalKeyPath: AnyKeyPath?
  /// Whether the value is an object, or an optional one.
  @usableFromInline let holdsObject: Bool
  // Proof of unchecked, here and below: confined, with the property; no foreign code runs during an
  // access.
  /// Proof of Unmanaged: retained when they are made, released with the node. To be called without
  /// a retain, since they outlive it: a node that is replaced in its own delivery is retained until
  /// that ends.
  @exclusivity(unchecked) final private var observersReference: Unmanaged<PropertyObservers<Value>>?
  @exclusivity(unchecked) final private var guards: PropertyGuards<Value>?
  /// Whether a set has to pass `guards`.
  @exclusivity(unchecked) @usableFromInline final private(set) var isGuarded = false
  final var referentWatch: ReferentWatch?
  /// What the batch under way has made of it.
  @exclusivity(unchecked) final private(set) var batched: BatchedChange<Value>?
  /// That of its wrapper, as long as the owner lives.
  @exclusivity(unchecked) final var slot: UnsafeMutablePointer<PropertySlot>?
  /// The scope of the mutation in place that is under way. One at a time: the language enforces
  /// that.
  @exclusivity(unchecked) final private var modification: UnsafeMutablePointer<ThreadScope>?

  init(_ object: AnyObject) {
    self.object = object
    holdsObject = Optionals.isReference(Value.self)
  }

  override var valueType: ObjectIdentifier { ObjectIdentifier(Value.self) }
  override var owner: AnyObject? { object }

  /// Stores which property it is; called by the property's own accessor.
  final func identify(_ keyPath: AnyKeyPath?) {
    guard let keyPath else { return }
    isIdentified = true
    self.keyPath = keyPath
  }

  /// Whether `other`, a key path from the class of the owner or a superclass, leads to this
  /// property.
  final func isProperty(_ other: AnyKeyPath) -> Bool {
    if other === equalKeyPath { return true }
    guard let keyPath else { return false }
    let isDeclaration =
      StoredProperties.declaration(of: other).map {
        $0 == StoredProperties.declaration(of: keyPath, isSingle: true)
      } ?? (other == keyPath)
    guard isDeclaration,
      Swift.type(of: other).rootType == Swift.type(of: object)
        || StoredProperties.isInherited(other, by: Swift.type(of: object))
    else { return false }
    equalKeyPath = other
    return true
  }

  // MARK: Setting

  /// What comes before the store of a set: rules, and the announcement to observers with `.prior`.
  ///
  /// - Returns: whether `value`, as it is then, is to be stored.
  @inlinable @inline(__always)
  final func willSet(_ value: inout Value) -> Bool { !isGuarded || guardedSet(&value) }

  @usableFromInline @inline(never) final func guardedSet(_ value: inout Value) -> Bool {
    guards?.admit(&value, of: self) ?? true
  }

  /// Delivers a value that has just been stored, and settles what is computed from it if this is
  /// the outermost set of the thread.
  ///
  /// - Parameter former: the value before; nil if that is not known.
  @usableFromInline @inline(never) final func didSet(_ value: Value, replacing former: Value?) {
    let scope = ThreadScope.ofThread
    scope.open(for: UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
    if didStore(replacing: former, in: scope) { deliver(value, in: scope) }
    scope.close()
  }

  /// Whether a value has to pass a rule.
  @inlinable @inline(__always) final var hasRules: Bool { isGuarded && isRuled }

  @usableFromInline @inline(never) final var isRuled: Bool { guards?.hasRules == true }

  /// What comes before a mutation in place: opens the scope, so that what is computed from the
  /// property is evaluated when all accesses to it have ended.
  ///
  /// - Returns: whether the former value is needed afterwards.
  @usableFromInline @inline(never) final func willModify() -> Bool {
    let scope = ThreadScope.ofThread
    scope.open(for: UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
    modification = scope
    if isGuarded {
      if isRuled { return true }
      announce()
    }
    return holdsObject || scope.pointee.batch.isOpen && wantsFormerValue
  }

  /// What comes after it: the delivery, and the end of the scope.
  @usableFromInline @inline(never) final func didModify(_ value: Value, replacing former: Value?) {
    guard let scope = modification else { return }
    // Before the delivery: an observer may begin another one.
    modification = nil
    if didStore(replacing: former, in: scope) { deliver(value, in: scope) }
    scope.close()
  }

  /// Ends the scope of a mutation that becomes a set.
  @usableFromInline final func endModify() {
    let scope = modification
    modification = nil
    scope?.close()
  }

  /// Announces that a value is about to be stored: in a batch, before the first one.
  final func announce() { if isGuarded, !isAnnounced { guards?.announce() } }

  /// Whether the change under way has been announced already.
  var isAnnounced: Bool { isPending }

  /// Marks what has been computed from the value for settling; its observers are called later.
  final func didChange() {
    let scope = ThreadScope.ofThread
    scope.open(for: UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
    change(in: scope)
    scope.close()
  }

  /// Marks what has been computed from the value that has just been stored.
  ///
  /// - Returns: whether the value is to be delivered now.
  @inline(__always) private final func didStore(
    replacing former: Value?, in scope: UnsafeMutablePointer<ThreadScope>
  ) -> Bool {
    change(in: scope)
    return _fastPath(!scope.pointee.batch.isActive) || !collect(former, in: scope)
  }

  @inline(__always)
  private final func deliver(_ value: Value, in scope: UnsafeMutablePointer<ThreadScope>) {
    guard let observersReference else { return }
    // A getter may set: what observers read during that is not among its dependencies.
    let outer = scope.pointee.evaluation
    if outer != nil { scope.pointee.evaluation = nil }
    observersReference._withUnsafeGuaranteedRef { $0.deliverStored(value) }
    if outer != nil { scope.pointee.evaluation = outer }
  }

  override var isDelivering: Bool { observers?.isDelivering ?? false }

  override var isRedelivering: Bool { observers?.isRedelivering ?? false }

  override var isOvertaken: Bool { observers?.isOvertaken ?? false }

  override var deliveredVersion: UInt { version &- UInt(observers?.waitingCount ?? 0) }

  override var isDeliveringDeath: Bool { referentWatch?.isDelivering ?? false }

  // MARK: Observing

  /// Adds an observer, after `first` has delivered the current value to it.
  @inline(__always) final func subscribe(
    _ observer: consuming AnyObserver<Value>, in context: SubscriptionContext,
    after first: () -> Void
  ) {
    if let derivation, !hasObservers { derivation.renewOrder() }
    let isLate = isPending
    if _slowPath(isLate) { observer = skippingPendingChange(observer) }
    let observers = observers ?? makeObservers()
    let member = observers.memberType.init(observer, in: context, of: observers)
    if _slowPath(isLate) { makeBatched().addLate(member) }
    observers.subscribe(member, after: first)
  }

  final var observers: PropertyObservers<Value>? { observersReference?.takeUnretainedValue() }

  deinit { observersReference?.release() }

  private func makeObservers() -> PropertyObservers<Value> {
    let made = PropertyObservers<Value>(of: self)
    observersReference = .passRetained(made)
    return made
  }

  /// What to deliver when a feedback loop has been stopped, in the place of the value that is
  /// waiting.
  final func recover(with value: @escaping () -> Value) {
    (observers ?? makeObservers()).recovery = value
  }

  /// Whether anything observes the values themselves.
  final var hasObservers: Bool { observers?.hasObservers == true }

  override func beforeEach(in context: SubscriptionContext, _ action: @escaping () -> Void) {
    guarded().subscribe(in: context, action)
  }

  override func complete() {
    batched?.isPending = false
    slot = nil
    referentWatch?.end()
    observers?.terminate(nil)
    guards?.end()
  }

  // MARK: Rules

  /// Passes every value through `rule`, from now on until `context` ends.
  final func add(_ rule: SetRule<Value>, in context: SubscriptionContext) {
    guarded().add(rule, in: context)
  }

  /// The binding that owns the property exclusively, if there is one.
  final var exclusiveOwner: AnyObject? { guards?.exclusiveOwner }

  private func guarded() -> PropertyGuards<Value> {
    let made =
      guards ?? PropertyGuards<Value>(type: type(of: object), name: { [unowned self] in name })
    guards = made
    isGuarded = true
    return made
  }

  // MARK: Batches

  override var isPending: Bool { batched?.isPending == true }

  /// Whether the value before a mutation in place is worth comparing with the one after the batch:
  /// a collection, which that would copy, counts as changed.
  private var wantsFormerValue: Bool {
    let batched = makeBatched()
    return !batched.isPending && batched.isComparedInPlace
  }

  private func makeBatched() -> BatchedChange<Value> {
    let made = batched ?? BatchedChange<Value>(of: object)
    batched = made
    return made
  }

  /// Leaves a change to the end of the batch.
  ///
  /// - Parameters:
  ///   - former: the value before; nil if the change need not be compared.
  ///   - isDeath: whether it is the death of the object that a weak property refers to.
  /// - Returns: false if the change is to be delivered now.
  @inline(never) final func collect(
    _ former: Value?, isDeath: Bool = false, in scope: UnsafeMutablePointer<ThreadScope>
  ) -> Bool {
    guard scope.pointee.batch.isOpen else {
      // An observer has set it while the batch is delivered: with this value, and now.
      batched?.isPending = false
      _ = batched?.takeLate()
      return false
    }
    let batched = makeBatched()
    // An object that is dying cannot be retained for the delivery.
    guard batched.owner.withObject({ _ in }) else { return false }
    if let rule = scope.pointee.rules.last { reportWrite(by: rule) }
    if !batched.isPending { scope.pointee.batch.append(self) }
    batched.record(former, version: version, isDeath: isDeath)
    return true
  }

  private final func reportWrite(by rule: Unmanaged<DerivedComputation>) {
    guard Diagnostics.isNew(.derivedWrite, description) else { return }
    let rule = rule._withUnsafeGuaranteedRef { $0.node.description }
    Diagnostics.report(
      .derivedWrite, "the rule of \(rule) sets it: delivered after the evaluation",
      type: "\(type(of: object))", property: name)
  }

  /// Leaves changes of something that is not in a wrapper to the end of the batch, if one is open.
  ///
  /// - Parameter deliver: delivers them.
  /// - Returns: whether one is.
  final func collect(deliveringBy deliver: @autoclosure () -> () -> Void) -> Bool {
    let scope = ThreadScope.ofThread
    guard scope.pointee.batch.isOpen, collect(nil, in: scope) else { return false }
    if batched?.deliver == nil { batched?.deliver = deliver() }
    return true
  }

  override func resolvePendingChange() {
    guard let batched, batched.isPending else { return }
    batched.owner.withObject { _ in
      guard let value = storedValue, batched.isBack(at: value) else { return }
      batched.isPending = false
      renewDependencies(of: batched.formerVersion)
    }
  }

  override func deliverPendingChange() {
    guard let batched else { return }
    guard batched.isPending else { return deliverBackToLate() }
    batched.isPending = false
    _ = batched.takeLate()
    batched.owner.withObject { _ in
      if let deliver = batched.deliver { return deliver() }
      guard let observers, let value = storedValue else { return }
      referentWatch?.isDelivering = batched.isDeath
      observers.deliverStored(value)
      referentWatch?.isDelivering = false
    }
  }

  /// Delivers a value that is back at the former one to those who have joined in between, and have
  /// received another one (D36).
  private func deliverBackToLate() {
    guard let batched, batched.hasLate else { return }
    batched.owner.withObject { _ in
      if let value = storedValue { deliverToLate(value) }
    }
  }

  final func deliverToLate(_ value: Value) {
    for member in batched?.takeLate() ?? [] { observers?.next(value, to: member) }
  }

  /// The value in the wrapper; state that Keyline does not store has none.
  private var storedValue: Value? {
    guard let slot, let storage = UnsafeRawPointer(bitPattern: slot.pointee.address) else {
      return () as? Value
    }
    guard isWeak else {
      // Proof: the wrapper of a property that is not weak is an `Observed`, or has one in its place.
      return storage.assumingMemoryBound(to: Observed<Value>.self).pointee.value
    }
    // Proof of unsafeBitCast: a weak property is an optional reference, as any other one is.
    let object = storage.assumingMemoryBound(to: WeakObserved<AnyObject>.self).pointee.value
    return unsafeBitCast(object, to: Value.self)
  }

  /// An observer that has joined in a batch does not receive what had been set until then.
  private func skippingPendingChange(_ observer: AnyObserver<Value>) -> AnyObserver<Value> {
    let joined = version
    return observer.withNext { [unowned self] value in
      if deliveredVersion != joined { observer.next(value) }
    }
  }

  // MARK: Reporting

  override var name: String? { StoredProperties.name(of: self, in: object) }

  override var description: String { "\(type(of: object)).\(name ?? "\(Value.self)")" }
}
