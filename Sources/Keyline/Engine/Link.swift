import Synchronization

/// The entry of one reader in the list of a node's dependents.
package final class Link {
  package let reader: Node
  // The place in the list: under the mutex of ``ObjectLife``.
  fileprivate var next: Link?
  /// How many more links may be added in front of this one before the unused ones are swept out.
  fileprivate var room: UInt32 = 0
  private let dropped = Atomic<Bool>(false)

  init(reader: Node) { self.reader = reader }

  /// Ends the reader's dependency on the node. May be called on the thread on which the reader's
  /// object dies.
  func drop() { dropped.store(true, ordering: .relaxed) }

  package var isInUse: Bool { !dropped.load(ordering: .relaxed) && !reader.hasEnded }
}

/// The links of a node to its readers; also an iterator, which takes them out.
package struct LinkList: Sequence, IteratorProtocol {
  private(set) var first: Link?

  var isEmpty: Bool { first == nil }
  /// Whether unused links are to be swept out before another link is added.
  var isFull: Bool { first?.room == 0 }

  mutating func insert(_ link: Link) {
    link.room = first.map { $0.room &- 1 } ?? 3
    link.next = first
    first = link
  }

  package mutating func next() -> Link? {
    defer { first = first?.next }
    return first
  }

  /// Takes out the links that are not in use.
  ///
  /// - Returns: all links, which the caller releases.
  mutating func sweep() -> [Link] {
    let links = Array(self)
    self = LinkList()
    for link in links where link.isInUse { insert(link) }
    // As many may be added: a sweep costs O(1) for each link.
    first?.room = UInt32(links.count)
    return links
  }
}

/// A node that was read, and the version that was read.
package struct Dependency {
  package let node: Node
  let link: Link
  package var version: UInt

  /// Whether the node may have changed, which checking it shows.
  @inline(__always) var canBeChecked: Bool {
    node.mayBeStale && !node.state.contains(.busy) && !node.hasEnded
  }
}

// The links between a node and its readers.
extension Node {
  /// Tells all nodes that depend on this one that a letter waits for its object. Called on any
  /// thread, after the letter has been posted.
  final func flagReaders() {
    var waiting = [self]
    while let node = waiting.popLast() {
      for reader in node.owner.readers(of: node) + [node.whole].compactMap({ $0 })
      where reader.raise(.mailBelow) { waiting.append(reader) }
    }
  }

  /// Adds a dependency on `node`, read at `version`.
  final func depend(on node: Node, version: UInt = 0) {
    if node.dependents.isFull { node.owner.sweepReaders(of: node) }
    let link = Link(reader: self)
    node.owner.link(link, to: node)
    dependencies.append(Dependency(node: node, link: link, version: version))
    // From now on, reads of this node and of all that depend on it look for mail.
    var waiting = node.state.contains(.weak) ? [self] : []
    while let node = waiting.popLast() {
      if !node.state.contains(.weak) { waiting += node.dependents.map(\.reader) }
      node.state.insert(.weak)
    }
  }

  /// Adds the dependencies of this node, which ends, to its readers. A rule may read a view, or an
  /// object, that it makes itself, and goes on to follow the same properties.
  ///
  /// - Isolation: the object may die on any thread; only readers that belong to this one are changed.
  final func bequeath(in transaction: Transaction) {
    let number = transaction.identification?.number ?? transaction.evaluation.number
    let isBeingRead = number > 0 && stamp == number
    // Each with its object, whose death, perhaps on another thread, would end the dependencies of the
    // reader meanwhile.
    let readers = owner.readers(of: self).filter {
      $0.owner.isUsed(in: transaction) && !$0.state.contains(.recordsReads)
    }.compactMap { reader in reader.owner.object.map { (node: reader, owner: $0) } }
    guard isBeingRead || !readers.isEmpty else { return }
    // Ended dependencies are left out, so that a row of values is released in linear time.
    for source in ([self] + parts).flatMap(\.dependencies) where !source.node.hasEnded {
      if isBeingRead { transaction.didRead(source.node) }
      for reader in readers { reader.node.depend(on: source.node, version: source.version) }
    }
    withExtendedLifetime(readers) {}
  }

  /// Ends the dependencies from `index` on.
  final func dropDependencies(from index: Int = 0) {
    // Each is released after its removal, because a node may be the last to retain closures of the
    // program.
    while dependencies.count > index { drop(dependencies.removeLast()) }
  }
}
