/// A broadcaster that keeps its latest elements and replays them to newcomers.
///
/// What is kept changes in the same instant in which an emission takes its place in the order: so
/// the latest element kept is the last one delivered when producers are quiet (law 5), and it is
/// new for everyone as soon as `next(_:)` has been called, also if the delivery has to wait for
/// the current one (law 6).
///
/// - Complexity: O(1) per element above the ``Broadcaster``'s own; O(elements kept) to join.
@usableFromInline final class Memory<Element>: Broadcaster<Element> {
  // Proof of unchecked: all three are touched under the serializer's lock only.
  @exclusivity(unchecked) private var kept: Ring<Element>
  @exclusivity(unchecked) private var isTerminated = false
  @exclusivity(unchecked) private var reason: (any Error)?

  private let replay: Replay

  /// When newcomers get what is kept.
  enum Replay {
    case always, untilTermination, afterCompletion
  }

  /// - Parameters:
  ///   - initial: what is kept from the start.
  ///   - capacity: how many elements are kept; the oldest goes first.
  ///   - replay: when newcomers get what is kept.
  init(_ initial: [Element] = [], capacity: Int, replay: Replay = .always) {
    kept = Ring(initial, capacity: capacity)
    self.replay = replay
  }

  /// The latest element.
  var latest: Element? { serializer.locked { kept.last } }

  /// The error that ended the sequence, if one did.
  var failure: (any Error)? { serializer.locked { reason } }

  override func next(_ element: Element) {
    guard replay != .afterCompletion else { return remember(element) }
    // What has to make room is let go of after the lock.
    var evicted = element
    run({ self.deliver(element) }) {
      if !isTerminated { kept.append(element, evicting: &evicted) }
    }
  }

  /// Keeps an element, and delivers it to nobody.
  private func remember(_ element: Element) {
    // What has to make room is let go of after the lock.
    var evicted = element
    serializer.locked { if !isTerminated { kept.append(element, evicting: &evicted) } }
  }

  override func terminate(_ error: (any Error)?) {
    run({ self.conclude(error) }) {
      guard !isTerminated else { return }
      isTerminated = true
      reason = error
    }
  }

  /// Delivers the termination, and before it what only completion brings out. For the owner only.
  private func conclude(_ error: (any Error)?) {
    if replay == .afterCompletion {
      if failure == nil { latest.map(deliver) } else { clear() }
    }
    deliver(termination: error)
  }

  override func subscribe(_ observer: AnyObserver<Element>, in context: SubscriptionContext) {
    subscribe(observer, in: context) { isReplaying ? kept.elements.map(Event.next) : [] }
  }

  /// For those in the lock only.
  private var isReplaying: Bool {
    switch replay {
    case .always: true
    case .untilTermination: !isTerminated
    case .afterCompletion: isTerminated && reason == nil
    }
  }

  override func forget() {
    super.forget()
    clear()
  }

  override func dispose() {
    serializer.locked { isTerminated = true }
    super.dispose()
    // A value may be asked for while it is being disposed.
    if replay != .untilTermination { clear() }
  }

  /// Lets go of what is kept.
  private func clear() {
    var forgotten = Ring<Element>([], capacity: 0)
    serializer.locked { swap(&kept, &forgotten) }
  }
}

/// The last elements of a sequence, in order, in memory of its own: which spares unspecialised code
/// the look-up of an array's metadata.
private struct Ring<Element>: ~Copyable {
  private var slots: UnsafeMutablePointer<Element>
  private var allocated: Int
  private var count = 0
  private var oldest = 0
  private let capacity: Int

  init(_ initial: [Element], capacity: Int) {
    self.capacity = capacity
    allocated = min(capacity, 4)
    slots = .allocate(capacity: allocated)
    for element in initial { add(element) }
  }

  deinit {
    slots.deinitialize(count: count)
    slots.deallocate()
  }

  var elements: [Element] {
    (0..<count).map { slots[($0 + oldest) % count] }
  }

  var last: Element? { count == 0 ? nil : slots[oldest == 0 ? count - 1 : oldest - 1] }

  /// Adds an element; when full, the oldest makes room and is put into `evicted`.
  mutating func append(_ element: Element, evicting evicted: inout Element) {
    guard count == capacity else { return add(element) }
    guard capacity > 0 else { return }
    swap(&slots[oldest], &evicted)
    oldest = oldest + 1 == capacity ? 0 : oldest + 1
  }

  private mutating func add(_ element: Element) {
    if count == allocated { grow() }
    (slots + count).initialize(to: element)
    count += 1
  }

  private mutating func grow() {
    allocated = min(capacity, allocated * 2)
    let moved = UnsafeMutablePointer<Element>.allocate(capacity: allocated)
    moved.moveInitialize(from: slots, count: count)
    slots.deallocate()
    slots = moved
  }
}
