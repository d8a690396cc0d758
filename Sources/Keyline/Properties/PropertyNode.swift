/// A property's observer list, made when the property is first observed.
///
/// The property's wrapper refers to it unretained; the owner's registry keeps it.
@usableFromInline
final class PropertyNode<Value>: Broadcaster<Value>, PropertyNodeType {
  /// Proof of unowned(unsafe): the owner's registry keeps the node, and the node is reached through
  /// the owner's accessors or through a dependant that the registry ends with the owner.
  unowned(unsafe) let owner: AnyObject
  /// The property's own key path, known from the first set on.
  private(set) var keyPath: AnyKeyPath?
  /// Whether the value is an object, or an optional one.
  @usableFromInline
  let holdsObject: Bool
  /// The watch over the object that a weak property refers to.
  private lazy var referentWatch = SerialDisposable()
  private var hasReferentWatch = false
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
    if serializer.enter() {
      rounds = 0
      deliver(value)
      leave()
    } else {
      send(.next(value))
    }
  }

  /// Law 3: counts the sets that observers make while they are being told of one.
  override func handleQueued(_ message: Message) {
    if case .next = message {
      if rounds == 0 { limit = Diagnostics.feedbackLimit }
      rounds += 1
      guard rounds <= limit else {
        if rounds == limit + 1 {
          Diagnostics.report(
            .feedbackLoop,
            "observers set the property \(limit) times while being told of one set; "
              + "the last value stays, delivery stops",
            type: "\(type(of: owner))", property: StoredProperties.name(of: self, in: owner))
        }
        return
      }
    }
    handle(message)
  }

  func onChange(in context: SubscriptionContext, _ action: @escaping () -> Void) {
    subscribe(AnyObserver(next: { _ in action() }, terminate: { _ in }), in: context)
  }

  func terminate() { terminate(nil) }

  deinit {
    if hasReferentWatch { referentWatch.dispose() }
  }
}

extension PropertyNode {
  /// Delivers nil when `referent`, the object a weak property refers to from now on, dies.
  ///
  /// An object that is neither ``PropertyObservable`` nor ``LifetimeProviding`` dies unseen.
  @usableFromInline
  func watch<Object: AnyObject>(_ referent: Object?) where Value == Object? {
    guard referent != nil || hasReferentWatch else { return }
    hasReferentWatch = true
    let watch = SubscriptionContext()
    referentWatch.disposable = watch
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

/// A property node whatever its value's type.
protocol PropertyNodeType: AnyObject {
  var owner: AnyObject { get }

  /// Calls `action` after every set, until `context` ends.
  func onChange(in context: SubscriptionContext, _ action: @escaping () -> Void)

  /// Completes everyone who observes the property.
  func terminate()
}
