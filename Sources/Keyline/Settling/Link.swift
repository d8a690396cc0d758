import Synchronization

/// The entry of one reader in the list of a node's dependents.
package final class Link: Sendable {
  package let reader: Node
  private let dropped = Atomic<Bool>(false)

  init(reader: Node) { self.reader = reader }

  /// Ends the reader's dependency on the node. May be called on the thread on which the reader's
  /// object dies.
  func drop() { dropped.store(true, ordering: .relaxed) }

  package var isInUse: Bool { !dropped.load(ordering: .relaxed) && !reader.hasEnded }
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

  /// Whether the node is known to be unchanged without checking it.
  @inline(__always) var isCurrent: Bool {
    node.version == version && node.state.isDisjoint(with: [.marked, .outdated, .busy])
  }
}
