import Synchronization

// Announcing: the notifications that observers with `.prior` receive before a value is stored.

extension Node {
  /// Calls `action` before every change, until `context` ends.
  final func announce(in context: SubscriptionContext, _ action: @escaping () -> Void) {
    let announcing = announcements ?? AnnouncingNode(of: self)
    announcements = announcing
    Transaction.announcementCount.wrappingAdd(1, ordering: .relaxed)
    context.add(
      Disposables.create {
        Transaction.announcementCount.wrappingSubtract(1, ordering: .relaxed)
      })
    announcing.add(PropertyObserver(announcing, context, terminate: { _ in }, next: action))
  }
}

/// Delivers the announcements of another node, and stops feedback loops together with that node.
final class AnnouncingNode: PropertyNode<Void>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.
  private unowned let announced: Node

  init(of node: Node) {
    announced = node
    super.init(owner: node.owner, place: node.place)
  }

  override var isAnnouncing: Bool { true }

  func announce(in transaction: Transaction) {
    guard announced.stoppedIn != transaction.settling else { return }
    version &+= 1
    emit((), in: transaction)
  }

  override func mustDropChanges(in transaction: Transaction) -> Bool {
    announced.stoppedIn == transaction.settling && stoppedIn != transaction.settling
  }

  override func stop(in transaction: Transaction) {
    stoppedIn = transaction.settling
    announced.stoppedIn = stoppedIn
    transaction.reportFeedback(of: announced)
  }
}

extension Transaction {
  static let announcementCount = Atomic<Int>(0)

  /// Whether any observer in the process uses `.prior`.
  @inline(__always) static var areAnnouncementsWanted: Bool {
    announcementCount.load(ordering: .relaxed) > 0
  }

  /// Announces a change of `node` and of all nodes that depend on it; in a batch, before the first
  /// store (D34). Sets made by observers of the announcements settle together with the announced
  /// set.
  @inline(never) func announce(_ node: Node) {
    if node.delivery.contains(.batched) { return }
    depth += 1
    var announced: [Node] = []
    var waiting = [node]
    var visited: Set<ObjectIdentifier> = [ObjectIdentifier(node)]
    while let node = waiting.popLast() {
      if node.announcements != nil { announced.append(node) }
      for link in node.dependents where link.isInUse {
        if visited.insert(ObjectIdentifier(link.reader)).inserted { waiting.append(link.reader) }
      }
    }
    announced.sort { $0.order < $1.order }
    untracked { for node in announced { announceOne(node) } }
    depth -= 1
  }

  private func announceOne(_ node: Node) {
    guard let announcements = node.announcements else { return }
    if batchLevel > 0 {
      // Once per batch. A set made by an observer of an announcement belongs to the announced
      // change (D34).
      if announcements.delivery.contains(.underWay) || node.delivery.contains(.announced) { return }
      if node.isComputed { node.delivery.insert(.announced) }
    }
    announcements.announce(in: self)
  }
}
