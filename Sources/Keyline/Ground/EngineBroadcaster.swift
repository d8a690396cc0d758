import KeylineCore

/// Delivers elements to a list of observers: what subjects, relays and property nodes share.
///
/// It keeps C4 to C8 for them: subscription order for any number of observers, one order for
/// concurrent and re-entrant emissions, joining and leaving at any moment.
///
///     subject ──▶ broadcaster ──▶ context of a subscription ──▶ observer (closures of the chain below)
///                      ▲                     │
///                      └─────────────────────┘
///
/// - Complexity: O(1) amortised to join and to leave; per element, two atomic operations and one
///   call for each observer.
@usableFromInline class EngineBroadcaster<Element>: ObserverList {
  @usableFromInline override init() {}

  // MARK: Emitting

  /// Delivers `element` to all observers that have joined, or queues it during a delivery.
  func next(_ element: Element) {
    guard serializer.enter() else { return send { self.deliverQueued(element) } }
    deliver(element)
    leave()
  }

  /// Delivers an element that had to wait. For the owner only.
  func deliverQueued(_ element: Element) { deliver(element) }

  @inline(__always) final func deliver(_ element: Element) {
    forEachMember { $0.deliver(element) }
  }

  /// Delivers `element` by `around`, which is called for each observer with its place in the order,
  /// its context, and what delivers to it.
  final func deliver(
    _ element: Element, _ around: (Int, EngineContext, () -> Void) -> Void
  ) {
    var number = 0
    forEachMember { member in
      number += 1
      around(number, member.subscription) { member.deliver(element) }
    }
  }

  /// Delivers `element` to one member, in its turn.
  final func next(_ element: Element, to member: EngineContext) {
    perform { if member.isListening { member.deliver(element) } }
  }

  // MARK: Joining

  /// Adds an observer; it does not receive elements whose delivery has begun, or that are queued.
  func subscribe(_ observer: consuming AnyObserver<Element>, in context: EngineContext) {
    context.withMember(of: .passUnretained(self), observer) { member in
      perform { self.join(member) }
    }
  }

  /// Adds a member after `first` has run, which delivers the initial elements to it. It receives
  /// the emissions that `first` causes. For emitters confined to one isolation domain.
  @inline(__always)
  final func subscribe(_ member: EngineContext, after first: () -> Void) {
    let isOwner = serializer.enter()
    if isOwner { isJoining = true } else { send { self.join(member) } }
    first()
    if isOwner {
      isJoining = false
      join(member)
      leave()
    }
  }
}
