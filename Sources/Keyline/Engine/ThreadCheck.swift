import Synchronization

extension Diagnostics {
  /// Whether to report two threads that use one object at the same time as `concurrentUse`: once
  /// for each object, naming its class, the property and both operations (P6). On by default in
  /// debug builds of the library, and off in others.
  ///
  /// An object may move between threads, like the object of an actor. It is reported only if a
  /// thread sets or observes one of its properties while another thread is still doing so;
  /// deliveries to observers count as well. Unobserved properties are not checked.
  ///
  /// - Complexity: when on, one lock at the beginning and one at the end of each operation; when
  ///   off, one load.
  public static var checksThreads: Bool {
    get { ThreadCheck.isOn.load(ordering: .relaxed) }
    set {
      ThreadCheck.isOn.store(newValue, ordering: .relaxed)
      // Operations under way would never be removed.
      _ = ThreadCheck.uses.exchange([:])
    }
  }
}

/// Records which thread is using which object.
@usableFromInline enum ThreadCheck {
  @usableFromInline enum Operation: String {
    case set, observe, deliver
  }

  fileprivate struct Use {
    let transaction: UInt
    let operation: Operation
    let node: Node
    /// How many nested operations of the thread are under way.
    var depth = 1
  }

  #if DEBUG
    @usableFromInline static let isOn = Atomic<Bool>(true)
  #else
    @usableFromInline static let isOn = Atomic<Bool>(false)
  #endif
  fileprivate static let uses = Protected<[ObjectIdentifier: Use]>([:])

  /// Records that a thread begins to use the object of `node`; reports another thread that is using
  /// it.
  @inlinable @inline(__always)
  static func begin(_ operation: Operation, _ node: Node, in transaction: Transaction) {
    if isOn.load(ordering: .relaxed) { check(operation, node, in: transaction) }
  }

  /// Records the end of the current operation.
  @inlinable @inline(__always) static func end(_ node: Node, in transaction: Transaction) {
    if isOn.load(ordering: .relaxed) { leave(node, in: transaction) }
  }

  @usableFromInline static func check(
    _ operation: Operation, _ node: Node, in transaction: Transaction
  ) {
    let id = ObjectIdentifier(node.owner)
    let other = uses.withLock { uses in
      guard let use = uses[id] else {
        uses[id] = Use(transaction: transaction.number, operation: operation, node: node)
        return nil as Use?
      }
      if use.transaction == transaction.number {
        uses[id]?.depth += 1
        return nil
      }
      if node.owner.isThreadReported { return nil }
      node.owner.isThreadReported = true
      return use
    }
    guard let other else { return }
    node.report(
      .concurrentUse,
      "a thread began to \(operation.rawValue) it while another one was in the middle of "
        + "\(other.operation.rawValue) on \(other.node.propertyDescription)")
  }

  @usableFromInline static func leave(_ node: Node, in transaction: Transaction) {
    let id = ObjectIdentifier(node.owner)
    uses.withLock { uses in
      guard let use = uses[id], use.transaction == transaction.number else { return }
      if use.depth == 1 { uses[id] = nil } else { uses[id]?.depth -= 1 }
    }
  }
}
