import KeylineCore
import Synchronization

/// Follows the hops of a chain to the object that has the leaf.
///
///     upstream   --A--------B-----nil--
///     A.hop        1--2--3
///     B.hop                 4--5
///     next hop   --1--2--3--4--5--nil--
///
/// Each hop is `flatMapLatest` into the next. All sides take turns, in one order: a value of an object
/// that has been replaced, also one under way, is dropped, and a death on another thread waits for
/// its turn. The cause of a change is determined by the hop that changed, and passed on.
///
/// Each property on the way has an attachment. Where another object of the same class takes an
/// object's place, the attachments behind it move from the properties of one to those of the other;
/// else they end, and others are made.
@usableFromInline class ChainFollower: EngineItem, @unchecked Sendable {
  private typealias Place = (hop: Unmanaged<ChainHop>, attachment: Unmanaged<HopAttachment>?)

  // Proof of @unchecked: mutable state belongs to whoever has the turn.
  /// Retains all hops.
  final let leaf: ChainHop
  /// The number of the record of what follows the chain.
  let record: ObjectIdentifier
  /// Called before each set on the chain, with the option `.prior`.
  private(set) var prior: (() -> Void)?
  let turns = ChainTurns()
  /// The hops, and the leaf as the last one, each with its attachment.
  // Raw memory: in an array, each exchange would retain and check more than it moves.
  // Proof of Unmanaged: `leaf` retains the hops; an attachment is retained from `makeAttachment` to
  // `leave`, or the end.
  private let places: UnsafeMutableBufferPointer<Place>
  @exclusivity(unchecked) private var isDisposed = false
  /// What has come while a hop before it awaited a change, which may turn out to be none.
  @exclusivity(unchecked) private var postponed: Postponed?
  /// Changes that observers of the chain have caused, and that wait.
  // Atomic: another thread may follow them, after a death.
  private let waiting = Atomic<Int>(0)
  private var feedback = FeedbackCounter()
  private var isStopped = false
  /// Whether changes are delivered: a feedback loop ends by following without delivery.
  private(set) var isDelivering = true

  init(_ leaf: __shared ChainHop, for record: ObjectIdentifier, prior: (() -> Void)? = nil) {
    self.leaf = leaf
    self.record = record
    self.prior = prior
    let places = UnsafeMutableBufferPointer<Place>.allocate(capacity: leaf.position + 1)
    places.initialize(repeating: (.passUnretained(leaf), nil))
    self.places = places
    var hop = leaf.previous.map { Unmanaged.passUnretained($0) }
    while let reached = hop {
      reached._withUnsafeGuaranteedRef {
        places[$0.position].hop = reached
        hop = $0.previous.map { .passUnretained($0) }
      }
    }
  }

  deinit {
    for place in places { place.attachment?.release() }
    places.deallocate()
  }

  private var leafPosition: Int { places.count - 1 }

  // MARK: For subclasses

  /// Receives the object that has the leaf now, nil for none. In a turn.
  func lead(to owner: AnyObject?, _ cause: ChangeCause) {}

  /// The root has died, which the first property has announced. In a turn.
  func rootDied() {}

  /// Releases closures. In a turn.
  func release() {}

  /// The attachment of what is read at `position`, the leaf unless given, which ends with the next
  /// one.
  ///
  /// - Parameter cause: why it is made.
  /// - Returns: what stays retained until the turn ends.
  final func makeAttachment(
    at position: Int? = nil, _ cause: ChangeCause
  ) -> Unmanaged<HopAttachment> {
    let position = position ?? leafPosition
    let type = places[position].hop._withUnsafeGuaranteedRef { $0.attachmentType }
    let attachment = Unmanaged.passRetained(type.init(self, position, initial: cause))
    places[position].attachment = attachment
    return attachment
  }

  /// Whether `attachment` is still the one in its place. In a turn.
  @inline(__always) final func isCurrent(_ attachment: HopAttachment) -> Bool {
    places[attachment.position].attachment?.toOpaque()
      == Unmanaged.passUnretained(attachment).toOpaque()
  }

  /// Whether something before `position` leads elsewhere as soon as what is under way has been delivered
  /// to it, or the set settles: until then, what comes after it is not followed (D37). Nothing comes
  /// before the first.
  @inline(__always)
  private func isAwaitingHop(before position: Int, in scope: ChainTurns.Scope) -> Bool {
    position > 0 && turns.mayAwait(in: scope)
      && turns.ask(in: scope) { isAwaited(before: position) }
  }

  /// Whether any hop leads elsewhere as soon as what is under way has been delivered, or settles.
  final var isAwaitingHop: Bool { isAwaitingHop(before: leafPosition, in: ThreadScope.ofThread) }

  /// As `isAwaitingHop`. In a turn.
  final var isHopAwaited: Bool { isAwaited(before: leafPosition) }

  private func isAwaited(before position: Int) -> Bool {
    places[..<position].contains {
      $0.attachment?._withUnsafeGuaranteedRef { $0.isAwaitingDelivery } == true
    }
  }

  override final var parts: [EngineItem] {
    places.reversed().compactMap { $0.attachment?.takeUnretainedValue() }
  }

  /// The position of the hop that leads to nil, for inspection.
  var brokenPosition: Int? {
    places.firstIndex { $0.attachment == nil }.flatMap { $0 > 0 ? $0 - 1 : nil }
  }

  /// Whether it follows the target of a binding.
  var isTarget: Bool { false }

  /// The binding whose end it follows.
  var binding: EngineContext? { nil }

  // MARK: Following

  /// - Returns: whether a property of the root is observed, which completes when that dies.
  @discardableResult @usableFromInline final func start(from root: AnyObject) -> Bool {
    // Else it has been disposed meanwhile.
    guard turns.enter(ThreadScope.ofThread) else { return true }
    defer { turns.leave() }
    follow(0, root, .initial)
    return places[0].attachment?._withUnsafeGuaranteedRef { $0.property != nil } == true
  }

  override final func dispose() { perform { self.close() } }

  /// Does `work` in its turn.
  final func perform(_ work: @escaping () -> Void) { turns.perform(work, for: self) }

  /// Leaves everything. In a turn.
  final func close() {
    isDisposed = true
    leave(from: 0)
    postponed = nil
    prior = nil
    release()
  }

  /// The property of a hop leads to another object.
  ///
  /// - Parameter isDeath: whether the one before has died.
  func changed(_ attachment: HopAttachment, _ object: AnyObject?, isDeath: Bool) {
    let scope = ThreadScope.ofThread
    if isAwaitingHop(before: attachment.position, in: scope) {
      return postpone(attachment) { self.follow(attachment, attachment.moves, object, isDeath) }
    }
    guard turns.enter(scope) else {
      let moves = attachment.moves
      return wait(attachment) { self.follow(attachment, moves, object, isDeath) }
    }
    follow(attachment, attachment.moves, object, isDeath)
    turns.leave()
  }

  /// Follows a change that an observer of the chain has caused in its turn. In the delivery of the
  /// property.
  final func wait(_ attachment: HopAttachment, _ follow: @escaping () -> Void) {
    waiting.wrappingAdd(1, ordering: .relaxed)
    let property = attachment.property
    let what = attachment.isOfLeaf ? "set the leaf" : "replaced an object on the way"
    perform { self.followWaiting(property, what, follow) }
  }

  private func followWaiting(
    _ property: DependencyNode?, _ what: String, _ follow: () -> Void
  ) {
    let (count, rest) = waiting.wrappingSubtract(1, ordering: .relaxed)
    let isWithinLimit = feedback.admits(waiting: count)
    if !isWithinLimit {
      // The last one that waits is the current state; what observers do then is followed without
      // delivery.
      isDelivering = rest == 0 && !isStopped
      if isDelivering {
        isStopped = true
        Diagnostics.report(
          .feedbackLoop,
          "each of \(Diagnostics.feedbackLimit) deliveries in a row has \(what); "
            + "delivery stops with the one that is there",
          type: property?.livingOwner.map { "\(type(of: $0))" }, property: property?.name)
      }
    }
    follow()
    isDelivering = true
    if waiting.load(ordering: .relaxed) == 0 {
      feedback = FeedbackCounter()
      isStopped = false
    }
  }

  private func follow(
    _ attachment: HopAttachment, _ moves: UInt32, _ object: AnyObject?, _ isDeath: Bool
  ) {
    guard isCurrent(attachment), attachment.moves == moves else { return }
    dropPostponed(from: attachment.position)
    let index = index(of: attachment.position)
    let change: ChangeCause = isDeath ? .hopDied(index) : .hopReplaced(index)
    let cause = object == nil ? change.leadingNowhere : change
    let entry = beginEntry(behind: attachment.position, object, cause)
    follow(attachment.position + 1, object, cause)
    entry?.end()
  }

  /// Attaches the hop at `position` to `object`, and with that those that come after it.
  // Not inlined: there would be retains and releases for it.
  @inline(never) final func follow(_ position: Int, _ object: AnyObject?, _ cause: ChangeCause) {
    guard !isDisposed else { return }
    if let object,
      places[position].attachment?._withUnsafeGuaranteedRef({ $0.move(to: object, cause) }) == true
    {
      return
    }
    leave(from: position)
    guard position < leafPosition, let object else { return lead(to: object, cause) }
    makeAttachment(at: position, cause)._withUnsafeGuaranteedRef { attachment in
      hop(at: position)._withUnsafeGuaranteedRef { $0.attach(object, attachment) }
    }
  }

  /// The object of a hop has died.
  func died(_ attachment: HopAttachment) {
    let isBehindHop = attachment.position > 0
    let scope = ThreadScope.ofThread
    if isBehindHop, scope.pointee.batch.isOpen {
      return scope.pointee.batch.finally { self.died(attachment) }
    }
    // What a computed hop depends on may be about to change: it may have died of that.
    let position = attachment.position
    if isBehindHop, turns.mayAwait(in: scope),
      turns.ask(in: scope, { isAwaited(before: position) || isComputed(position - 1) })
    {
      return postpone(attachment) { self.followDeath(of: attachment) }
    }
    perform { self.followDeath(of: attachment) }
  }

  private func followDeath(of attachment: HopAttachment) {
    guard isCurrent(attachment) else { return }
    let cause = causeOfDeath(before: attachment.position)
    let entry = beginEntry(behind: attachment.position - 1, nil, cause)
    follow(attachment.position, nil, cause)
    entry?.end()
    if attachment.position == 0 { rootDied() }
  }

  private func isComputed(_ position: Int) -> Bool {
    places[position].attachment?._withUnsafeGuaranteedRef { $0.isComputed } == true
  }

  // MARK: Postponing

  private struct Postponed {
    let attachment: HopAttachment
    let moves: UInt32
    let follow: () -> Void
  }

  /// Does what comes behind a hop that awaits a change when the scope closes, unless something before
  /// it has been followed until then: of all, the change that is nearest to the root.
  // Not inlined: there would be retains and releases for it.
  @inline(never) final func postpone(
    _ attachment: HopAttachment, _ follow: @escaping () -> Void
  ) {
    let scope = ThreadScope.ofThread
    guard scope.isOpen else { return perform(follow) }
    let moves = attachment.moves
    perform {
      guard self.isCurrent(attachment), attachment.moves == moves else { return }
      let former = self.postponed
      if let former, former.attachment.position < attachment.position, self.isCurrent(former) {
        return
      }
      self.postponed = Postponed(attachment: attachment, moves: moves, follow: follow)
    }
    scope.atEnd { self.perform { self.followPostponed() } }
  }

  private func isCurrent(_ postponed: Postponed) -> Bool {
    isCurrent(postponed.attachment) && postponed.attachment.moves == postponed.moves
  }

  private func followPostponed() {
    guard let postponed = postponed.take(), isCurrent(postponed) else { return }
    postponed.follow()
  }

  /// What comes behind `position` is followed anew.
  @inline(__always) final func dropPostponed(from position: Int) {
    guard let postponed, postponed.attachment.position >= position else { return }
    self.postponed = nil
  }

  final func causeOfDeath(before position: Int) -> ChangeCause {
    position == 0 ? .rootDied : .hopDied(index(of: position - 1))
  }

  @inline(__always) final func hop(at position: Int) -> Unmanaged<ChainHop> {
    places[position].hop
  }

  func index(of position: Int) -> Int {
    hop(at: position)._withUnsafeGuaranteedRef { $0.index }
  }

  /// What a trace calls it: `observeWeakly → subscribe (Form.swift:12)`.
  final var description: String { Records.path(from: record)?.description ?? "a chain" }

  /// Whether the leaf stands at `position`.
  @inline(__always) final func isLeaf(_ position: Int) -> Bool {
    position == leafPosition
  }

  /// What a trace calls the observer of the property at `position`.
  func part(at position: Int) -> String {
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
      guard let attachment = places[index].attachment?.takeRetainedValue() else { continue }
      places[index].attachment = nil
      attachment.dispose()
    }
  }
}
