// Batches: collecting the properties that are set, and delivering them at the end.

/// The batches of one thread.
struct Batch {
  /// How many batches are open, nested in each other.
  var level = 0
  /// The properties that the open batch has set, in the order of the first set.
  fileprivate var turns: [(node: Node, take: Transaction.Turn)] = []
  /// The number of the batch being delivered; 0 for none.
  fileprivate(set) var delivered: UInt64 = 0
}

extension Transaction {
  /// Delivers a node at the end of a batch. Made in the client, where the type of the value is known.
  @usableFromInline typealias Turn = (Node, AnyObject, Transaction) -> Void

  /// Lets the open batch deliver `node` at its end.
  @usableFromInline func collect(_ node: __owned Node, _ turn: @escaping Turn) {
    node.state.insert(.collected)
    batch.turns.append((node, turn))
  }

  func endBatch() {
    batch.level -= 1
    guard batch.level == 0, !batch.turns.isEmpty else { return }
    var turns = exchange(&batch.turns, with: [])
    lastEvaluation += 1
    let outer = exchange(&batch.delivered, with: lastEvaluation)
    for (node, _) in turns { node.state.remove(.collected) }
    untracked {
      for (node, take) in turns { if let object = node.owner.object { take(node, object, self) } }
    }
    // For the next batch, which then need not allocate.
    turns.removeAll(keepingCapacity: true)
    if batch.turns.isEmpty { batch.turns = turns }
    batch.delivered = outer
  }
}
