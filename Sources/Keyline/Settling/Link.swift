import Synchronization

/// The entry of one reader in the list of a node's dependents.
final class Link: Sendable {
  let reader: Node
  private let dropped = Atomic<Bool>(false)

  init(reader: Node) { self.reader = reader }

  /// Ends the reader's dependency on the node. May be called on the thread on which the reader's
  /// object dies.
  func drop() { dropped.store(true, ordering: .relaxed) }

  var isInUse: Bool { !dropped.load(ordering: .relaxed) && !reader.hasEnded }
}
