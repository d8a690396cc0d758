/// A broadcaster with a buffer of its latest elements, which it replays to new observers.
///
/// The buffer changes in the same instant in which an emission takes its place in the order: so its
/// latest element is the last one delivered when producers are quiet (C5), and the change is
/// visible everywhere as soon as `next(_:)` is called, also if the delivery has to wait for the
/// current one (C6).
///
/// - Complexity: O(1) per element above the ``Broadcaster``'s own; O(elements in the buffer) to
///   subscribe.
@usableFromInline final class ReplayBroadcaster<Element>: Broadcaster<Element> {
  // Proof of unchecked: all three are accessed under the serializer's lock only.
  @exclusivity(unchecked) private var buffer: ReplayBuffer<Element>
  @exclusivity(unchecked) private var isTerminated = false
  @exclusivity(unchecked) private var error: (any Error)?

  private let replay: Replay

  /// When the buffer is replayed to new observers.
  enum Replay {
    case always, untilTermination, afterCompletion
  }

  /// - Parameters:
  ///   - initial: the initial contents of the buffer.
  ///   - capacity: how many elements are buffered; the oldest is evicted first.
  ///   - replay: when the buffer is replayed to new observers.
  init(_ initial: [Element] = [], capacity: Int, replay: Replay = .always) {
    buffer = ReplayBuffer(initial, capacity: capacity)
    self.replay = replay
  }

  /// The latest element.
  var latest: Element? { serializer.locked { buffer.last } }

  /// The error that ended the sequence, if one did.
  var failure: (any Error)? { serializer.locked { error } }

  override func next(_ element: Element) {
    guard replay != .afterCompletion else { return store(element) }
    // The evicted element is released after the lock.
    var evicted = element
    perform({ self.deliver(element) }) {
      if !isTerminated { buffer.append(element, evicting: &evicted) }
    }
  }

  /// Stores an element without delivering it.
  private func store(_ element: Element) {
    // The evicted element is released after the lock.
    var evicted = element
    serializer.locked { if !isTerminated { buffer.append(element, evicting: &evicted) } }
  }

  override func terminate(_ error: (any Error)?) {
    perform({ self.conclude(error) }) {
      guard !isTerminated else { return }
      isTerminated = true
      self.error = error
    }
  }

  /// Delivers the termination, preceded by the element that is emitted on completion. For the owner
  /// only.
  private func conclude(_ error: (any Error)?) {
    if replay == .afterCompletion {
      if failure == nil { latest.map(deliver) } else { clear() }
    }
    deliver(termination: error)
  }

  override func subscribe(
    _ observer: consuming AnyObserver<Element>, in context: SubscriptionContext
  ) {
    subscribe(observer, in: context) { isReplaying ? buffer.copy() : nil }
  }

  /// To be read under the lock only.
  private var isReplaying: Bool {
    switch replay {
    case .always: true
    case .untilTermination: !isTerminated
    case .afterCompletion: isTerminated && error == nil
    }
  }

  override func forget() {
    super.forget()
    clear()
  }

  override func dispose() {
    serializer.locked { isTerminated = true }
    super.dispose()
    // A value may be read during disposal.
    if replay != .untilTermination { clear() }
  }

  /// Releases the elements of the buffer.
  private func clear() {
    var released = ReplayBuffer<Element>([], capacity: 0)
    serializer.locked { swap(&buffer, &released) }
  }
}

/// The latest elements of a sequence, in order: a ring buffer in memory of its own, so that
/// unspecialised code need not look up the metadata of an array.
private struct ReplayBuffer<Element>: ~Copyable {
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

  /// The elements in order, in memory that the caller releases.
  func copy() -> UnsafeMutableBufferPointer<Element> {
    let copy = UnsafeMutablePointer<Element>.allocate(capacity: count)
    copy.initialize(from: slots + oldest, count: count - oldest)
    (copy + (count - oldest)).initialize(from: slots, count: oldest)
    return UnsafeMutableBufferPointer(start: copy, count: count)
  }

  var last: Element? { count == 0 ? nil : slots[newest] }

  private var newest: Int { oldest == 0 ? count - 1 : oldest - 1 }

  /// Adds an element; when full, the oldest is moved to `evicted`.
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
