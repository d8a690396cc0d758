import Synchronization

/// A property that has been observed: its version, its observers (P1 to P3), and what a set of it
/// has to pass.
///
/// Made when the property is first read by something that observes; the owner's registry retains
/// it. The parts that few properties need are made on demand: ``PropertyObservers``,
/// ``PropertyGuards`` (rules, exclusive bindings, `.prior`) and ``ReferentWatch`` (weak
/// properties).
///
/// - Isolation: confined, with its object.
@usableFromInline final class PropertyNode<Value>: DependencyNode {
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
  @exclusivity(unchecked) private var observersReference: Unmanaged<PropertyObservers<Value>>?
  @exclusivity(unchecked) private var guards: PropertyGuards<Value>?
  /// Whether a set has to pass `guards`.
  @exclusivity(unchecked) @usableFromInline private(set) var isGuarded = false
  private var referentWatch: ReferentWatch?
  /// The scope of the mutation in place that is under way. One at a time: the language enforces
  /// that.
  @exclusivity(unchecked) private var modification: UnsafeMutablePointer<ThreadScope>?

  init(_ object: AnyObject) {
    self.object = object
    holdsObject = Optionals.isReference(Value.self)
  }

  override var valueType: ObjectIdentifier { ObjectIdentifier(Value.self) }
  override var owner: AnyObject? { object }

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
  func willSet(_ value: inout Value) -> Bool { !isGuarded || guardedSet(&value) }

  @usableFromInline @inline(never) func guardedSet(_ value: inout Value) -> Bool {
    guards?.admit(&value, of: self, isDelivering: isDelivering) ?? true
  }

  /// Delivers a value that has just been stored, and settles what is computed from it if this is
  /// the outermost set of the thread.
  @usableFromInline @inline(never) func didSet(_ value: Value) {
    let scope = ThreadScope.ofThread
    scope.open(for: UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
    didStore(value, in: scope)
    scope.close()
  }

  /// Whether a value has to pass a rule.
  @inlinable @inline(__always) var hasRules: Bool { isGuarded && isRuled }

  @usableFromInline @inline(never) var isRuled: Bool { guards?.hasRules == true }

  /// What comes before a mutation in place: opens the scope, so that what is computed from the
  /// property is evaluated when all accesses to it have ended.
  ///
  /// - Returns: whether the former value is needed afterwards.
  @usableFromInline @inline(never) func willModify() -> Bool {
    let scope = ThreadScope.ofThread
    scope.open(for: UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
    modification = scope
    guard isGuarded else { return holdsObject }
    if isRuled { return true }
    guards?.announce()
    return holdsObject
  }

  /// What comes after it: the delivery, and the end of the scope.
  @usableFromInline @inline(never) func didModify(_ value: Value) {
    guard let scope = modification else { return }
    // Before the delivery: an observer may begin another one.
    modification = nil
    didStore(value, in: scope)
    scope.close()
  }

  /// Ends the scope of a mutation that becomes a set.
  @usableFromInline func endModify() {
    let scope = modification
    modification = nil
    scope?.close()
  }

  /// Announces a change whose value is not known yet.
  func announce() { if isGuarded { guards?.announce() } }

  /// Marks what has been computed from the value for settling; its observers are called later.
  func didChange() {
    let scope = ThreadScope.ofThread
    scope.open(for: UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
    change(in: scope)
    scope.close()
  }

  @inline(__always)
  private func didStore(_ value: Value, in scope: UnsafeMutablePointer<ThreadScope>) {
    change(in: scope)
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
  @inline(__always) func subscribe(
    _ observer: consuming AnyObserver<Value>, in context: SubscriptionContext,
    after first: () -> Void
  ) {
    let observers = observers ?? makeObservers()
    observers.subscribe(
      observers.memberType.init(observer, in: context, of: observers), after: first)
  }

  private var observers: PropertyObservers<Value>? { observersReference?.takeUnretainedValue() }

  deinit { observersReference?.release() }

  private func makeObservers() -> PropertyObservers<Value> {
    let made = PropertyObservers<Value>(of: self)
    observersReference = .passRetained(made)
    return made
  }

  /// What to deliver when a feedback loop has been stopped, in the place of the value that is
  /// waiting.
  func recover(with value: @escaping () -> Value) {
    (observers ?? makeObservers()).recovery = value
  }

  /// Whether anything observes the values themselves.
  var hasObservers: Bool { observers?.hasObservers == true }

  override func beforeEach(in context: SubscriptionContext, _ action: @escaping () -> Void) {
    guarded().subscribe(in: context, action)
  }

  override func complete() {
    referentWatch?.end()
    observers?.terminate(nil)
    guards?.end()
  }

  // MARK: Rules

  /// Passes every value through `rule`, from now on until `context` ends.
  func add(_ rule: SetRule<Value>, in context: SubscriptionContext) {
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

  // MARK: Reporting

  override var name: String? { StoredProperties.name(of: self, in: object) }

  override var description: String { "\(type(of: object)).\(name ?? "\(Value.self)")" }
}

/// The observers of a property: a broadcaster that counts what waits, and stops feedback loops
/// (P3).
final class PropertyObservers<Value>: Broadcaster<Value> {
  /// Proof of unowned(unsafe): the node retains its observers, and delivers through them itself.
  private unowned(unsafe) let node: PropertyNode<Value>
  /// Values that were set during a delivery. Atomic: the referent of a weak property may die on
  /// another thread, which then delivers that death and what the owner sets meanwhile.
  private let waiting = Atomic<Int>(0)
  private var feedback = FeedbackCounter()
  /// Whether the value being delivered was set during the delivery of another one.
  private(set) var isRedelivering = false
  /// Whether a feedback loop has been stopped.
  private var isStopped = false
  /// The object delivered last, while another one waits: retained until that has been delivered.
  private var overtaken: AnyObject?
  var recovery: (() -> Value)?
  /// Stored, because looking up a generic class costs more than making one of its objects.
  let memberType = Member<Value>.self

  init(of node: PropertyNode<Value>) { self.node = node }

  var isDelivering: Bool { !serializer.isIdle }

  var isOvertaken: Bool { waiting.load(ordering: .relaxed) > 0 }

  var waitingCount: Int { waiting.load(ordering: .relaxed) }

  @inline(__always) func deliverStored(_ value: Value) {
    guard serializer.enter() else {
      waiting.wrappingAdd(1, ordering: .relaxed)
      return send { self.deliverQueued(value) }
    }
    deliver(value)
    leave()
  }

  override func deliverQueued(_ value: Value) {
    let count = waiting.wrappingSubtract(1, ordering: .relaxed).oldValue
    defer {
      if !isOvertaken {
        feedback = FeedbackCounter()
        isStopped = false
        overtaken = nil
      }
    }
    isRedelivering = true
    defer { isRedelivering = false }
    if feedback.admits(waiting: count) {
      deliver(value)
    } else {
      // The last value that waits is the one stored; what is set during its delivery is not
      // delivered.
      let isLast = count == 1 && !isStopped
      if isLast {
        isStopped = true
        reportFeedback()
        deliver(recovery?() ?? value)
        if isOvertaken { return }
      }
    }
    if node.holdsObject, isOvertaken { overtaken = Optionals.reference(in: value) }
  }

  private func reportFeedback() {
    Diagnostics.report(
      .feedbackLoop,
      "each of \(Diagnostics.feedbackLimit) deliveries in a row has set the property again; "
        + "delivery stops with the value stored",
      type: "\(type(of: node.object))", property: node.name)
  }
}

// MARK: Weak properties

/// The watch over the object that a weak property refers to.
final class ReferentWatch {
  private let current = SerialDisposable()
  /// Whether the death is being delivered. For the thread that delivers.
  fileprivate(set) var isDelivering = false

  fileprivate func watch(_ lifetime: Lifetime?, _ action: @escaping (SubscriptionContext) -> Void) {
    let context = SubscriptionContext()
    current.disposable = context
    lifetime?.whenEnded(in: context) { action(context) }
  }

  fileprivate func end() { current.dispose() }
}

extension PropertyNode {
  /// Delivers nil when `referent`, the object that the weak property refers to from now on, dies.
  ///
  /// An object that is neither ``PropertyObservable`` nor ``LifetimeProviding`` dies unobserved,
  /// which is reported once per property and class.
  @usableFromInline func watch<Object: AnyObject>(_ referent: Object?) where Value == Object? {
    if lock == nil { lock = DependencyLock() }
    guard referent != nil || referentWatch != nil else { return }
    let watch = referentWatch ?? ReferentWatch()
    referentWatch = watch
    let lifetime = referent.flatMap(Lifetime.of)
    if let referent, lifetime == nil { reportUnobservableDeath(of: referent) }
    watch.watch(lifetime) { [weak self] in self?.deliverDeath($0) }
  }

  /// In its turn: if another object has replaced the dead one meanwhile, `watch` has ended, and
  /// there is nothing to deliver.
  private func deliverDeath<Object: AnyObject>(_ watch: SubscriptionContext)
  where Value == Object? {
    let scope = ThreadScope.ofThread
    scope.open()
    if let observers {
      observers.perform { self.announceDeath(watch) }
    } else {
      announceDeath(watch)
    }
    scope.close()
  }

  private func announceDeath<Object: AnyObject>(_ watch: SubscriptionContext)
  where Value == Object? {
    guard watch.end() else { return }
    watch.tearDown()
    changeByDeath(in: ThreadScope.ofThread)
    guard let observers else { return }
    referentWatch?.isDelivering = true
    observers.deliver(nil)
    referentWatch?.isDelivering = false
  }

  private func reportUnobservableDeath(of referent: AnyObject) {
    let message = "the death of a \(type(of: referent)) cannot be observed: it has no Lifetime"
    guard Diagnostics.isNew(.unobservableDeath, "\(description) \(message)") else { return }
    Diagnostics.report(
      .unobservableDeath, message, type: "\(type(of: object))", property: name)
  }
}
