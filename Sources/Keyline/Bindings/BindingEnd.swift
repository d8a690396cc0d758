import KeylineCore

/// One end of a binding: the path from an object to a leaf, and how that is written.
@usableFromInline struct BindingEnd<Value> {
  /// The object whose death ends the binding.
  @usableFromInline let root: any PropertyObservable
  @usableFromInline let leaf: ChainLeaf<Value>?
  /// How the leaf of an owner is set; nil for an end that is only read.
  @usableFromInline let access: LeafAccess<Value>?

  @inlinable @inline(__always)
  init<Object: PropertyObservable>(
    _ object: Object, @_eagerMove _ keyPath: __owned KeyPath<Object, Value>
  ) {
    self.init(object, ChainLeaf(PropertyPath(keyPath)), nil)
  }

  @inlinable @inline(__always) init<Object: PropertyObservable>(
    _ object: Object, @_eagerMove writing keyPath: __owned ReferenceWritableKeyPath<Object, Value>
  ) {
    self.init(object) { owner, identity, value in
      // Proof of unsafeDowncast: the owner of a leaf without hops is the object itself.
      let owner = unsafeDowncast(owner, to: Object.self)
      if let identity { leave({ keyPath }, at: identity) }
      guard let value else { return owner[keyPath: keyPath] }
      owner[keyPath: keyPath] = value
      return nil
    }
  }

  @usableFromInline init(
    _ root: any PropertyObservable, _ access: @escaping LeafAccess<Value>.Property
  ) {
    self.init(root, ChainLeaf(PropertyPath(LeafAccess.read(by: access))), .property(access))
  }

  @inlinable @inline(__always) init<Object: PropertyObservable>(
    _ object: Object, _ path: (KeyPathChain<Object, Object>) -> KeyPathChain<Object, Value>
  ) {
    self.init(object, path(KeyPathChain<Object, Object>.beginning).leaf, nil)
  }

  @inlinable @inline(__always) init<Object: PropertyObservable>(
    _ object: Object, _ path: (TargetChain<Object, Object>) -> TargetLeaf<Object, Value>
  ) {
    let leaf = path(TargetChain<Object, Object>.beginning)
    self.init(object, leaf.chain.leaf, leaf.access)
  }

  @usableFromInline init(
    _ root: any PropertyObservable, _ leaf: ChainLeaf<Value>?, _ access: LeafAccess<Value>?
  ) {
    self.root = root
    self.leaf = leaf
    self.access = access
  }

  /// Calls `next` with the property, or with nil while there is none, now and whenever it is
  /// replaced, until `context` ends.
  @inlinable func follow(
    in context: EngineContext, isTarget: Bool = false,
    _ next: @escaping (BoundProperty<Value>?) -> Void
  ) {
    guard let leaf else {
      reportNoProperty()
      return next(nil)
    }
    let access = access
    let follower = EndFollower(leaf, of: context, isTarget: isTarget) { follower, owner in
      guard let owner, let path = leaf.path(owner) else { return next(nil) }
      next(BoundProperty(owner, path, access, at: follower))
    }
    context.push(follower)
    follower.start(from: root)
  }

  @usableFromInline func reportNoProperty() {
    Diagnostics.report(
      .misuse, "a chain without a property cannot be bound", type: "\(type(of: root))")
  }
}

/// Follows a chain to the owner of its leaf.
@usableFromInline final class EndFollower: ChainFollower, @unchecked Sendable {
  // Proof of @unchecked: mutable state belongs to whoever has the turn.
  private var next: ((EndFollower, AnyObject?) -> Void)?
  /// Whether there is no owner; nil at first.
  private var isBroken: Bool?
  private let isEndTarget: Bool
  /// Proof of unowned: `next` retains it, and is released with the subscriptions to the hops.
  private unowned let ofBinding: EngineContext

  @usableFromInline init(
    _ leaf: ChainHop, of binding: EngineContext, isTarget: Bool,
    _ next: @escaping (EndFollower, AnyObject?) -> Void
  ) {
    self.next = next
    isEndTarget = isTarget
    ofBinding = binding
    super.init(leaf, for: binding.record)
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

  override var binding: EngineContext? { ofBinding }

  override var brokenPosition: Int? { isBroken == true ? super.brokenPosition : nil }
}

/// The property that an end of a binding currently leads to, of an object that is held weakly.
///
/// Its *news*, for a binding both ways: for a stored property every set, identified by version; for
/// anything computed, or a member of a value, a change of its own value. So neither a binding's own
/// writes nor a sibling's are news to it (B3).
@usableFromInline final class BoundProperty<Value> {
  private let owner: WeakReference<AnyObject>
  @usableFromInline let path: LeafPath<Value>
  @usableFromInline let access: LeafAccess<Value>?
  @usableFromInline let areEqual = Equality<Value>.of
  private let isObject = Optionals.isReference(Value.self)
  /// The stored property, if it is one: retained, because the owner may die on another thread
  /// meanwhile.
  // Proof of unchecked: confined, with the end; no foreign code runs during an access.
  @exclusivity(unchecked) @usableFromInline var property: DependencyNode?
  @exclusivity(unchecked) @usableFromInline var refresh: (() -> Value?)?
  /// The state of the end when both agreed: the version of a stored property, the value of any
  /// other.
  private var agreedVersion: UInt = 0
  private var agreedValue: RecordedValue<Value>?
  private let ownerType: AnyClass
  /// What has led here: a cycle, which it cuts when the binding ends.
  private let follower: ChainFollower

  @usableFromInline init(
    _ owner: AnyObject, _ path: LeafPath<Value>, _ access: LeafAccess<Value>?,
    at follower: ChainFollower
  ) {
    self.owner = WeakReference(owner)
    self.follower = follower
    self.path = path
    self.access = access
    ownerType = type(of: owner)
  }

  /// Whether this is a property of `other`'s owner.
  @usableFromInline func hasOwner(of other: BoundProperty?) -> Bool {
    var result = false
    owner.withObject { owner in
      other?.owner.withObject { result = $0 === owner }
    }
    return result
  }

  // MARK: Observing

  /// Calls `next` with the current value and after every change, nil while a member is missing,
  /// until `context` ends.
  @inlinable func observe(in context: EngineContext, _ next: @escaping (Value?) -> Void) {
    withOwner { owner in
      switch path {
      case .value(let path):
        let computation = attach(path, to: owner, in: context) { next($0) }
        refresh = computation.map { computation in { computation.refresh() } }
      case .member(let path):
        let computation = attach(path, to: owner, in: context, next)
        refresh = computation.map { computation in { computation.refresh() ?? nil } }
      }
    }
  }

  @usableFromInline func attach<Element>(
    _ path: PropertyPath<Element>, to owner: AnyObject, in context: EngineContext,
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
  @usableFromInline var isAboutToBeReplaced: Bool { follower.isAwaitingHop }

  /// What `question` answers for the stored property; nil if it is none.
  // Proof: it is set when the end is observed, for good.
  @inline(__always)
  private func withProperty<Answer>(_ question: (DependencyNode) -> Answer) -> Answer? {
    property.map(Unmanaged.passUnretained)?._withUnsafeGuaranteedRef(question)
  }

  /// Whether the end has been set in a batch, and that is still to be brought to this binding.
  @usableFromInline func hasUndeliveredNews() -> Bool {
    Batch.isActiveOnThread && withProperty { $0.isPending } != false && hasNews
  }

  /// Whether a change of it waits for the batch under way to be delivered.
  @usableFromInline var isPending: Bool {
    withProperty { $0.isPending } == true && Batch.isActiveOnThread
  }

  /// Whether it is not what was agreed upon.
  var hasNews: Bool {
    guard let property else { return read().map(isNews) == true }
    return isNewer(property.version)
  }

  /// Whether a set is being delivered that has not reached this binding yet.
  @usableFromInline var isDeliveringNews: Bool {
    withProperty { $0.isDelivering && isNewer($0.version) } ?? false
  }

  /// Whether `value`, which is being delivered, differs from what was agreed upon.
  @inlinable func isNews(_ value: Value) -> Bool {
    if let isDeliveredNewer { return isDeliveredNewer }
    return !isAgreed(value)
  }

  /// Whether the version being delivered is newer than the agreed one; nil if it has none.
  @usableFromInline var isDeliveredNewer: Bool? {
    withProperty { isNewer($0.deliveredVersion) }
  }

  @usableFromInline func isAgreed(_ value: Value) -> Bool {
    agreedValue.map { $0.is(value, areEqual) } == true
  }

  private func isNewer(_ version: UInt) -> Bool { Int(bitPattern: version &- agreedVersion) > 0 }

  /// Records that both ends agree on their current values.
  @inlinable func agree(on value: Value) {
    if !agreeOnVersion() { record(value) }
  }

  /// - Returns: whether it has one.
  @usableFromInline func agreeOnVersion() -> Bool {
    guard let version else { return false }
    agreedVersion = version
    return true
  }

  @usableFromInline func record(_ value: Value) {
    agreedValue = RecordedValue(value, isObject: isObject)
  }

  /// The version of the stored value; nil if it is not stored.
  @usableFromInline var version: UInt? { withProperty { $0.version } }

  /// Whether it is being delivered: whatever is written to it now has been caused by that.
  @usableFromInline var isDelivering: Bool { withProperty { $0.isDelivering } == true }

  /// Whether what is delivered was set during a delivery: perhaps by another binding, as its echo.
  @usableFromInline var isRedelivering: Bool { withProperty { $0.isRedelivering } == true }

  /// Whether both are known to be the same.
  @inlinable func areSame(_ one: Value, _ other: Value) -> Bool? { areEqual(one, other) }

  // MARK: Reading and writing

  /// The current value; nil if the owner is dead, or a member is missing.
  @inlinable func read() -> Value? {
    if property == nil, let value = refresh?() { return value }
    var value: Value?
    withOwner { owner in
      switch (access, path) {
      case (.property(let access), _): value = access(owner, nil, nil)
      case (_, .value(let path)): value = path.read(owner)
      case (_, .member(let path)): value = path.read(owner)
      }
    }
    return value
  }

  /// Sets the property, on behalf of `binding`.
  @inlinable func write(_ value: Value, by binding: BindingContext) -> SetOutcome? {
    guard let access else { return nil }
    return write(by: binding, { self.describe(value) }) { access.set($0, value) }
  }

  /// - Parameter description: of the value, for a trace.
  @usableFromInline func write(
    by binding: BindingContext, _ description: () -> String, _ set: (AnyObject) -> Void
  ) -> SetOutcome? {
    var outcome: SetOutcome?
    let entry = TraceRecorder.ofThread.flatMap { beginWriting(description(), recordedBy: $0) }
    owner.withObject { owner in
      guard withProperty({ $0.isGuarded }) != false else {
        return PropertyWrite.makeUnguarded { set(owner) }
      }
      outcome = writeGuarded(owner, by: binding, set)
    }
    entry?.end()
    return outcome
  }

  @inline(never) private func writeGuarded(
    _ owner: AnyObject, by binding: BindingContext, _ set: (AnyObject) -> Void
  ) -> SetOutcome? {
    var nodes: [DependencyNode]?
    return binding.write(
      to: { node in
        if let property = self.property { return node === property }
        let meant = nodes ?? self.nodes(of: owner)
        nodes = meant
        return meant.contains { $0 === node }
      }
    ) { set(owner) }
  }

  @usableFromInline @inline(never) func describe(_ value: Value) -> String {
    TraceRecorder.ofThread?.describe(value) ?? ""
  }

  /// Sets the property without the rights of the binding.
  func reset(to value: Value) { owner.withObject { access?.set($0, value) } }

  /// Calls `body` with the owner, unless that is dead.
  @usableFromInline func withOwner(_ body: (AnyObject) -> Void) { owner.withObject(body) }

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
    _ value: String, recordedBy trace: TraceRecorder
  ) -> TraceNode? {
    var name = ""
    owner.withObject { owner in
      let property = untracked { trace.quietly { storedProperty() } }
      name = property.map(trace.name) ?? "\(trace.name(of: owner)).\(Value.self)"
    }
    return trace.begin(.write, name, "\(value) to \(name)")
  }

  /// `Person.name`, for reports.
  @usableFromInline var description: String {
    storedProperty()?.description ?? "\(ownerType).\(Value.self)"
  }
}
