import KeylineCore

/// A property that has been observed: its version, its observers (P1 to P3), and what a set of it
/// has to pass.
///
/// Made when the property is first read by something that observes; the owner's registry retains
/// it. The parts that few properties need are made on demand: ``PropertyObservers``,
/// ``PropertyGuards`` (rules, exclusive bindings, `.prior`) and ``ReferentWatch`` (weak
/// properties).
///
/// A derived property has a ``DerivedCell`` beside it.
///
/// - Isolation: confined, with its object.
@usableFromInline final class PropertyNode<Value>: DependencyNode {
  // The short ones first: behind those of the superclass.
  /// Whether the value is an object, or an optional one.
  @usableFromInline let holdsObject: Bool
  /// Proof of unowned(unsafe): used by the owner's accessors, and by observations before the
  /// registry has ended, which it does with the owner.
  unowned(unsafe) let object: AnyObject
  /// The property's own key path, and another one that is known to equal it.
  private var keyPath: AnyKeyPath?
  private var equalKeyPath: AnyKeyPath?
  /// Proof of Unmanaged: retained when they are made, released with the node. To be called without
  /// a retain, since they outlive it: a node that is replaced in its own delivery is retained until
  /// that ends.
  // Proof of unchecked, here and below: confined, with the property; no foreign code runs during an
  // access.
  @exclusivity(unchecked) private(set) var observersReference: Unmanaged<PropertyObservers<Value>>?
  @exclusivity(unchecked) private var guards: PropertyGuards<Value>?
  /// What the batch under way has made of it.
  // Proof of Unmanaged: retained when it is made, released with the node.
  @exclusivity(unchecked) var batched: Unmanaged<BatchedChange<Value>>?
  /// That of its wrapper, as long as the owner lives.
  @exclusivity(unchecked) var slot: UnsafeMutablePointer<PropertySlot>?

  init(_ object: AnyObject) {
    self.object = object
    holdsObject = Optionals.isReference(Value.self)
  }

  override var valueType: ObjectIdentifier { ObjectIdentifier(Value.self) }
  override var owner: AnyObject? {
    guard let referentWatch else { return object }
    return referentWatch.owner.retained()?.takeRetainedValue()
  }

  override func isNode(of object: AnyObject) -> Bool { self.object === object }

  /// Stores which property it is; called by the property's own accessor.
  func identify(_ keyPath: AnyKeyPath?) {
    guard let keyPath else { return }
    isIdentified = true
    self.keyPath = keyPath
  }

  /// Whether `other`, a key path from the class of the owner or a superclass, leads to this
  /// property.
  func isProperty(_ other: AnyKeyPath) -> Bool {
    if other === equalKeyPath { return true }
    guard let keyPath else { return false }
    let isDeclaration =
      Runtime.declaration(of: other).map {
        $0 == Runtime.declaration(of: keyPath, isSingle: true)
      } ?? (other == keyPath)
    guard isDeclaration,
      Swift.type(of: other).rootType == Swift.type(of: object)
        || Runtime.isInherited(other, by: Swift.type(of: object))
    else { return false }
    equalKeyPath = other
    return true
  }

  // MARK: Setting

  /// What comes before the store of a set: rules, and the announcement to observers with `.prior`.
  ///
  /// - Returns: whether `value`, as it is then, is to be stored.
  @inlinable @inline(__always)
  func willSet(_ value: inout Value) -> Bool { !isGuarded || guardedSet(&value) }

  @usableFromInline @inline(never) func guardedSet(_ value: inout Value) -> Bool {
    guards?.admit(&value, of: self) ?? true
  }

  /// Delivers a value that has just been stored, and settles what is computed from it if this is
  /// the outermost set of the thread.
  @usableFromInline @inline(never) func didSet(_ value: Value, replacing former: Value) {
    let scope = openScope()
    didStore(value, replacing: former, in: scope)
    scope.close()
  }

  /// Delivers a value that need not be compared with the one before.
  func didSet(_ value: Value) {
    let scope = openScope()
    didStore(value, in: scope)
    scope.close()
  }

  /// Opens the scope of the thread, for a change of the owner.
  @inline(__always) private func openScope() -> UnsafeMutablePointer<ThreadScope> {
    let scope = ThreadScope.ofThread
    scope.open(for: UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
    return scope
  }

  /// Whether a value has to pass a rule.
  @inlinable @inline(__always) var hasRules: Bool { isGuarded && isRuled }

  @usableFromInline @inline(never) var isRuled: Bool { guards?.hasRules == true }

  /// What comes before a mutation in place: opens the scope, so that what is computed from the
  /// property is evaluated when all accesses to it have ended.
  ///
  /// - Returns: whether the former value is needed afterwards.
  @usableFromInline @inline(never) func willModify() -> Bool {
    let scope = openScope()
    if isGuarded {
      if isRuled { return true }
      announce()
    }
    return holdsObject || scope.pointee.batch.isOpen && wantsFormerValue
  }

  /// What comes after it: the delivery, and the end of the scope.
  @usableFromInline @inline(never) func didModify(_ value: Value) {
    let scope = ThreadScope.ofThread
    didStore(value, in: scope)
    scope.close()
  }

  /// As `didModify(_:)`, if the former value was needed.
  @usableFromInline @inline(never) func didModify(_ value: Value, replacing former: Value) {
    let scope = ThreadScope.ofThread
    didStore(value, replacing: former, in: scope)
    scope.close()
  }

  /// Ends the scope of a mutation that becomes a set.
  @usableFromInline func endModify() { ThreadScope.ofThread.close() }

  /// Announces that a value is about to be stored: in a batch, before the first one.
  func announce() {
    guard isGuarded, !isAnnounced, let guards else { return }
    // A set in an announcement belongs to the change announced, if that is one of a batch.
    if guards.isAnnouncing, ThreadScope.ofThread.pointee.batch.isOpen { return }
    let entry = TraceRecorder.ofThread.flatMap { trace in
      guards.hasAnnouncements
        ? trace.begin(.announce, trace.name(of: self), trace.name(of: self)) : nil
    }
    guards.announce()
    entry?.end()
  }

  /// Whether the change under way has been announced already.
  private var isAnnounced: Bool {
    derivation?._withUnsafeGuaranteedRef { $0.isAnnounced } ?? isBatched
  }

  /// Marks what has been computed from the value for settling; its observers are called later.
  func didChange() {
    let scope = openScope()
    change(in: scope)
    if let trace = scope.trace { trace.endSet(trace.beginSet(of: self, " edited"), in: scope) }
    scope.close()
  }

  @inline(__always) private func didStore(
    _ value: Value, replacing former: Value, in scope: UnsafeMutablePointer<ThreadScope>
  ) {
    change(in: scope)
    if _slowPath(scope.pointee.batch.isActiveOrTraced),
      scope.pointee.batch.isTraced
        ? record(value, replacing: former, in: scope) : collect(replacing: former, in: scope)
    {
      return
    }
    deliver(value, in: scope)
  }

  @inline(__always)
  private func didStore(_ value: Value, in scope: UnsafeMutablePointer<ThreadScope>) {
    change(in: scope)
    if _slowPath(scope.pointee.batch.isActiveOrTraced),
      scope.pointee.batch.isTraced ? record(value, in: scope) : collect(in: scope) != nil
    {
      return
    }
    deliver(value, in: scope)
  }

  @inline(__always)
  private func deliver(_ value: Value, in scope: UnsafeMutablePointer<ThreadScope>) {
    guard let observersReference else { return }
    // A getter may set: what observers read during that is not among its dependencies.
    let outer = scope.pointee.evaluation
    if outer != nil { scope.pointee.evaluation = nil }
    observersReference._withUnsafeGuaranteedRef { $0.deliverStored(value) }
    if outer != nil { scope.pointee.evaluation = outer }
  }

  override var isDelivering: Bool {
    observersReference?._withUnsafeGuaranteedRef { $0.isDelivering } ?? false
  }

  override var isDeliveringChange: Bool {
    observersReference?._withUnsafeGuaranteedRef { $0.isDeliveringChange } ?? false
  }

  override var isRedelivering: Bool {
    observersReference?._withUnsafeGuaranteedRef { $0.isRedelivering } ?? false
  }

  override var isOvertaken: Bool {
    observersReference?._withUnsafeGuaranteedRef { $0.isOvertaken } ?? false
  }

  override var deliveredVersion: UInt {
    version &- UInt(observersReference?._withUnsafeGuaranteedRef { $0.waitingCount } ?? 0)
  }

  var referentWatch: ReferentWatch? { lock as? ReferentWatch }

  override var isDeliveringDeath: Bool { referentWatch?.isDelivering ?? false }

  // MARK: Observing

  /// Adds an observer, after `first` has delivered the current value to it.
  @inline(__always) func subscribe(
    _ observer: consuming AnyObserver<Value>, in context: EngineContext,
    after first: () -> Void
  ) {
    if let derivation, !hasObservers {
      derivation._withUnsafeGuaranteedRef { $0.willBeObserved() }
    }
    let isLate = isPending
    if _slowPath(isLate) { observer = skippingPendingChange(observer) }
    let observers = observersReference ?? makeObservers()
    context.withMember(of: .fromOpaque(observers.toOpaque()), observer) { member in
      if _slowPath(isLate) { makeBatched()._withUnsafeGuaranteedRef { $0.addLate(member) } }
      let isRecorded = _slowPath(TraceRecorder.ofThread != nil || Diagnostics.isRecording)
      let entry = isRecorded ? recordSubscription(of: member.subscription) : nil
      observers._withUnsafeGuaranteedRef { $0.subscribe(member, after: first) }
      entry?.end()
    }
    derivation?._withUnsafeGuaranteedRef { $0.hasBeenJoined() }
  }

  /// Takes over an observer of the same property of another object, after `first` has delivered the
  /// current value to it.
  ///
  /// - Returns: false if it cannot be done at once; `first` has not been called then.
  @inline(__always) func move(_ member: EngineContext, after first: () -> Void) -> Bool {
    guard !isPending else { return false }
    return (observersReference ?? makeObservers())._withUnsafeGuaranteedRef {
      $0.move(member, after: first)
    }
  }

  var observers: PropertyObservers<Value>? { observersReference?.takeUnretainedValue() }

  deinit {
    observersReference?.release()
    batched?.release()
  }

  private func makeObservers() -> Unmanaged<PropertyObservers<Value>> {
    let made = Unmanaged.passRetained(PropertyObservers<Value>(of: self))
    observersReference = made
    return made
  }

  /// What to deliver when a feedback loop has been stopped, in the place of the value that is
  /// waiting.
  func recover(with value: @escaping () -> Value) {
    (observersReference ?? makeObservers())._withUnsafeGuaranteedRef { $0.recover(with: value) }
  }

  /// Whether anything observes the values themselves.
  @inline(__always) var hasObservers: Bool {
    observersReference?._withUnsafeGuaranteedRef { $0.hasObservers } ?? false
  }

  override func beforeEach(in context: EngineContext, _ action: @escaping () -> Void) {
    guarded().subscribe(in: context, action)
    derivation?._withUnsafeGuaranteedRef { derivation in
      // Before the first set of something that it is derived from.
      derivation.announce { [weak self, unowned derivation] in
        self?.announce()
        derivation.isAnnounced = true
      }
    }
  }

  override func complete() {
    hasEnded = true
    batched?._withUnsafeGuaranteedRef { $0.end() }
    derivation?._withUnsafeGuaranteedRef { $0.end() }
    slot = nil
    referentWatch?.end()
    observers?.terminate(nil)
    guards?.end()
  }

  // MARK: Rules

  /// Passes every value through `rule`, from now on until `context` ends.
  func add(_ rule: SetRule<Value>, in context: EngineContext) {
    guarded().add(rule, in: context)
  }

  /// The binding that owns the property exclusively, if there is one.
  var exclusiveOwner: AnyObject? { guards?.exclusiveOwner }

  private func guarded() -> PropertyGuards<Value> {
    let made =
      guards ?? PropertyGuards<Value>(type: type(of: object), name: { [unowned self] in name })
    guards = made
    isGuarded = true
    return made
  }

  // MARK: Batches

  override var isPending: Bool {
    if let derivation { return derivation._withUnsafeGuaranteedRef({ $0.isPending }) }
    return isBatched
  }

  override func collectDeath(in scope: UnsafeMutablePointer<ThreadScope>) {
    if scope.pointee.batch.isOpen { _ = collect(isDeath: true, in: scope) }
  }

  override func resolvePendingChange() { resolveBatchedChange() }

  override func deliverPendingChange() { deliverBatchedChange() }

  // MARK: Reporting

  override var observerContexts: [EngineContext] { observers?.contexts ?? [] }

  override var name: String? { StoredProperties.name(of: self, in: object) }

  override var description: String { "\(type(of: object)).\(name ?? "\(Value.self)")" }
}
