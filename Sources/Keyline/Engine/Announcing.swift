import Synchronization

// Announcing: the notifications that observers with `.prior` receive before a value is stored.

extension Transaction {
  /// The number of observers with `.prior` in the process.
  static let announcedCount = Atomic<Int>(0)

  /// Whether any observer in the process uses `.prior`.
  @inline(__always) static var areAnnouncementsWanted: Bool {
    announcedCount.load(ordering: .relaxed) > 0
  }

  /// Announces a change of `node` and of all nodes that depend on it; in a batch, before the first
  /// store (D34). Sets made by observers of the announcements settle together with the announced
  /// set.
  @inline(never) func announce(_ node: Node) {
    if node.state.contains(.batched) { return }
    depth += 1
    var announced: [Node] = []
    var waiting = [node]
    var visited: Set<ObjectIdentifier> = [ObjectIdentifier(node)]
    while let node = waiting.popLast() {
      if node.isObserved { announced.append(node) }
      for link in node.dependents where link.isInUse {
        if visited.insert(ObjectIdentifier(link.reader)).inserted { waiting.append(link.reader) }
      }
    }
    announced.sort { $0.settles(before: $1) }
    untracked { announced.forEach(announceOne) }
    depth -= 1
  }

  /// A set made by an observer of the announcement belongs to the announced change, and is not
  /// announced again; a computed value is announced once in a batch.
  private func announceOne(_ node: Node) {
    guard !node.state.contains(.announced), let owner = node.owner.object else { return }
    node.state.insert(.announced)
    for observer in node.owner.all(of: node) where observer.context.isActive { observer.announce() }
    if batch.level == 0 || !node.isComputed { node.state.remove(.announced) }
    withExtendedLifetime(owner) {}
  }
}
