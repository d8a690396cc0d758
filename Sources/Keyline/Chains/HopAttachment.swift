import KeylineCore
import Synchronization

/// The observation of one property on a chain, of one object.
@usableFromInline class HopAttachment: EngineContext, @unchecked Sendable {
  // Proof of @unchecked: the property is used in its own deliveries, before which it is set, and that
  // of a hop in turns of the follower, in which it is set; the rest is immutable, or atomic.
  final let follower: ChainFollower
  /// Its place among the hops; the leaf comes after them.
  final let position: Int
  /// Why the object is observed.
  fileprivate final let initial: ChangeCause
  // Proof of Unmanaged: that of the leaf is used in its own deliveries only, without retaining it; that
  // of a hop is retained by `hopProperty`.
  @exclusivity(unchecked) private final var propertyReference: Unmanaged<DependencyNode>?

  /// The property of a hop, retained: whether it is awaited may be asked after the death of its owner.
  private final var hopProperty: DependencyNode?

  /// The property observed, if it is a stored one.
  final var property: DependencyNode? { propertyReference?.takeUnretainedValue() }

  /// It has joined the property that it observes, if that is a stored one.
  // A method: a setter would take a retained property.
  final func join(_ property: DependencyNode?) {
    propertyReference = property.map { .passUnretained($0) }
    guard !isOfLeaf else { return }
    hopProperty = property
    joined = property.map { UInt32(truncatingIfNeeded: $0.version) } ?? 0
    followed.store(joined, ordering: .relaxed)
    noteComputed()
  }

  /// The version of the property that it has joined at, and the one that it has followed last.
  private final var joined: UInt32 = 0
  private final let followed = Atomic<UInt32>(0)

  @inline(__always) final var isOfLeaf: Bool { follower.isLeaf(position) }

  @inline(__always) final var isDeliveringDeath: Bool {
    propertyReference?._withUnsafeGuaranteedRef { $0.isWeak && $0.isDeliveringDeath } == true
  }

  /// The computation, if what is observed is one.
  fileprivate final var computation: Computation? {
    didSet { noteComputed() }
  }

  /// Whether it is computed, or derived, where the property leads.
  final var isComputed: Bool {
    computation != nil
      || propertyReference?._withUnsafeGuaranteedRef { $0.derivation != nil } == true
  }

  private func noteComputed() { if !isOfLeaf, isComputed { follower.turns.awaitHops() } }

  /// How many times it has moved: what an object before has left waiting is out of date.
  // Proof of unchecked: read by deliveries to it and changed by moves, which own the list that it
  // stands in.
  @exclusivity(unchecked) fileprivate(set) final var moves: UInt32 = 0

  required init(_ follower: ChainFollower, _ position: Int, initial: ChangeCause) {
    self.follower = follower
    self.position = position
    self.initial = initial
    super.init(inside: follower.record)
  }

  override final var isOfTarget: Bool { follower.isTarget }

  override final var binding: EngineContext? { follower.binding }

  override final var part: String? { follower.part(at: position) }

  /// Observes `path` of `object`, which leads to what `reference` makes of its values.
  final func attach<Value>(
    _ path: PropertyPath<Value>, to object: AnyObject,
    _ reference: @escaping (Value) -> AnyObject?
  ) {
    computation = path.attach(
      AnyObserver(next: { self.next(reference($0)) }, terminate: terminate), to: object,
      death: Lifetime.of(object), in: self, prior: follower.prior
    ) { lead(to: reference($0), by: $1) }
  }

  /// Follows the first object that `property` leads to.
  private func lead(to object: AnyObject?, by property: DependencyNode?) {
    join(property)
    if property?.isOvertaken == true { keep(object) }
    lead(to: object)
  }

  /// Others wait to be delivered before this observer joins: until then, the object must not die when
  /// it is replaced, and break the chain, before its replacement is delivered.
  fileprivate final func keep(_ object: AnyObject?) {
    if let object { ThreadScope.ofThread.keep(object) }
  }

  /// Whether a change is about to arrive: it is being delivered to others, or waits for the batch under
  /// way to be delivered, or for the scope to close. None that it has found when it joined.
  final var isAwaitingDelivery: Bool {
    // The object has died, which is followed next.
    guard isActive else { return true }
    if let hopProperty {
      // To ask whether a derived one is pending may change its version.
      let last =
        hopProperty.isPending
        ? joined : hopProperty.isDeliveringChange ? followed.load(ordering: .relaxed) : nil
      if let last, last != UInt32(truncatingIfNeeded: hopProperty.version) { return true }
    }
    return computation?.isAwaitingEvaluation(in: ThreadScope.ofThread) == true
  }

  /// Follows the first object that the property leads to.
  final func lead(to object: AnyObject?) {
    // In a turn: attaching is a step of following.
    follower.follow(position + 1, object, initial)
  }

  fileprivate final func next(_ object: AnyObject?) {
    if let propertyReference {
      let version = propertyReference._withUnsafeGuaranteedRef { $0.deliveredVersion }
      followed.store(UInt32(truncatingIfNeeded: version), ordering: .relaxed)
    }
    follower.changed(self, object, isDeath: isDeliveringDeath)
  }

  /// Moves to another object instead of ending, and leads on from there.
  ///
  /// - Returns: false if it must end, and another one be made.
  func move(to object: AnyObject, _ cause: ChangeCause) -> Bool { false }

  final func terminate(_: (any Error)?) {
    dispose()
    follower.died(self)
  }
}

/// The observation of a property that is read by the same accessor in each object: of a hop, or of
/// the leaf. It is the observer itself: no closures are made for it.
@usableFromInline final class ChainAttachment<Value>: HopAttachment, @unchecked Sendable {
  // Proof of @unchecked: `place` belongs to whoever has the follower's turn.
  /// Where the property is in each object of the class; nil if it must be looked up in each.
  @exclusivity(unchecked) private var place: PropertyPlace?

  var observer: AnyObserver<Value> { AnyObserver(next: receive, terminate: terminate) }

  /// Observes the property of an object.
  func attach(_ path: PropertyPath<Value>, to object: AnyObject) {
    computation = path.attach(
      observer, to: object, death: Lifetime.of(object), in: self, prior: follower.prior
    ) { value, property in
      join(property)
      // Most chains that are replaced once are replaced again, and most are not.
      if initial != .initial, let property { notePlace(of: property, in: object) }
      if property?.isOvertaken == true, !isOfLeaf { keep(Optionals.reference(in: value)) }
      follow(value, initial)
    }
  }

  @inline(never) private func notePlace(of property: DependencyNode, in object: AnyObject) {
    // A derived one does more than this to be joined, and to be asked whether it is pending.
    guard property.derivation == nil, property.valueType == ObjectIdentifier(Value.self),
      hop.access != nil, !property.isPending, follower.prior == nil
    else { return }
    // Proof of unsafeDowncast: a node with this type of value is a PropertyNode<Value>.
    place = PropertyPlace(of: unsafeDowncast(property, to: PropertyNode<Value>.self))
  }

  /// Proof of unsafeDowncast: only hops of this type make such attachments.
  @inline(__always) private var hop: ChainLeaf<Value> {
    unsafeDowncast(follower.hop(at: position).takeUnretainedValue(), to: ChainLeaf<Value>.self)
  }

  /// Leaves the property of one object and joins the same one of another object of its class, unless
  /// either is in use: a third of the price of ending this and making another one.
  override func move(to object: AnyObject, _ cause: ChangeCause) -> Bool {
    guard let property: Unmanaged<PropertyNode<Value>> = place?.property(of: object),
      let access = hop.access
    else { return false }
    let scope = ThreadScope.ofThread
    guard scope.isOpen, scope.pointee.evaluation == nil,
      !scope.pointee.batch.isActiveOrTraced, !Diagnostics.isRecording
    else { return false }
    return property._withUnsafeGuaranteedRef { property in
      property.move(self) {
        join(property)
        moves &+= 1
        follow(access(object, nil), cause)
      }
    }
  }

  /// Passes the first value that is read of an object on.
  @inline(__always) private func follow(_ value: Value, _ cause: ChangeCause) {
    guard isOfLeaf else {
      return Optionals.withReference(in: value) { follower.follow(position + 1, $0, cause) }
    }
    leafFollower._withUnsafeGuaranteedRef { if $0.isDelivering { $0.emit(value, cause) } }
  }

  private func receive(_ value: Value) {
    guard isOfLeaf else { return Optionals.withReference(in: value, next) }
    leafFollower._withUnsafeGuaranteedRef { $0.receive(value, by: self) }
  }

  /// Not retained: the attachment retains it.
  ///
  /// Proof of unsafeDowncast: a follower with this type of leaf has made the attachment of the leaf.
  @inline(__always) private var leafFollower: Unmanaged<LeafFollower<Value>> {
    .passUnretained(unsafeDowncast(follower, to: LeafFollower<Value>.self))
  }
}
