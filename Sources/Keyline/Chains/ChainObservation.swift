import KeylineCore

extension PropertyObservable {
  /// Follows a chain of properties without retaining any object on it.
  ///
  /// | event | what is emitted |
  /// | --- | --- |
  /// | subscribe, `.initial` | one: the leaf's value, or nil if the chain is broken |
  /// | subscribe, `.new` only | nothing |
  /// | leaf set | one, also when equal |
  /// | hop replaced | one: the new leaf's value; the detached branch emits nothing from then on |
  /// | hop becomes nil, or its object dies | one nil; while broken, nothing |
  /// | nil hop gets an object | one: its leaf's value, also when equal to the one before the gap |
  /// | root dies | nil unless the last emission was nil, then completion |
  ///
  /// - Timing: synchronous, on the mutating thread.
  /// - Lifetime: retains neither the object nor any hop nor the leaf.
  /// - Complexity: a leaf set is O(1), whatever the length of the chain; replacing a hop costs the
  ///   hops after it.
  /// - Parameters:
  ///   - options: whether to emit the current value (`.initial`) and the changes (`.new`).
  ///   - path: the chain: `{ $0.manager.address.city }`.
  @inlinable public func observeWeakly<Leaf>(
    options: KeyValueObservingOptions = [.initial, .new],
    _ path: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Leaf>
  ) -> PropertySequence<Leaf?> {
    PropertySequence(
      chainObservation(
        path(KeyPathChain<Self, Self>.beginning), options, ChainObservation<Leaf, Leaf>.self
      ) { $1($0) })
  }

  /// Follows a chain whose leaf is optional: nil stands for a nil leaf and for a broken chain.
  @inlinable public func observeWeakly<Leaf>(
    options: KeyValueObservingOptions = [.initial, .new],
    _ path: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Leaf?>
  ) -> PropertySequence<Leaf?> {
    PropertySequence(
      chainObservation(
        path(KeyPathChain<Self, Self>.beginning), options, ChainObservation<Leaf?, Leaf>.self
      ) { $1($0) })
  }

  /// Emits every change of what a chain of properties leads to, and why, without retaining any
  /// object on it.
  ///
  /// ```swift
  /// _ = person.observeChanges { $0.manager.address.city }.subscribe(onNext: { print($0.cause) })
  /// person.manager = nil
  /// person.manager = chief
  /// chief.address?.city = "Rome"
  /// ```
  /// ```text
  /// hopBecameNil(0)
  /// hopReplaced(0)
  /// set
  /// ```
  ///
  /// The events are those of `observeWeakly(options:_:)`, one change for each value emitted there;
  /// on a broken chain `new` is nil.
  ///
  /// - Lifetime: retains neither the object nor any hop nor the leaf. With `.old` the last value is
  ///   retained until the next change, objects weakly.
  /// - Parameters:
  ///   - options: what changes hold (`.old`, `.new`), and whether there is one at first
  ///     (`.initial`) and before each store (`.prior`), also before one that leaves a broken chain
  ///     broken.
  ///   - path: the chain.
  @inlinable public func observeChanges<Leaf>(
    options: KeyValueObservingOptions = [.old, .new],
    _ path: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Leaf>
  ) -> PropertySequence<PropertyChange<Leaf>> {
    PropertySequence(chainChanges(path(KeyPathChain<Self, Self>.beginning), options) { $1($0) })
  }

  /// Emits every change at the end of a chain whose leaf is optional: `new` is nil for a nil leaf
  /// and for a broken chain.
  @inlinable public func observeChanges<Leaf>(
    options: KeyValueObservingOptions = [.old, .new],
    _ path: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Leaf?>
  ) -> PropertySequence<PropertyChange<Leaf>> {
    PropertySequence(chainChanges(path(KeyPathChain<Self, Self>.beginning), options) { $1($0) })
  }

  /// What starts an observation: the client makes it an observable, whose type it need not look up.
  ///
  /// - Parameters:
  ///   - type: what follows the chain.
  ///   - convert: passes a value on as the leaf, in an optional: generic code would have to look up
  ///     the type of what a closure returns.
  @usableFromInline func chainObservation<Value, Leaf>(
    _ chain: KeyPathChain<Self, Value>, _ options: KeyValueObservingOptions,
    _ type: ChainObservation<Value, Leaf>.Type,
    _ convert: @escaping (Value, (Leaf?) -> Void) -> Void
  ) -> (__owned AnyObserver<Leaf?>, EngineContext) -> Void {
    // Not generic, so that there is no metadata to look up.
    let root = WeakReference<AnyObject>(self)
    return {
      Self.follow(
        chain, from: root, type, convert, .values($0.next, options), $0.terminate, in: $1)
    }
  }

  @usableFromInline func chainChanges<Value, Leaf>(
    _ chain: KeyPathChain<Self, Value>, _ options: KeyValueObservingOptions,
    _ convert: @escaping (Value, (Leaf?) -> Void) -> Void
  ) -> (__owned AnyObserver<PropertyChange<Leaf>>, EngineContext) -> Void {
    let root = WeakReference<AnyObject>(self)
    return {
      let observer = $0
      let recorder = ChangeRecorder(options, observer.next)
      Self.follow(
        chain, from: root, ChainObservation.self, convert, .changes(recorder), observer.terminate,
        in: $1)
    }
  }

  /// - Parameter output: receives the leaf of a chain, nil for none, on behalf of an observer.
  private static func follow<Value, Leaf>(
    _ chain: KeyPathChain<Self, Value>, from root: WeakReference<AnyObject>,
    _ type: ChainObservation<Value, Leaf>.Type,
    _ convert: @escaping (Value, (Leaf?) -> Void) -> Void, _ output: ChainOutput<Leaf>,
    _ terminate: @escaping ((any Error)?) -> Void, in context: EngineContext
  ) {
    let isAlive = root.withObject { root in
      // Proof of unsafeDowncast: the two callers pass themselves.
      let root = unsafeDowncast(root, to: Self.self)
      guard let leaf = chain.leaf else {
        return Diagnostics.report(
          .misuse, "a chain without a property leads nowhere", type: "\(Self.self)")
      }
      let scope = ThreadScope.ofThread
      scope.open()
      let observation = type.init(leaf, in: context, convert, output, terminate)
      context.push(observation)
      // Else the first property says so.
      if !observation.start(from: root) {
        root.properties.death.whenEnded(in: context, observation.rootDied)
      }
      scope.close()
    }
    if !isAlive { terminate(nil) }
  }
}

/// What receives the leaf of a chain.
enum ChainOutput<Leaf> {
  case values((Leaf?) -> Void, KeyValueObservingOptions)
  case changes(ChangeRecorder<Leaf>)

  /// Called before each set on the chain, with the option `.prior`.
  var prior: (() -> Void)? {
    if case .changes(let recorder) = self { recorder.prior } else { nil }
  }
}

/// The follower of a chain, and of the leaf at its end.
@usableFromInline class LeafFollower<Value>: ChainFollower, @unchecked Sendable {
  // Proof of @unchecked: immutable.
  private final let index: Int
  /// Why the leaf has changed when what is observed of it is set.
  private final let changeCause: ChangeCause

  init(_ leaf: __shared ChainLeaf<Value>, for record: ObjectIdentifier, prior: (() -> Void)?) {
    index = leaf.length - 1
    changeCause = leaf.index == index ? .set : .hopReplaced(leaf.index)
    super.init(leaf, for: record, prior: prior)
  }

  /// Proof of unsafeDowncast: the initialiser above has been given it.
  @inline(__always) final var typedLeaf: Unmanaged<ChainLeaf<Value>> {
    .passUnretained(unsafeDowncast(leaf, to: ChainLeaf<Value>.self))
  }

  /// Receives the leaf. In a turn.
  func emit(_ value: Value, _ cause: ChangeCause) {}

  /// The leaf has been set.
  @inline(never) final func receive(_ value: Value, by attachment: HopAttachment) {
    changed(attachment, { emit(value, $0) }, orWait: { wait(attachment, $0, with: value) })
  }

  // Not inlined: a copy of the value would be reserved for each time.
  @inline(never)
  private func wait(_ attachment: HopAttachment, _ cause: ChangeCause, with value: Value) {
    wait(attachment, cause) { self.emit(value, $0) }
  }

  /// What is observed of the leaf has been set: calls `emit` in a turn, or `wait`, which leaves that to
  /// the turn under way, or until no hop is awaited any more.
  @inline(__always) final func changed(
    _ attachment: HopAttachment, _ emit: (ChangeCause) -> Void, orWait wait: (ChangeCause) -> Void
  ) {
    let cause = attachment.isDeliveringDeath ? .hopDied(index) : changeCause
    let scope = ThreadScope.ofThread
    guard turns.enter(scope) else { return wait(cause) }
    if turns.mayAwait(in: scope), isHopAwaited {
      turns.leave()
      return wait(cause)
    }
    if isCurrent(attachment) {
      dropPostponed(from: attachment.position)
      emit(cause)
    }
    turns.leave()
  }

  /// Calls `emit` when it is its turn, or when no hop awaits a change any more.
  final func wait(
    _ attachment: HopAttachment, _ cause: ChangeCause, _ emit: @escaping (ChangeCause) -> Void
  ) {
    if isAwaitingHop { return postpone(attachment) { emit(cause) } }
    let moves = attachment.moves
    wait(attachment) {
      guard self.isCurrent(attachment), attachment.moves == moves else { return }
      self.dropPostponed(from: attachment.position)
      if self.isDelivering { emit(cause) }
    }
  }
}

/// The observation of a chain, where the emission table of `observeWeakly` is kept.
@usableFromInline
final class ChainObservation<Value, Leaf>: LeafFollower<Value>, @unchecked Sendable {
  // Proof of @unchecked: mutable state belongs to whoever has the turn.
  private let convert: (Value, (Leaf?) -> Void) -> Void
  /// One of the two receives the leaf. Nil once disposed, as is `terminate`: hops that have ended may
  /// outlive the subscription for a while.
  // Proof of unchecked: used in a turn only.
  @exclusivity(unchecked) private var next: ((Leaf?) -> Void)?
  private var recorder: ChangeRecorder<Leaf>?
  private let options: KeyValueObservingOptions
  private var terminate: (((any Error)?) -> Void)?
  /// The subscription, until the disposal.
  // Proof of Unmanaged: retained until the disposal, which waits for deliveries.
  @exclusivity(unchecked) private var subscription: Unmanaged<EngineContext>?
  /// Whether the observer is the subscriber's own: kept to C1 and C2 here.
  private var isStarting = true
  private var isBroken = false
  private var isNil = false

  required init(
    _ leaf: __shared ChainLeaf<Value>, in context: __shared EngineContext,
    _ convert: __shared @escaping (Value, (Leaf?) -> Void) -> Void,
    _ output: __shared ChainOutput<Leaf>, _ terminate: __shared @escaping ((any Error)?) -> Void
  ) {
    self.convert = convert
    switch output {
    case .values(let next, let options):
      self.next = next
      self.options = options
    case .changes(let recorder):
      self.recorder = recorder
      options = []
    }
    self.terminate = terminate
    subscription = .passRetained(context)
    super.init(leaf, for: context.record, prior: output.prior)
  }

  override func lead(to owner: AnyObject?, _ cause: ChangeCause) {
    guard let owner else { return emitNil(cause) }
    typedLeaf._withUnsafeGuaranteedRef { leaf in
      if let access = leaf.access { return attach(PropertyPath(access), to: owner, cause) }
      switch leaf.path(owner) {
      case .value(let path): attach(path, to: owner, cause)
      case .member(let path): attach(path, to: owner, cause)
      case nil: emitNil(cause)
      }
    }
  }

  @inline(__always)
  private func attach(_ path: PropertyPath<Value>, to owner: AnyObject, _ cause: ChangeCause) {
    makeAttachment(cause)._withUnsafeGuaranteedRef {
      // Proof of unsafeDowncast: it is made of the leaf's type.
      unsafeDowncast($0, to: ChainAttachment<Value>.self).attach(path, to: owner)
    }
  }

  /// A member of a value that may be missing.
  private func attach(_ path: PropertyPath<Value?>, to owner: AnyObject, _ cause: ChangeCause) {
    let attachment = makeAttachment(cause).takeUnretainedValue()
    let observer = AnyObserver<Value?>(
      next: { value in
        self.changed(
          attachment, { self.emit(member: value, $0) },
          orWait: { self.wait(attachment, $0) { self.emit(member: value, $0) } })
      }, terminate: attachment.terminate)
    path.attach(observer, to: owner, death: Lifetime.of(owner), in: attachment, prior: prior) {
      value, property in
      attachment.join(property)
      if isDelivering { emit(member: value, cause) }
    }
  }

  private func emit(member value: Value?, _ cause: ChangeCause) {
    guard let value else { return emitNil(cause.leadingNowhere) }
    emit(value, cause)
  }

  func rootDied(_: (any Error)?) { perform { self.rootDied() } }

  override func release() {
    next = nil
    recorder = nil
    terminate = nil
    subscription?.release()
    subscription = nil
  }

  override func rootDied() {
    emitNil(.rootDied)
    guard let terminate, let subscription = subscription?.takeUnretainedValue() else { return }
    TraceRecorder.ofThread?.noteCompletion(of: description)
    withExtendedLifetime(subscription) { terminate(nil) }
    // Operators that give it a context of its own may not tear that down.
    close()
  }

  override func emit(_ value: Value, _ cause: ChangeCause) {
    isBroken = false
    convert(value) { deliver($0, cause) }
  }

  private func emitNil(_ cause: ChangeCause) {
    guard !isBroken else { return }
    isBroken = true
    // Its death ends the chain, and is no change of a leaf that is nil.
    if isNil, cause == .rootDied { return }
    guard let trace = TraceRecorder.ofThread else { return deliver(nil, cause) }
    let observer = Records.path(from: record)?.description ?? "the observer of a chain"
    trace.deliver("nil", of: "", to: observer) { deliver(nil, cause) }
  }

  /// The first delivery is the initial value; all others are changes, also those that it causes.
  private func deliver(_ leaf: Leaf?, _ cause: ChangeCause) {
    let isFirst = isStarting
    isStarting = false
    isNil = leaf == nil
    if subscription?._withUnsafeGuaranteedRef({ $0.isActive }) == false { return }
    if let recorder { return recorder.record(leaf, isFirst ? .initial : cause) }
    // Taken out meanwhile, because to keep it alive in its place would cost a retain and a release;
    // deliveries do not nest, and disposal waits for them.
    guard options.contains(isFirst ? .initial : .new), let next else { return }
    self.next = nil
    next(leaf)
    self.next = next
  }
}
