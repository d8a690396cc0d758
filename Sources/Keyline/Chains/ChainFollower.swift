/// Follows the hops of a chain to the object that has the leaf.
///
///     upstream   --A--------B-----nil--
///     A.hop        1--2--3
///     B.hop                 4--5
///     next hop   --1--2--3--4--5--nil--
///
/// Each hop is `flatMapLatest` into the next. One serializer orders all sides: a value of an object
/// that has been replaced, also one under way, is dropped, and a death on another thread waits for
/// its turn. The cause of a change is determined by the hop that changed, and passed on.
@usableFromInline class ChainFollower: Teardown, @unchecked Sendable {
  private typealias Place = (hop: Unmanaged<ChainHop>?, attachment: HopAttachment?)

  // Proof of @unchecked: mutable state belongs to the owner of the serializer.
  /// Retains all hops; nil if the root has the leaf.
  private let lastHop: ChainHop?
  /// The number of the record of what follows the chain.
  let record: UInt32
  /// Called before each set on the chain, with the option `.prior`.
  private(set) var prior: (() -> Void)?
  let serializer = Serializer()
  /// The hops, and the leaf, each with its attachment.
  // Raw memory: in an array, each exchange would retain and check more than it moves.
  // Proof of Unmanaged: `lastHop` retains them.
  private let places: UnsafeMutableBufferPointer<Place>
  @exclusivity(unchecked) private var isDisposed = false
  /// Changes that observers of the chain have caused, and that wait.
  private var waiting = 0
  private var feedback = FeedbackCounter()
  private var isStopped = false
  /// Whether changes are delivered: a feedback loop ends by following without delivery.
  private(set) var isDelivering = true

  init(_ lastHop: ChainHop?, for record: UInt32, prior: (() -> Void)? = nil) {
    self.lastHop = lastHop
    self.record = record
    self.prior = prior
    places = .allocate(capacity: lastHop.map { $0.position + 2 } ?? 1)
    places.initialize(repeating: (nil, nil))
    var hop = lastHop
    while let reached = hop {
      places[reached.position].hop = .passUnretained(reached)
      hop = reached.previous
    }
  }

  deinit {
    places.deinitialize()
    places.deallocate()
  }

  private var leafPosition: Int { places.count - 1 }

  // MARK: For subclasses

  /// Receives the object that has the leaf now, nil for none. Inside the serializer.
  func lead(to owner: AnyObject?, _ cause: ChangeCause) {}

  /// Releases closures. Inside the serializer.
  func release() {}

  /// The attachment for the leaf of an owner, which ends with the next one.
  final func makeAttachment(of leaf: ChainHop) -> HopAttachment {
    let attachment = leaf.attachmentType.init(self, leafPosition, initial: .initial)
    places[leafPosition].attachment = attachment
    return attachment
  }

  /// Whether `attachment` is still the one in its place. Inside the serializer.
  @inline(__always) final func isCurrent(_ attachment: HopAttachment) -> Bool {
    places[attachment.position].attachment === attachment
  }

  /// Whether something before `position` leads elsewhere as soon as the batch under way is
  /// delivered: until then, what comes after it is not followed (D37).
  final func isAwaitingHop(before position: Int) -> Bool {
    Batch.isActiveOnThread
      && places[..<position].contains { $0.attachment?.isAwaitingDelivery == true }
  }

  /// Whether any hop leads elsewhere as soon as the batch under way is delivered.
  final var isAwaitingHop: Bool { isAwaitingHop(before: leafPosition) }

  override final var parts: [Teardown] { places.reversed().compactMap(\.attachment) }

  /// The position of the hop that leads to nil, for inspection.
  var brokenPosition: Int? {
    places.firstIndex { $0.attachment == nil }.flatMap { $0 > 0 ? $0 - 1 : nil }
  }

  /// Whether it follows the target of a binding.
  var isTarget: Bool { false }

  /// The binding whose end it follows.
  var binding: SubscriptionContext? { nil }

  // MARK: Following

  final func start(from root: AnyObject) {
    serializer.perform { self.follow(0, root, .initial) }
  }

  override final func dispose() { serializer.perform { self.close() } }

  private func close() {
    isDisposed = true
    leave(from: 0)
    prior = nil
    release()
  }

  /// The property of a hop leads to another object.
  fileprivate func changed(
    _ attachment: HopAttachment, _ object: AnyObject?, _ cause: ChangeCause
  ) {
    if isAwaitingHop(before: attachment.position) { return }
    guard serializer.enter() else {
      waiting += 1
      return serializer.perform { self.followWaiting(attachment, object, cause) }
    }
    follow(attachment, object, cause)
    serializer.leave()
  }

  /// A change that an observer of the chain has caused.
  private func followWaiting(
    _ attachment: HopAttachment, _ object: AnyObject?, _ cause: ChangeCause
  ) {
    let isWithinLimit = feedback.admits(waiting: waiting)
    waiting -= 1
    if !isWithinLimit {
      // The last one that waits is the current state; what observers do then is followed without
      // delivery.
      isDelivering = waiting == 0 && !isStopped
      if isDelivering {
        isStopped = true
        Diagnostics.report(
          .feedbackLoop,
          "each of \(Diagnostics.feedbackLimit) deliveries in a row has replaced an object on the way; "
            + "delivery stops with the one that is there",
          type: attachment.property?.owner.map { "\(type(of: $0))" },
          property: attachment.property?.name)
      }
    }
    follow(attachment, object, cause)
    isDelivering = true
    if waiting == 0 {
      feedback = FeedbackCounter()
      isStopped = false
    }
  }

  private func follow(_ attachment: HopAttachment, _ object: AnyObject?, _ cause: ChangeCause) {
    guard isCurrent(attachment) else { return }
    let cause = object == nil ? cause.leadingNowhere : cause
    let entry = beginEntry(behind: attachment.position, object, cause)
    follow(attachment.position + 1, object, cause)
    entry?.end()
  }

  /// Ends the attachments from `position` on, and attaches that hop to `object`.
  fileprivate func follow(_ position: Int, _ object: AnyObject?, _ cause: ChangeCause) {
    guard !isDisposed else { return }
    leave(from: position)
    guard position < leafPosition, let object else { return lead(to: object, cause) }
    places[position].hop?._withUnsafeGuaranteedRef { hop in
      let attachment = hop.attachmentType.init(self, position, initial: cause)
      places[position].attachment = attachment
      hop.attach(object, attachment)
    }
  }

  /// The object of a hop has died.
  fileprivate func died(_ attachment: HopAttachment) {
    if attachment.position > 0, Batch.isActiveOnThread {
      let scope = ThreadScope.ofThread
      if scope.pointee.batch.isOpen {
        return scope.pointee.batch.finally { self.follow(deathOf: attachment) }
      }
      if isAwaitingHop(before: attachment.position) { return }
    }
    follow(deathOf: attachment)
  }

  private func follow(deathOf attachment: HopAttachment) {
    serializer.perform {
      guard self.isCurrent(attachment) else { return }
      let cause = self.causeOfDeath(before: attachment.position)
      let entry = self.beginEntry(behind: attachment.position - 1, nil, cause)
      self.follow(attachment.position, nil, cause)
      entry?.end()
    }
  }

  final func causeOfDeath(before position: Int) -> ChangeCause {
    position == 0 ? .rootDied : .hopDied(index(of: position - 1))
  }

  fileprivate func index(of position: Int) -> Int {
    places[position].hop?._withUnsafeGuaranteedRef { $0.index } ?? 0
  }

  /// What a trace calls it: `observeWeakly → subscribe (Form.swift:12)`.
  final var description: String { Records.path(from: record)?.description ?? "a chain" }

  /// Whether the leaf stands at `position`.
  @inline(__always) fileprivate final func isLeaf(_ position: Int) -> Bool {
    position == leafPosition
  }

  /// What a trace calls the observer of the property at `position`.
  fileprivate func part(at position: Int) -> String {
    isLeaf(position) ? "the leaf" : "hop \(index(of: position))"
  }

  /// Opens the entry of a change behind the hop at `position`, if the thread is recorded.
  private func beginEntry(
    behind position: Int, _ object: AnyObject?, _ cause: ChangeCause
  ) -> TraceNode? {
    guard let trace = TraceRecorder.ofThread,
      object != nil || places[position + 1].attachment != nil
    else { return nil }
    let name = object.map(trace.name) ?? ""
    return switch cause {
    case .hopReplaced(let hop):
      trace.begin(.follow, name, "\(name) behind hop \(hop) of \(description)")
    case .hopBecameNil(let hop):
      trace.begin(.broken, "", "\(description) at hop \(hop), which is nil")
    case .hopDied(let hop):
      trace.begin(.broken, "", "\(description) at hop \(hop), whose object has died")
    case .rootDied: trace.begin(.broken, "", "\(description), whose root has died")
    case .initial, .set: nil
    }
  }

  private func leave(from position: Int) {
    for index in position..<places.count {
      guard let attachment = places[index].attachment else { continue }
      places[index].attachment = nil
      attachment.dispose()
    }
  }
}

/// The observation of one property on a chain, of one object.
@usableFromInline class HopAttachment: SubscriptionContext, @unchecked Sendable {
  // Proof of @unchecked: the property is used in its own deliveries, before which it is set; the rest
  // is immutable.
  final let follower: ChainFollower
  /// Its place among the hops; the leaf comes after them.
  final let position: Int
  /// Why the object is observed.
  private final let initial: ChangeCause
  // Proof of Unmanaged: it is used in the property's own deliveries, without retaining it.
  @exclusivity(unchecked) private final var propertyReference: Unmanaged<DependencyNode>?

  /// The property observed, if it is a stored one.
  final var property: DependencyNode? {
    get { propertyReference?.takeUnretainedValue() }
    set { propertyReference = newValue.map { .passUnretained($0) } }
  }

  @inline(__always) final var isOfLeaf: Bool { follower.isLeaf(position) }

  @inline(__always) final var isDeliveringDeath: Bool {
    propertyReference?._withUnsafeGuaranteedRef { $0.isDeliveringDeath } == true
  }

  /// The computation, if what is observed is one.
  fileprivate final var computation: Computation?

  required init(_ follower: ChainFollower, _ position: Int, initial: ChangeCause) {
    self.follower = follower
    self.position = position
    self.initial = initial
    super.init(inside: follower.record)
  }

  override final var isOfTarget: Bool { follower.isTarget }

  override final var binding: SubscriptionContext? { follower.binding }

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
  @inline(__always) fileprivate final func lead(to object: AnyObject?, by property: DependencyNode?)
  {
    self.property = property
    // Others wait to be delivered before this observer joins: until then, the object must not die
    // when it is replaced, and break the chain, before its replacement is delivered.
    if let object, property?.isOvertaken == true { ThreadScope.ofThread.keep(object) }
    lead(to: object)
  }

  /// Whether a change waits for the batch under way to be delivered, or the scope to close.
  final var isAwaitingDelivery: Bool {
    property?.isPending == true
      || computation?.isAwaitingEvaluation(in: ThreadScope.ofThread) == true
  }

  /// Follows the first object that the property leads to.
  final func lead(to object: AnyObject?) {
    // Inside the serializer: attaching is a step of following.
    follower.follow(position + 1, object, initial)
  }

  fileprivate final func next(_ object: AnyObject?) {
    let index = follower.index(of: position)
    follower.changed(
      self, object, isDeliveringDeath ? .hopDied(index) : .hopReplaced(index))
  }

  final func terminate(_: (any Error)?) {
    dispose()
    follower.died(self)
  }
}

/// The observation of a property that is read by the same accessor in each object: of a hop, or of
/// the leaf. It is the observer itself: no closures are made for it.
@usableFromInline final class ChainAttachment<Value>: HopAttachment, @unchecked Sendable {
  // Proof of @unchecked: adds no state.
  var observer: AnyObserver<Value> { AnyObserver(next: receive, terminate: terminate) }

  /// Observes the property of a hop.
  func attach(_ path: PropertyPath<Value>, to object: AnyObject) {
    computation = path.attach(
      observer, to: object, death: Lifetime.of(object), in: self, prior: follower.prior
    ) { lead(to: Optionals.reference(in: $0), by: $1) }
  }

  private func receive(_ value: Value) {
    guard isOfLeaf else { return next(Optionals.reference(in: value)) }
    // Not retained: the attachment retains it.
    Unmanaged.passUnretained(follower)._withUnsafeGuaranteedRef { follower in
      // Proof of unsafeDowncast: a follower with this type of leaf has made it.
      let follower = unsafeDowncast(follower, to: LeafFollower<Value>.self)
      follower.changed(self, { follower.emit(value, $0) }, later: { follower.emit(value, $0) })
    }
  }
}
