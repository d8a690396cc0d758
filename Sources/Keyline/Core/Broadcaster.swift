import Synchronization

/// Delivers elements to a list of observers: what subjects, relays and property nodes share.
///
/// It keeps laws 4 to 8 for them: subscription order for any number of observers, one order for
/// concurrent and re-entrant emissions, joining and leaving at any moment.
///
///     subject ──▶ broadcaster ──▶ registration ──▶ observer (closures of the chain below)
///                      ▲               │  ▲
///                      └───────────────┘  └── teardown list of the subscription's context
///
/// The list belongs to the owner of the serializer. Leaving does not need ownership, so that it
/// works at once from any thread and never makes an emission wait: the leaver's context is
/// inactive, so its closures are skipped from then on, and they are released by the leaver if the
/// serializer is idle, else by the owner when it is through (the proof is at ``Registration``).
///
/// - Complexity: O(1) amortised to join and to leave; per element, two atomic operations and one
///   call for each observer.
@usableFromInline
class Broadcaster<Element> {
  let serializer = Serializer<Message>()
  /// Owned by the serializer's owner.
  private var registrations: ContiguousArray<Registration<Element>> = []
  /// Owned by the serializer's owner: nil while open, the termination afterwards.
  private var termination: (any Error)??
  /// Registrations that have left and stand in the list still.
  private let departed = Atomic<Int>(0)
  /// Whether a leaver left the release of its closures to the owner.
  private let hasUnreleased = Atomic<Bool>(false)

  enum Message {
    case next(Element)
    case terminate((any Error)?)
    case join(Registration<Element>)
  }

  // MARK: Emitting

  /// Delivers `element` to everyone who has joined, or queues it if a delivery is on.
  @usableFromInline
  final func next(_ element: Element) {
    if serializer.enter() {
      deliver(element)
      leave()
    } else {
      send(.next(element))
    }
  }

  /// Delivers the termination and releases everyone. What follows is ignored.
  final func terminate(_ error: (any Error)?) { send(.terminate(error)) }

  final func send(_ message: Message) {
    guard serializer.enter() || serializer.claim(orQueue: { message }, recording: {}).isOwner
    else { return }
    handle(message)
    leave()
  }

  /// Ends the ownership, after handling what was queued and releasing who has left.
  final func leave() {
    repeat {
      if hasUnreleased.load(ordering: .relaxed) || isSparse { tidy() }
      serializer.leave(handleQueued)
    } while hasUnreleased.load(ordering: .sequentiallyConsistent) && serializer.enter()
  }

  /// Handles a message that had to wait. For the owner only.
  func handleQueued(_ message: Message) { handle(message) }

  final func handle(_ message: Message) {
    switch message {
    case .next(let element): deliver(element)
    case .join(let registration): join(registration)
    case .terminate(let error):
      guard termination == nil else { return }
      termination = .some(error)
      let leaving = registrations
      registrations = []
      for registration in leaving {
        if registration.context.isActive { registration.observer?.terminate(error) }
        _ = registration.release()
      }
    }
  }

  final func deliver(_ element: Element) {
    guard termination == nil else { return }
    // The list does not change while it is walked: joining and tidying wait for the owner.
    for index in registrations.indices {
      let registration = registrations[index]
      if registration.context.isActive { registration.observer?.next(element) }
    }
  }

  // MARK: Joining and leaving

  /// Adds an observer; elements whose delivery has begun, or that are queued, are not for it.
  final func subscribe(_ observer: AnyObserver<Element>, in context: SubscriptionContext) {
    let registration = Registration(observer, in: context, of: self)
    context.add(registration)
    send(.join(registration))
  }

  /// Adds an observer that first gets what `snapshot` returns, synchronously, on this thread.
  ///
  /// The snapshot is taken in the same instant in which the place among the emissions is fixed, so
  /// nothing is lost or doubled between the two. If another thread is delivering right now, what it
  /// delivers to the newcomer waits until the replay is over.
  final func subscribe(
    _ observer: AnyObserver<Element>, in context: SubscriptionContext,
    replaying snapshot: () -> [Event<Element>]
  ) {
    let registration = Registration(observer, in: context, of: self)
    context.add(registration)
    var gate: SerializedObserver<Element>?
    let (isOwner, replay) = serializer.claim(
      orQueue: {
        let closed = SerializedObserver(observer)
        closed.hold()
        registration.observer = AnyObserver(next: closed.next, terminate: closed.terminate)
        gate = closed
        return .join(registration)
      },
      recording: snapshot)
    for event in replay where context.isActive { observer.on(event) }
    gate?.resume()
    if isOwner {
      handle(.join(registration))
      leave()
    }
  }

  private func join(_ registration: Registration<Element>) {
    guard registration.context.isActive else {
      _ = registration.release()
      return
    }
    if let termination {
      registration.observer?.terminate(termination)
      _ = registration.release()
      return
    }
    registrations.append(registration)
  }

  /// Called by a registration whose context has ended, on any thread.
  fileprivate final func hasLeft(_ registration: Registration<Element>) {
    departed.add(1, ordering: .relaxed)
    if serializer.isIdle {
      if !registration.release() { hasUnreleased.store(true, ordering: .sequentiallyConsistent) }
      return
    }
    hasUnreleased.store(true, ordering: .sequentiallyConsistent)
    // The owner may have gone before it could see the flag.
    if serializer.isIdle { _ = registration.release() }
  }

  /// Releases and drops everyone who has left. For the owner only.
  private func tidy() {
    hasUnreleased.store(false, ordering: .sequentiallyConsistent)
    departed.store(0, ordering: .relaxed)
    registrations.removeAll { !$0.context.isActive && $0.release() }
  }

  /// Whether enough have left to pay for a walk through the list.
  private var isSparse: Bool {
    departed.load(ordering: .relaxed) > max(8, registrations.count / 2)
  }

  /// Lets go of all observers without a word: for a subject that dies before it has terminated.
  final func abandon() {
    for registration in registrations { _ = registration.release() }
    registrations = []
  }
}

/// One observer in a broadcaster's list.
///
/// Its closures must be released by exactly one of two: the leaver, on whatever thread, or the
/// owner of the serializer. Proof that the leaver may do so when it finds the serializer idle: its
/// context was made inactive before it looked; an owner that enters later looks at the context
/// after entering; all four operations are sequentially consistent, so that owner skips the
/// registration. If both come to it, `claimed` lets one through.
final class Registration<Element>: Disposable, @unchecked Sendable {
  // Proof of @unchecked: `observer` is touched by the owner of the serializer while the context is
  // active, and by the one who set `claimed` afterwards; everything else is immutable or atomic.
  let context: SubscriptionContext
  fileprivate(set) var observer: AnyObserver<Element>?
  private let broadcaster: Broadcaster<Element>
  private let progress = Atomic<Progress>(.joined)

  private enum Progress: UInt8, AtomicRepresentable {
    case joined, claimed, released
  }

  fileprivate init(
    _ observer: AnyObserver<Element>, in context: SubscriptionContext,
    of broadcaster: Broadcaster<Element>
  ) {
    self.observer = observer
    self.context = context
    self.broadcaster = broadcaster
  }

  func dispose() {
    guard progress.load(ordering: .sequentiallyConsistent) == .joined else { return }
    broadcaster.hasLeft(self)
  }

  /// Releases the closures; false if somebody else is about to.
  fileprivate func release() -> Bool {
    let (exchanged, original) = progress.compareExchange(
      expected: .joined, desired: .claimed, ordering: .sequentiallyConsistent)
    guard exchanged else { return original == .released }
    observer = nil
    progress.store(.released, ordering: .sequentiallyConsistent)
    return true
  }
}
