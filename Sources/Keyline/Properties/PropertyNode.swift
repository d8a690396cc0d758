/// A property's observer list, made when the property is first observed.
///
/// The property's wrapper refers to it unretained; the owner's registry keeps it.
@usableFromInline
final class PropertyNode<Value>: Broadcaster<Value> {
  /// Proof of unowned(unsafe): the owner's registry keeps the node, and the node is reached through
  /// the owner's accessors or through a dependant that the registry ends with the owner.
  private unowned(unsafe) let object: AnyObject
  /// The property's own key path, known from the first set on.
  private var keyPath: AnyKeyPath?
  /// Whether a member has joined that waits for the key path to be known.
  private var hasGuesses = false
  /// Whether the value is an object, or an optional one.
  @usableFromInline
  let holdsObject: Bool
  /// The watch over the object that a weak property refers to.
  private var referentWatch: SerialDisposable?
  /// Re-entrant deliveries since the outermost set.
  private var rounds = 0
  private var limit = 0

  /// Kept, because looking up a generic class costs more than making one of its objects.
  private let memberType = GuessingMember<Value>.self

  init(owner: AnyObject) {
    object = owner
    let wrapped = (Value.self as? any OptionalType.Type)?.wrappedType ?? Value.self
    holdsObject = wrapped is AnyClass
  }

  override func isProperty(of object: AnyObject) -> Bool { self.object === object }

  /// Delivers a value that has just been stored.
  ///
  /// - Parameter identify: says which property this is. A closure, because a key path that is passed
  ///   on is made anew at every access, and a closure over a literal is not.
  @usableFromInline
  func didSet(_ value: Value, identify: () -> AnyKeyPath) {
    if keyPath == nil { keyPath = identify() }
    deliverStored(value)
  }

  func deliverStored(_ value: Value) {
    guard serializer.enter() else { return send { self.deliverQueued(value) } }
    rounds = 0
    if hasGuesses { settleGuesses() }
    deliver(value)
    leave()
  }

  override func deliverQueued(_ value: Value) {
    guard isWithinFeedbackLimit() else { return }
    if hasGuesses { settleGuesses() }
    deliver(value)
  }

  /// Law 3: counts the sets that observers make while they are being told of one.
  private func isWithinFeedbackLimit() -> Bool {
    if rounds == 0 { limit = Diagnostics.feedbackLimit }
    rounds += 1
    if rounds == limit + 1 {
      Diagnostics.report(
        .feedbackLoop,
        "observers set the property \(limit) times while being told of one set; "
          + "the last value stays, delivery stops",
        type: "\(type(of: object))", property: StoredProperties.name(of: self, in: object))
    }
    return rounds <= limit
  }

  // MARK: Observing

  /// Adds an observer whose path has read this property alone, and is of its type. Whether that is
  /// the property itself or something computed from it shows at the next set.
  ///
  /// - Parameter guess: gets the property's own key path then, if that is known, and returns what is
  ///   to take the observer's place, or nil if the path is the property.
  func subscribe(
    _ observer: AnyObserver<Value>, in context: SubscriptionContext,
    guess: @escaping GuessingMember<Value>.Guess, after first: () -> Void
  ) {
    hasGuesses = true
    if serializer.isIdle { rounds = 0 }
    subscribe(memberType.init(observer, in: context, of: self, guess: guess), after: first)
  }

  private func settleGuesses() {
    hasGuesses = false
    forEachMember { member in
      guard let member = member as? GuessingMember<Value>, let guess = member.guess else { return }
      member.guess = nil
      guard member.context.isActive, let observer = member.observer else { return }
      if let replacement = guess(self, keyPath, observer) { member.observer = replacement }
    }
  }

  deinit { referentWatch?.dispose() }
}

/// A member that takes the property for what its path leads to, until the next set.
final class GuessingMember<Value>: Member<Value>, @unchecked Sendable {
  typealias Guess = (PropertyNode<Value>, AnyKeyPath?, AnyObserver<Value>) -> AnyObserver<Value>?

  // Proof of @unchecked: `guess` is touched by the owner of the serializer only.
  fileprivate var guess: Guess?

  required init(
    _ observer: AnyObserver<Value>, in context: SubscriptionContext, of node: PropertyNode<Value>,
    guess: @escaping Guess
  ) {
    self.guess = guess
    super.init(observer, in: context, of: node)
  }
}

extension PropertyNode {
  /// Delivers nil when `referent`, the object a weak property refers to from now on, dies.
  ///
  /// An object that is neither ``PropertyObservable`` nor ``LifetimeProviding`` dies unseen, which is
  /// reported once per property and class.
  @usableFromInline
  func watch<Object: AnyObject>(_ referent: Object?) where Value == Object? {
    guard referent != nil || referentWatch != nil else { return }
    let slot = referentWatch ?? SerialDisposable()
    referentWatch = slot
    let watch = SubscriptionContext()
    slot.disposable = watch
    guard let referent else { return }
    guard let lifetime = Lifetime.of(referent) else { return reportUnobservableDeath(of: referent) }
    lifetime.whenEnded(in: watch) { [weak self] in
      if watch.end() { self?.deliverStored(nil) }
    }
  }
}

extension PropertyNode {
  private func reportUnobservableDeath(of referent: AnyObject) {
    let (type, name) = ("\(type(of: object))", StoredProperties.name(of: self, in: object))
    let referentType = "\(Swift.type(of: referent))"
    guard Diagnostics.isNew(.unobservableDeath, "\(type).\(name ?? "") \(referentType)") else {
      return
    }
    Diagnostics.report(
      .unobservableDeath,
      "the death of a \(referentType) cannot be seen: it has no Lifetime",
      type: type, property: name)
  }
}

/// Tells what an optional type wraps.
private protocol OptionalType {
  static var wrappedType: Any.Type { get }
}

extension Optional: OptionalType {
  static var wrappedType: Any.Type { Wrapped.self }
}
