import KeylineCore
import Synchronization

/// Whether a context stands in the list of a broadcaster, and who releases the observer there.
enum Membership: UInt8, AtomicRepresentable {
  case free, joined, claimed, released
}

/// Room for the observer in a broadcaster's list, as part of a subscription's context.
///
/// A context has room for one, which its first broadcaster takes: most subscriptions have no other,
/// and so are one object. The room is made for `Never`, and the broadcaster whose list the context
/// stands in uses it for its own elements: no type of a member needs to be looked up.
@usableFromInline class ObserverSlot<Element>: EngineItem, @unchecked Sendable {
  // Proof of @unchecked: the owner of the list's serializer uses it while the context is active, and
  // the thread that has claimed it afterwards; see below.
  // Proof of unchecked: no foreign code runs during an access to it.
  @exclusivity(unchecked) fileprivate final var observer: AnyObserver<Element>?

  /// Calls the observer, which is taken out meanwhile: to keep it alive in its place would cost
  /// retains and releases. It is not needed there: deliveries do not nest, and a member that leaves
  /// during one leaves its observer to the owner.
  @inline(__always) fileprivate final func deliver(_ element: Element) {
    guard let observer else { return }
    self.observer = nil
    observer.next(element)
    self.observer = observer
  }
}

// The observer must be released by exactly one of two: the leaver, on whatever thread, or the owner
// of the serializer. Proof that the leaver may do so when it finds the serializer idle: its context
// was made inactive before it looked; an owner that enters later looks at the context after entering;
// all four operations are sequentially consistent, so that owner skips the member. If both try to,
// `claimed` admits one.
extension EngineContext {
  /// Calls `body` with a member of `list`, for `observer`, that leaves with the subscription: this
  /// context itself, the first time. It is to join.
  @inline(__always) final func withMember<Element>(
    of list: Unmanaged<ObserverList>, _ observer: consuming AnyObserver<Element>,
    _ body: (EngineContext) -> Void
  ) {
    let further = becomeMember(of: list, observer)
    // Proof of Unmanaged: the caller retains this context, and the other one is retained here. The
    // teardown may release it at any time.
    let member = further.map { Unmanaged.passUnretained($0) } ?? .passUnretained(self)
    member._withUnsafeGuaranteedRef { body($0) }
    withExtendedLifetime(further) {}
  }

  /// - Returns: another context that is a member instead, if this one is a member already.
  @inline(__always) private func becomeMember<Element>(
    of list: Unmanaged<ObserverList>, _ observer: consuming AnyObserver<Element>
  ) -> EngineContext? {
    let isFree = membership.compareExchange(
      expected: .free, desired: .joined, ordering: .relaxed
    ).exchanged
    guard isFree else { return furtherMember(of: list, observer) }
    list._withUnsafeGuaranteedRef { $0.willJoin() }
    self.list = list.retain()
    store(observer)
    markAsMember()
    return nil
  }

  @inline(never) private func furtherMember<Element>(
    of list: Unmanaged<ObserverList>, _ observer: AnyObserver<Element>
  ) -> EngineContext {
    let member = EngineContext(for: self)
    push(member)
    _ = member.becomeMember(of: list, observer)
    return member
  }

  /// The subscription whose member it is.
  @inline(__always) final var subscription: EngineContext {
    outer?.takeUnretainedValue() ?? self
  }

  /// Whether elements may still be delivered to its observer.
  @inline(__always) final var isListening: Bool {
    isActive && outer?._withUnsafeGuaranteedRef { $0.isActive } != false
  }

  /// The room for an observer of other elements.
  ///
  /// Proof of fromOpaque: closures of a generic struct are stored alike for all types, so the object
  /// is laid out alike; and whoever fills the room is the one who uses it.
  @inline(__always) private func slot<Element>() -> Unmanaged<ObserverSlot<Element>> {
    .fromOpaque(Unmanaged.passUnretained(self).toOpaque())
  }

  /// Delivers `element` to its observer. For the owner of the list, while it is listening.
  @inline(__always) final func deliver<Element>(_ element: Element) {
    let slot: Unmanaged<ObserverSlot<Element>> = slot()
    slot._withUnsafeGuaranteedRef { $0.deliver(element) }
  }

  /// Stores the observer, before it joins.
  @inline(__always) final func store<Element>(_ observer: consuming AnyObserver<Element>) {
    // As `slot()`, without a closure, which would copy what it captures.
    unsafeBitCast(self, to: ObserverSlot<Element>.self).observer = observer
  }

  /// Releases the observer; false if another thread is about to.
  final func releaseObserver() -> Bool {
    let (exchanged, original) = membership.compareExchange(
      expected: .joined, desired: .claimed, ordering: .sequentiallyConsistent)
    guard exchanged else { return original == .released }
    dropObserver()
    membership.store(.released, ordering: .releasing)
    return true
  }

  // Not inlined, the next two: the optimiser need not know that the room of `Never` is the other.

  /// For the owner of the list, while it is listening.
  @inline(never) final func terminateObserver(_ error: (any Error)?) {
    observer?.terminate(error)
  }

  /// For the one who has claimed it.
  @inline(never) private func dropObserver() { observer = nil }
}
