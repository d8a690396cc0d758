import Synchronization

/// What a node knows of one reader.
final class Link: Sendable {
  let reader: Node
  private let dropped = Atomic<Bool>(false)

  init(reader: Node) { self.reader = reader }

  /// The reader does not depend on the node any more. May come from the thread on which its object
  /// dies.
  func drop() { dropped.store(true, ordering: .relaxed) }

  var isInUse: Bool { !dropped.load(ordering: .relaxed) && !reader.hasEnded }
}
