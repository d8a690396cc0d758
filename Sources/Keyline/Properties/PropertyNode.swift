import Synchronization

/// A property's observer list, made when the property is first observed.
///
/// The property's wrapper refers to it unretained; the owner's registry keeps it.
@usableFromInline final class PropertyNode<Value>: Broadcaster<Value> {
  /// Proof of unowned(unsafe): the owner's registry keeps the node, and the node is reached through
  /// the owner's accessors or through a dependant that the registry ends with the owner.
  unowned(unsafe) let object: AnyObject
  /// The property's own key path, known from the first set on.
  private var keyPath: AnyKeyPath?
  /// Whether a member has joined that waits for the key path to be known. Atomic, as is `waiting`: the
  /// object that a weak property refers to may die on another thread, which delivers that then, and
  /// what the owner sets meanwhile.
  private let hasGuesses = Atomic<Bool>(false)
  /// Whether the value is an object, or an optional one.
  @usableFromInline let holdsObject: Bool
  /// Whether a set has stages before the store: somebody wants to know of it, or may refuse it.
  // Proof of unchecked: confined, with the property.
  @exclusivity(unchecked) @usableFromInline private(set) var isGuarded = false
  private var announcements: Broadcaster<Void>?
  /// What a value has to pass before it is stored. What it is for may be disposed on any thread.
  private let stages = Protected<[SetStage<Value>]>([])
  /// Whether there ever was one. For the owner of the property, whom asking the others costs a lock.
  private var hasStages = false
  /// Whether a mutation in place has passed them, and is about to be stored.
  private var isSettling = false
  /// Whether the property keeps the object alive that it refers to.
  private(set) var isStrong = true
  /// The watch over the object that a weak property refers to.
  private var referentWatch: SerialDisposable?
  /// Whether the nil being delivered is the death of that object.
  private(set) var isAnnouncingDeath = false
  /// Values that were set during a delivery, and wait.
  private let waiting = Atomic<Int>(0)
  /// Whether another value has been set since the one that is being delivered.
  var isOvertaken: Bool { waiting.load(ordering: .relaxed) > 0 }
  /// The object delivered last, while another one waits: it is not to die before that is known.
  private var overtaken: AnyObject?
  /// Re-entrant deliveries since the outermost set.
  private var rounds = 0
  private var limit = 0

  /// Kept, because looking up a generic class costs more than making one of its objects.
  private let memberType = GuessingMember<Value>.self

  init(owner: AnyObject) {
    object = owner
    holdsObject = Optionals.wrapped(in: Value.self) is AnyClass
  }

  override func isProperty(of object: AnyObject) -> Bool { self.object === object }

  /// What comes before the store of a set: the stages of the value, and the announcement.
  ///
  /// - Returns: whether `value`, as it is then, is to be stored.
  @inlinable @inline(__always)
  func willSet(_ value: inout Value) -> Bool { !isGuarded || guardedSet(&value) }

  @usableFromInline @inline(never) func guardedSet(_ value: inout Value) -> Bool {
    guard admit(&value) else { return false }
    announcements?.next(())
    return true
  }

  /// What comes before a mutation in place, whose value is not known yet.
  ///
  /// - Returns: whether the value there is will be needed afterwards.
  @inlinable @inline(__always)
  func willModify() -> Bool { isGuarded ? guardedModify() : holdsObject }

  @usableFromInline @inline(never) func guardedModify() -> Bool {
    announcements?.next(())
    return holdsObject || isStaged
  }

  /// What comes after a mutation in place: the delivery, or the stages if there are any.
  ///
  /// - Parameter former: the value before the mutation, if `willModify` has asked for it.
  /// - Returns: what is to be stored instead, and then to be told to `didSettle`.
  @usableFromInline @inline(never)
  func didModify(_ value: Value, _ former: Value?, identify: () -> AnyKeyPath) -> Value? {
    if keyPath == nil { keyPath = identify() }
    guard isStaged, let former else {
      didStore(value)
      return nil
    }
    var admitted = value
    isSettling = admit(&admitted)
    return isSettling ? admitted : former
  }

  /// Delivers what a mutation in place has come to.
  @usableFromInline func didSettle(_ value: Value) {
    guard isSettling else { return }
    isSettling = false
    didStore(value)
  }

  /// The binding that has the property to itself, if one does.
  var owner: AnyObject? { stages.withLock { $0.lazy.compactMap(\.owner).first } }

  /// Whether a value has to pass something before it is stored.
  private var isStaged: Bool { hasStages && !stages.withLock { $0.isEmpty } }

  /// Passes `value` through the stages, which may change it.
  ///
  /// - Returns: whether none of them has refused it.
  private func admit(_ value: inout Value) -> Bool {
    guard isStaged else { return true }
    let attempt = SetAttempt.take(of: self, isTelling: !serializer.isIdle)
    for stage in stages.withLock({ $0 }) {
      guard let outcome = stage.pass(&value, attempt?.writer) else { continue }
      attempt?.outcome = outcome
      if case .refused = outcome { return false }
    }
    return true
  }

  /// Has every value pass `stage`, from now on until `context` ends.
  func add(_ stage: SetStage<Value>, in context: SubscriptionContext) {
    stages.withLock { $0.append(stage) }
    (isGuarded, hasStages) = (true, true)
    context.add(
      Disposables.create { [weak self] in self?.stages.withLock { $0.removeAll { $0 === stage } } })
  }

  /// Delivers a value that has just been stored.
  ///
  /// - Parameter identify: says which property this is. A closure, because a key path that is passed
  ///   on is made anew at every access, and a closure over a literal is not.
  @usableFromInline func didSet(_ value: Value, identify: () -> AnyKeyPath) {
    if keyPath == nil { keyPath = identify() }
    didStore(value)
  }

  private func didStore(_ value: Value) {
    sets &+= 1
    // A getter may set: what observers read then is none of its dependencies.
    if isTracking() { return Tracker.untracked { deliverStored(value) } }
    deliverStored(value)
  }

  /// Leaves it to the next set to say which property this is, if only `name` has been said so far: a
  /// key path that names the property, and is not the property's own.
  func forget(_ name: AnyKeyPath) {
    if keyPath === name { keyPath = nil }
  }

  private func deliverStored(_ value: Value) {
    guard serializer.enter() else {
      waiting.wrappingAdd(1, ordering: .relaxed)
      return send { self.deliverQueued(value) }
    }
    rounds = 0
    if hasGuesses.load(ordering: .relaxed) { settleGuesses() }
    deliver(value)
    leave()
  }

  override func deliverQueued(_ value: Value) {
    waiting.wrappingSubtract(1, ordering: .relaxed)
    // Nothing that has been told has caused another set: the loop, if it was one, has ended.
    defer { if !isOvertaken { (rounds, overtaken) = (0, nil) } }
    guard isWithinFeedbackLimit() else { return }
    if hasGuesses.load(ordering: .relaxed) { settleGuesses() }
    deliver(value)
    if holdsObject, isOvertaken { overtaken = Optionals.object(in: value) }
  }

  /// Law 3: counts the sets that observers make while they are being told of one.
  private func isWithinFeedbackLimit() -> Bool {
    if rounds == 0 { limit = Diagnostics.feedbackLimit }
    rounds += 1
    if rounds == limit + 1 {
      report(
        .feedbackLoop,
        "observers set the property \(limit) times while being told of one set; "
          + "the last value stays, delivery stops")
    }
    return rounds <= limit
  }

  // MARK: Observing

  override func onEach(
    in context: SubscriptionContext, _ action: @escaping (_ during: (() -> Void) -> Void) -> Void
  ) {
    let next: (Value) -> Void = { value in action { self.run($0, during: value) } }
    subscribe(AnyObserver(next: next, terminate: { _ in }), in: context)
  }

  override func beforeEach(in context: SubscriptionContext, _ action: @escaping () -> Void) {
    isGuarded = true
    let announcements = announcements ?? Broadcaster<Void>()
    self.announcements = announcements
    announcements.subscribe(AnyObserver(next: { _ in action() }, terminate: { _ in }), in: context)
  }

  /// Runs `body` while the property has the value that is being delivered: that which is stored, or
  /// an earlier one if observers have set it meanwhile (law 3).
  func run(_ body: () -> Void, during value: Value) {
    guard isOvertaken else { return body() }
    let stored = version
    var exchanged = value
    StoredProperties.exchange(&exchanged, in: object, for: self)
    body()
    // Whoever has set the property just now keeps the last word.
    if version == stored { StoredProperties.exchange(&exchanged, in: object, for: self) }
  }

  /// Adds an observer whose path has read this property alone, and is of its type. Whether that is
  /// the property itself or something computed from it shows at the next set.
  ///
  /// - Parameter guess: gets the property's own key path then, if that is known, and returns what is
  ///   to take the observer's place, or nil if the path is the property.
  func subscribe(
    _ observer: consuming AnyObserver<Value>, in context: SubscriptionContext,
    guess: consuming @escaping GuessingMember<Value>.Guess, after first: () -> Void
  ) {
    hasGuesses.store(true, ordering: .relaxed)
    subscribe(memberType.init(observer, in: context, of: self, guess: guess), after: first)
    // The next change may be a death on another thread, where nothing else should be read.
    if !isStrong, serializer.enter() {
      settleGuesses()
      leave()
    }
  }

  private func settleGuesses() {
    hasGuesses.store(false, ordering: .relaxed)
    forEachMember { member in
      // Looked at first: what has left is no longer the owner's to touch.
      guard member.context.isActive, let member = member as? GuessingMember<Value>,
        let guess = member.guess, let observer = member.observer
      else { return }
      member.guess = nil
      member.observer = guess(self, keyPath, observer) ?? observer
    }
  }

  deinit { referentWatch?.dispose() }
}

/// A member that takes the property for what its path leads to, until the next set.
final class GuessingMember<Value>: Member<Value>, @unchecked Sendable {
  typealias Guess = (PropertyNode<Value>, AnyKeyPath?, AnyObserver<Value>) -> AnyObserver<Value>?

  // Proof of @unchecked: `guess` is touched as the closures of its superclass are.
  fileprivate var guess: Guess?

  required init(
    _ observer: AnyObserver<Value>, in context: SubscriptionContext, of node: PropertyNode<Value>,
    guess: @escaping Guess
  ) {
    self.guess = guess
    super.init(observer, in: context, of: node)
  }

  override func releaseClosures() {
    guess = nil
    super.releaseClosures()
  }
}

// MARK: Weak properties

extension PropertyNode {
  /// Delivers nil when `referent`, the object a weak property refers to from now on, dies.
  ///
  /// An object that is neither ``PropertyObservable`` nor ``LifetimeProviding`` dies unseen, which is
  /// reported once per property and class.
  @usableFromInline func watch<Object: AnyObject>(_ referent: Object?, identify: () -> AnyKeyPath)
  where Value == Object? {
    isStrong = false
    if keyPath == nil { keyPath = identify() }
    guard referent != nil || referentWatch != nil else { return }
    let slot = referentWatch ?? SerialDisposable()
    referentWatch = slot
    let watch = SubscriptionContext()
    slot.disposable = watch
    guard let referent else { return }
    guard let lifetime = Lifetime.of(referent) else { return reportUnobservableDeath(of: referent) }
    lifetime.whenEnded(in: watch) { [weak self] in self?.deliverDeath(watch) }
  }

  /// In its turn, so that it is known whether another object has replaced the dead one meanwhile:
  /// then `watch` has ended, and there is nothing to tell.
  private func deliverDeath<Object: AnyObject>(_ watch: SubscriptionContext)
  where Value == Object? {
    guard serializer.enter() else { return send { self.announceDeath(watch) } }
    rounds = 0
    announceDeath(watch)
    leave()
  }

  private func announceDeath<Object: AnyObject>(_ watch: SubscriptionContext)
  where Value == Object? {
    guard watch.end() else { return }
    deaths.wrappingAdd(1, ordering: .relaxed)
    if hasGuesses.load(ordering: .relaxed) { settleGuesses() }
    isAnnouncingDeath = true
    deliver(nil)
    isAnnouncingDeath = false
  }

  private func reportUnobservableDeath(of referent: AnyObject) {
    let message = "the death of a \(type(of: referent)) cannot be seen: it has no Lifetime"
    guard Diagnostics.isNew(.unobservableDeath, "\(type(of: object)).\(name ?? "") \(message)")
    else { return }
    report(.unobservableDeath, message)
  }

  // MARK: Reporting

  private var name: String? { StoredProperties.name(of: self, in: object) }

  private func report(_ category: Diagnostics.Category, _ message: String) {
    Diagnostics.report(category, message, type: "\(type(of: object))", property: name)
  }
}
