// Batches: collecting the properties that are set, and delivering them at the end.

/// The batches of one thread.
struct Batch {
  /// How many batches are open, nested in each other.
  var level = 0
  /// The properties that the open batch has set, in the order of the first set, after those that are
  /// being delivered.
  fileprivate var nodes: [Node] = []
  /// How many of them are being delivered.
  fileprivate var deliveredCount = 0
  /// The number of the batch being delivered; 0 for none.
  fileprivate(set) var delivered: UInt64 = 0
}

extension Transaction {
  func performBatch<Result>(_ body: () throws -> Result) rethrows -> Result {
    Instrumentation.enter(.batch)
    defer { Instrumentation.leave() }
    return try perform {
      batch.level += 1
      defer { endBatch() }
      return try body()
    }
  }

  /// Lets the open batch deliver `node` at its end.
  @usableFromInline func collect(_ node: __owned Node) {
    node.state.insert(.collected)
    batch.nodes.append(node)
  }

  func endBatch() {
    batch.level -= 1
    guard batch.level == 0, batch.nodes.count > batch.deliveredCount else { return }
    let (outer, start, end) = (batch.delivered, batch.deliveredCount, batch.nodes.count)
    lastEvaluation += 1
    batch.delivered = lastEvaluation
    // A batch inside an observer appends its properties, and removes them at its end.
    batch.deliveredCount = end
    for index in start..<end { batch.nodes[index].state.remove(.collected) }
    untracked {
      for index in start..<end {
        let node = batch.nodes[index]
        guard let object = node.owner.object else { continue }
        node.deliverCollected(of: object, in: self)
      }
    }
    while batch.nodes.count > start { _ = batch.nodes.removeLast() }
    batch.deliveredCount = start
    batch.delivered = outer
  }
}
