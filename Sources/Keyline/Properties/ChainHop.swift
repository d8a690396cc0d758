/// One hop of a chain: `flatMapLatest { $0.map { $0.observe(hop) } ?? .just(nil) }`, fused with the
/// observation it switches to, and with nil in the place of its completion (which is the death of
/// the object).
///
///     upstream   --A--------B-----nil--
///     A.hop        1--2--3
///     B.hop                 4--5
///     downstream --1--2--3--4--5--nil--
///
/// One serializer orders the two sides: an element of a detached object, also one under way, is
/// dropped. Attaching inside the serializer is sound here, where it is not in `flatMapLatest`: the
/// inner sequence is a property, which never emits without end.
@usableFromInline
final class ChainHop<Object: PropertyObservable, Next>: Teardown, @unchecked Sendable {
  // Proof of @unchecked: `current` and `isDisposed` belong to the owner of the serializer.
  fileprivate let path: PropertyPath<Object, Next>
  private let index: Int
  private let downstream: ChainObserver<Next>
  private let serializer = Serializer()
  // Proof of unchecked: the serializer has one owner at a time.
  @exclusivity(unchecked) private var current: Attachment?
  @exclusivity(unchecked) private var isDisposed = false
  private var feedback = FeedbackCounter()
  /// Kept, because looking up a generic class costs more than making one of its objects.
  private let attachmentType: Attachment.Type

  required init(
    _ path: PropertyPath<Object, Next>, _ index: Int, _ downstream: ChainObserver<Next>,
    _ attachmentType: Attachment.Type
  ) {
    (self.path, self.index) = (path, index)
    (self.downstream, self.attachmentType) = (downstream, attachmentType)
  }

  /// Leaves the former object and observes this one.
  func follow(_ object: Object?, _ cause: ChangeCause) {
    let isTold = feedback.admits(
      isCaused: !serializer.isIdle, in: Object.self, "observers of a chain")
    serializer.perform { self.attach(object, cause, isTold: isTold) }
  }

  fileprivate func next(_ value: Next, of attachment: Attachment) {
    let cause: ChangeCause =
      attachment.property?.isAnnouncingDeath == true ? .hopDied(index) : .hopReplaced(index)
    serializer.perform { if attachment === self.current { self.downstream.next(value, cause) } }
  }

  fileprivate func ended(_ attachment: Attachment) { serializer.perform { self.lose(attachment) } }

  @usableFromInline override func dispose() { serializer.perform { self.close() } }

  private func lose(_ attachment: Attachment) {
    guard attachment === current else { return }
    current = nil
    downstream.broken(index == 0 ? .rootDied : .hopDied(index - 1))
  }

  private func close() {
    isDisposed = true
    detach()
  }

  /// - Parameter isTold: whether the chain is told of the value: a loop ends by not being told.
  private func attach(_ object: Object?, _ cause: ChangeCause, isTold: Bool) {
    guard !isDisposed else { return }
    detach()
    guard let object else { return downstream.broken(cause.leadingNowhere(at: index)) }
    let attachment = attachmentType.init(self)
    current = attachment
    path.attach(
      AnyObserver(next: attachment.next, terminate: attachment.terminate), to: object,
      in: attachment, prior: downstream.prior, guess: attachment.settle
    ) { value, property in
      attachment.property = property
      guard isTold else { return }
      downstream.next(value, cause)
      // It is not to die, and break the chain, before the hop follows what has replaced it.
      if property?.isOvertaken == true { serializer.perform { withExtendedLifetime(value) {} } }
    }
  }

  private func detach() {
    let former = current
    current = nil
    (consume former)?.dispose()
  }

  /// The observation of one object.
  @usableFromInline final class Attachment: SubscriptionContext, @unchecked Sendable {
    // Proof of @unchecked: immutable, above its superclass.
    private let hop: ChainHop
    /// The property that the hop is, if it is one.
    /// Proof of unowned(unsafe): used inside the property's own deliveries only, before which it is set.
    @exclusivity(unchecked) fileprivate unowned(unsafe) var property: PropertyNode<Next>?

    required init(_ hop: ChainHop) { self.hop = hop }

    func next(_ value: Next) { hop.next(value, of: self) }

    func terminate(_: (any Error)?) {
      dispose()
      hop.ended(self)
    }

    func settle(
      _ node: PropertyNode<Next>, _ keyPath: AnyKeyPath?, _ observer: AnyObserver<Next>
    ) -> AnyObserver<Next>? {
      hop.path.settle(node, keyPath, observer, in: self)
    }
  }
}
