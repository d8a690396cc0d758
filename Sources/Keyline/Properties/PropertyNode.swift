/// A property's observer list, made when the property is first observed.
///
/// The property's wrapper refers to it unretained; the owner's registry keeps it.
@usableFromInline
final class PropertyNode<Value>: Broadcaster<Value>, PropertyNodeType {
  /// Proof of unowned(unsafe): the owner's registry keeps the node, and the node is reached through
  /// the owner's accessors or through a dependant that the registry ends with the owner.
  unowned(unsafe) let owner: AnyObject
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

  init(owner: AnyObject) {
    self.owner = owner
    let wrapped = (Value.self as? any OptionalType.Type)?.wrappedType ?? Value.self
    holdsObject = wrapped is AnyClass
  }

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
    guard serializer.enter() else { return send(.next(value)) }
    rounds = 0
    if hasGuesses { settleGuesses() }
    deliver(value)
    leave()
  }

  override func handleQueued(_ message: Message) {
    if case .next = message {
      guard isWithinFeedbackLimit() else { return }
      if hasGuesses { settleGuesses() }
    }
    handle(message)
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
        type: "\(type(of: owner))", property: StoredProperties.name(of: self, in: owner))
    }
    return rounds <= limit
  }

  // MARK: Observing

  /// Adds an observer whose path has read this property alone, and is of its type. Whether that is
  /// the property itself or something computed from it shows at the next set.
  func subscribe(
    _ observer: AnyObserver<Value>, in context: SubscriptionContext, guess: any PathGuess<Value>,
    after first: () -> Void
  ) {
    let member = GuessingMember(observer, in: context, of: self, guess: guess)
    hasGuesses = true
    subscribe(member, after: first)
  }

  private func settleGuesses() {
    hasGuesses = false
    forEachMember { member in
      guard let member = member as? GuessingMember<Value>, let guess = member.guess else { return }
      member.guess = nil
      guard member.context.isActive, let observer = member.observer,
        keyPath == nil || !guess.isRight(about: keyPath!)
      else { return }
      member.observer = guess.observer(insteadOf: observer, of: self, in: member.context)
    }
  }

  func onChange(in context: SubscriptionContext, _ action: @escaping () -> Void) {
    subscribe(AnyObserver(next: { _ in action() }, terminate: { _ in }), in: context)
  }

  func terminate() { terminate(nil) }

  deinit { referentWatch?.dispose() }
}

/// A property node whatever its value's type.
protocol PropertyNodeType: AnyObject {
  var owner: AnyObject { get }

  /// Calls `action` after every set, until `context` ends.
  func onChange(in context: SubscriptionContext, _ action: @escaping () -> Void)

  /// Completes everyone who observes the property.
  func terminate()
}

/// The assumption that a path leads to just the property it was seen to read.
protocol PathGuess<Value>: AnyObject {
  associatedtype Value

  /// Whether `keyPath`, the property's own, is the path.
  func isRight(about keyPath: AnyKeyPath) -> Bool

  /// What to put in the place of `observer` if it was wrong: something that evaluates the path anew.
  func observer(
    insteadOf observer: AnyObserver<Value>, of node: PropertyNode<Value>,
    in context: SubscriptionContext
  ) -> AnyObserver<Value>
}

private final class GuessingMember<Value>: Member<Value>, @unchecked Sendable {
  // Proof of @unchecked: `guess` is touched by the owner of the serializer only.
  var guess: (any PathGuess<Value>)?

  init(
    _ observer: AnyObserver<Value>, in context: SubscriptionContext, of node: PropertyNode<Value>,
    guess: any PathGuess<Value>
  ) {
    self.guess = guess
    super.init(observer, in: context, of: node)
  }
}

extension PropertyNode {
  /// Delivers nil when `referent`, the object a weak property refers to from now on, dies.
  ///
  /// An object that is neither ``PropertyObservable`` nor ``LifetimeProviding`` dies unseen.
  @usableFromInline
  func watch<Object: AnyObject>(_ referent: Object?) where Value == Object? {
    guard referent != nil || referentWatch != nil else { return }
    let slot = referentWatch ?? SerialDisposable()
    referentWatch = slot
    let watch = SubscriptionContext()
    slot.disposable = watch
    guard let referent, let death = Lifetime.end(of: referent) else { return }
    death.run(
      AnyObserver(
        next: { _ in },
        terminate: { [weak self] _ in if watch.end() { self?.deliverStored(nil) } }
      ),
      in: watch)
  }
}

/// Tells what an optional type wraps.
private protocol OptionalType {
  static var wrappedType: Any.Type { get }
}

extension Optional: OptionalType {
  static var wrappedType: Any.Type { Wrapped.self }
}
