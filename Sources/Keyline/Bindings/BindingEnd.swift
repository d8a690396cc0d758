/// One end of a binding: the path from an object to a leaf, and how that is written.
struct BindingEnd<Value> {
  /// The object whose death ends the binding.
  let root: any PropertyObservable
  let leaf: ChainLeaf<Value>?
  /// Sets the leaf of an owner; nil for an end that is only read.
  let write: ((_ owner: AnyObject, _ value: Value) -> Void)?

  init<Object: PropertyObservable>(_ object: Object, _ keyPath: KeyPath<Object, Value>) {
    self.init(object, ChainLeaf(PropertyPath(keyPath)), nil)
  }

  init<Object: PropertyObservable>(
    _ object: Object, writing keyPath: ReferenceWritableKeyPath<Object, Value>
  ) {
    self.init(object, ChainLeaf(PropertyPath(keyPath))) {
      // Proof of unsafeDowncast: the owner of a leaf without hops is the object itself.
      unsafeDowncast($0, to: Object.self)[keyPath: keyPath] = $1
    }
  }

  init<Object: PropertyObservable>(
    _ object: Object, _ path: (KeyPathChain<Object, Object>) -> KeyPathChain<Object, Value>
  ) {
    self.init(object, path(KeyPathChain<Object, Object>.beginning).leaf, nil)
  }

  init<Object: PropertyObservable>(
    _ object: Object, _ path: (TargetChain<Object, Object>) -> TargetLeaf<Object, Value>
  ) {
    let leaf = path(TargetChain<Object, Object>.beginning)
    self.init(object, leaf.chain.leaf, leaf.write)
  }

  private init(
    _ root: any PropertyObservable, _ leaf: ChainLeaf<Value>?,
    _ write: ((AnyObject, Value) -> Void)?
  ) {
    self.root = root
    self.leaf = leaf
    self.write = write
  }

  /// Calls `next` with the property, or with nil while there is none, now and whenever it is
  /// replaced, until `context` ends.
  func follow(
    in context: SubscriptionContext, isTarget: Bool = false,
    _ next: @escaping (BoundProperty<Value>?) -> Void
  ) {
    guard let leaf else {
      Diagnostics.report(
        .misuse, "a chain without a property cannot be bound", type: "\(type(of: root))")
      return next(nil)
    }
    let write = write
    let follower = EndFollower(leaf, of: context, isTarget: isTarget) { follower, owner in
      guard let owner, let path = leaf.path(owner) else { return next(nil) }
      next(BoundProperty(owner, path, write, at: follower))
    }
    context.push(follower)
    follower.start(from: root)
  }
}

/// Follows a chain to the owner of its leaf.
private final class EndFollower: ChainFollower, @unchecked Sendable {
  // Proof of @unchecked: mutable state belongs to whoever has the turn.
  private var next: ((EndFollower, AnyObject?) -> Void)?
  /// Whether there is no owner; nil at first.
  private var isBroken: Bool?
  private let isEndTarget: Bool
  /// Proof of unowned: `next` retains it, and is released with the subscriptions to the hops.
  private unowned let ofBinding: SubscriptionContext

  init(
    _ leaf: ChainHop, of binding: SubscriptionContext, isTarget: Bool,
    _ next: @escaping (EndFollower, AnyObject?) -> Void
  ) {
    self.next = next
    isEndTarget = isTarget
    ofBinding = binding
    super.init(leaf, for: binding.number)
    // What is written behind a hop that has been replaced already would stay there (B6).
    turns.awaitHops()
  }

  override func lead(to owner: AnyObject?, _ cause: ChangeCause) {
    let wasBroken = isBroken == true
    isBroken = owner == nil
    if owner != nil || !wasBroken { next?(self, owner) }
  }

  override func release() { next = nil }

  override var isTarget: Bool { isEndTarget }

  override var binding: SubscriptionContext? { ofBinding }

  override var brokenPosition: Int? { isBroken == true ? super.brokenPosition : nil }
}

/// The property that an end of a binding currently leads to, of an object that is held weakly.
///
/// Its *news*, for a binding both ways: for a stored property every set, identified by version; for
/// anything computed, or a member of a value, a change of its own value. So neither a binding's own
/// writes nor a sibling's are news to it (B3).
final class BoundProperty<Value> {
  private let owner: WeakReference<AnyObject>
  private let path: LeafPath<Value>
  private let setter: ((AnyObject, Value) -> Void)?
  private let areEqual = Equality<Value>.of
  private let isObject = Optionals.isReference(Value.self)
  /// The stored property, if it is one: retained, because the owner may die on another thread
  /// meanwhile.
  private var property: DependencyNode?
  private var refresh: ((UnsafeMutablePointer<ThreadScope>) -> Value?)?
  /// The state of the end when both agreed: the version of a stored property, the value of any
  /// other.
  private var agreedVersion: UInt = 0
  private var agreedValue: RecordedValue<Value>?
  private let ownerType: AnyClass
  /// What has led here: a cycle, which it cuts when the binding ends.
  private let follower: ChainFollower

  init(
    _ owner: AnyObject, _ path: LeafPath<Value>, _ setter: ((AnyObject, Value) -> Void)?,
    at follower: ChainFollower
  ) {
    self.owner = WeakReference(owner)
    self.follower = follower
    self.path = path
    self.setter = setter
    ownerType = type(of: owner)
  }

  /// Whether this is a property of `other`'s owner.
  func hasOwner(of other: BoundProperty?) -> Bool {
    var result = false
    owner.withObject { owner in
      other?.owner.withObject { result = $0 === owner }
    }
    return result
  }

  // MARK: Observing

  /// Calls `next` with the current value and after every change, nil while a member is missing,
  /// until `context` ends.
  func observe(in context: SubscriptionContext, _ next: @escaping (Value?) -> Void) {
    owner.withObject { owner in
      switch path {
      case .value(let path):
        let computation = attach(path, to: owner, in: context) { next($0) }
        refresh = computation.map { computation in { computation.refresh(in: $0) } }
      case .member(let path):
        let computation = attach(path, to: owner, in: context, next)
        refresh = computation.map { computation in { computation.refresh(in: $0) ?? nil } }
      }
    }
  }

  private func attach<Element>(
    _ path: PropertyPath<Element>, to owner: AnyObject, in context: SubscriptionContext,
    _ next: @escaping (Element) -> Void
  ) -> ComputedObservation<Element>? {
    path.attach(
      AnyObserver(next: next, terminate: { _ in }), to: owner, death: nil, in: context
    ) { value, property in
      self.property = property
      next(value)
    }
  }

  // MARK: Agreement

  /// Whether the end is another property as soon as what is under way has been delivered.
  var isAboutToBeReplaced: Bool { follower.isAwaitingHop }

  /// Whether the end has been set in a batch, and that is still to be brought to this binding.
  func hasUndeliveredNews() -> Bool { property?.isPending != false && hasNews }

  /// Whether a change of it waits for the batch under way to be delivered.
  var isPending: Bool { property?.isPending == true }

  /// Whether it is not what was agreed upon.
  var hasNews: Bool {
    guard let property else { return read().map(isNews) == true }
    return isNewer(property.version)
  }

  /// Whether a set is being delivered that has not reached this binding yet.
  var isDeliveringNews: Bool {
    property.map { $0.isDelivering && isNewer($0.version) } ?? false
  }

  /// Whether `value`, which is being delivered, differs from what was agreed upon.
  func isNews(_ value: Value) -> Bool {
    if let property { return isNewer(property.deliveredVersion) }
    guard let agreedValue else { return true }
    return !agreedValue.is(value, areEqual)
  }

  private func isNewer(_ version: UInt) -> Bool { Int(bitPattern: version &- agreedVersion) > 0 }

  /// Records that both ends agree on their current values.
  func agree(on value: Value) {
    if let property {
      agreedVersion = property.version
    } else {
      agreedValue = RecordedValue(value, isObject: isObject)
    }
  }

  /// The version of the stored value; nil if it is not stored.
  var version: UInt? { property?.version }

  /// Whether it is being delivered: whatever is written to it now has been caused by that.
  var isDelivering: Bool { property?.isDelivering == true }

  /// Whether what is delivered was set during a delivery: perhaps by another binding, as its echo.
  var isRedelivering: Bool { property?.isRedelivering == true }

  /// Whether both are known to be the same.
  func areSame(_ one: Value, _ other: Value) -> Bool? { areEqual(one, other) }

  // MARK: Reading and writing

  /// The current value; nil if the owner is dead, or a member is missing.
  func read() -> Value? {
    if property == nil, let value = refresh?(ThreadScope.ofThread) { return value }
    var value: Value?
    owner.withObject { owner in
      switch path {
      case .value(let path): value = path.read(owner)
      case .member(let path): value = path.read(owner)
      }
    }
    return value
  }

  /// Sets the property, on behalf of `binding`.
  func write(_ value: Value, by binding: BindingContext) -> SetOutcome? {
    var outcome: SetOutcome?
    let entry = TraceRecorder.ofThread.flatMap { beginWriting(value, recordedBy: $0) }
    owner.withObject { owner in
      guard let setter else { return }
      var nodes: [DependencyNode]?
      outcome = binding.write(
        to: { node in
          let meant = nodes ?? self.nodes(of: owner)
          nodes = meant
          return meant.contains { $0 === node }
        }
      ) { setter(owner, value) }
    }
    entry?.end()
    return outcome
  }

  /// Sets the property without the rights of the binding.
  func reset(to value: Value) { owner.withObject { setter?($0, value) } }

  var livingOwner: AnyObject? { owner.retained()?.takeRetainedValue() }

  /// What reading it reads.
  func nodes() -> [DependencyNode] {
    var result: [DependencyNode] = []
    owner.withObject { result = nodes(of: $0) }
    return result
  }

  private func nodes(of owner: AnyObject) -> [DependencyNode] {
    switch path {
    case .value(let path): path.nodes(of: owner)
    case .member(let path): path.nodes(of: owner)
    }
  }

  /// The stored property, if it is one.
  func storedProperty() -> PropertyNode<Value>? {
    guard case .value(let path) = path else { return nil }
    var property: PropertyNode<Value>?
    owner.withObject { property = path.property(of: $0, isLenient: true) }
    return property
  }

  /// Opens the entry of a write. Out of line, because types have to be looked up.
  @inline(never) private func beginWriting(
    _ value: Value, recordedBy trace: TraceRecorder
  ) -> TraceNode? {
    var name = ""
    owner.withObject { owner in
      let property = untracked { trace.quietly { storedProperty() } }
      name = property.map(trace.name) ?? "\(trace.name(of: owner)).\(Value.self)"
    }
    return trace.begin(.write, name, "\(trace.describe(value)) to \(name)")
  }

  /// `Person.name`, for reports.
  var description: String {
    storedProperty()?.description ?? "\(ownerType).\(Value.self)"
  }
}
