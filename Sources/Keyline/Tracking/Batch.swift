import KeylineCore
import Synchronization

/// Delivers what `body` sets when it is through: each property once, from the oldest value to the
/// newest.
///
/// ```swift
/// batchUpdates {
///   order.quantity = 3
///   order.price = 20
/// }   // observers of either are called here, and `\.total` is evaluated once
/// ```
///
/// Reads inside are fresh, computed ones as well. Laws of batches, tested under these numbers:
/// - D30. One delivery per property at the end.
/// - D31. A property that is back at its former value (`==`; objects by identity) counts as not set.
///   A collection whose first change in the batch is one in place counts as changed, because
///   comparing would copy it.
/// - D32. A batch inside a batch is part of it. One inside an observer ends by itself; what is
///   computed waits for the outermost set.
/// - D33. A throw delivers what was set, and goes on to the caller. Nothing is rolled back.
/// - D34. `observeChanges` has one change, with one announcement (`.prior`), before the first store.
/// - D35. Observers of a property are called in subscription order, properties in the order of the
///   first set.
/// - D36. An observer that is subscribed inside receives the value there is, and then only what is
///   set later; one that is disposed inside receives nothing more. A batch retains no object: one
///   that dies inside completes, without a value.
/// - D37. A chain emits once, also if a hop has been replaced and the leaf set; not at all if it
///   leads where it led.
/// - D38. Bindings write once, at the end. If both ends of a two-way binding were set, the source
///   wins.
/// - D39. An ``ObservableArray`` emits all its edits at once, in order, neither merged nor compared.
/// - D40. `values(of:)` has exactly what an observer has.
/// - D41. A batch is its thread's own: what other threads set is in none of it.
///
/// - Timing: synchronous.
/// - Errors: those that `body` throws.
/// - Complexity: O(1) for each set, and O(readers) for each property that is back at its value.
/// - SeeAlso: `batch` of the signal libraries; MobX's `runInAction`.
@inlinable @discardableResult
public func batchUpdates<Result>(_ body: () throws -> Result) rethrows -> Result {
  guard let batch = OpenBatch() else { return try body() }
  defer { batch.end() }
  return try body()
}

/// The batch that the program has opened.
@usableFromInline struct OpenBatch {
  private let scope: UnsafeMutablePointer<ThreadScope>
  private let start: Int
  // Proof of Unmanaged: retained until the end.
  private let entry: Unmanaged<TraceNode>?

  /// Nil inside another one.
  @usableFromInline init?() {
    scope = ThreadScope.ofThread
    guard !scope.pointee.batch.isOpen else { return nil }
    entry = _slowPath(scope.pointee.batch.isTraced) ? scope.beginRecordedBatch() : nil
    scope.open()
    start = scope.beginBatch()
    scope.pointee.batch.isExplicit = true
  }

  @usableFromInline func end() {
    scope.pointee.batch.isExplicit = false
    scope.endBatch(from: start)
    scope.close()
    if let entry { Self.end(entry) }
  }

  // Out of line: then a batch that is not recorded keeps nothing for it in registers.
  @inline(never) private static func end(_ entry: Unmanaged<TraceNode>) {
    entry.takeRetainedValue().end()
  }
}

/// What the batches of one thread have changed: the open one, and around it those whose observers
/// have opened it.
struct Batch {
  /// Whether sets are collected.
  fileprivate(set) var isOpen = false
  /// Whether the program has opened it, and not the evaluation of a rule.
  fileprivate(set) var isExplicit = false
  /// How many batches are open, or being delivered; the highest bit is `isTraced`.
  private var state: UInt = 0
  /// Each property once, in the order of the first set.
  // Proof of Unmanaged: retained when it is appended, released when it is removed.
  private var changed = UnsafeStack<Unmanaged<DependencyNode>>()
  /// What comes after the deliveries.
  private var followUps: [() -> Void] = []

  /// Whether any program's thread has ever opened one: cheaper to test than this thread's.
  private static let hasBeenUsed = Atomic<Bool>(false)

  /// Whether this thread is in a batch, or delivers one.
  @inline(__always) static var isActiveOnThread: Bool {
    hasBeenUsed.load(ordering: .relaxed) && ThreadScope.ofThread.pointee.batch.isActive
  }

  private static let traced: UInt = 1 << 63

  /// How many batches are open, or being delivered.
  var depth: Int { Int(state & ~Self.traced) }

  /// Whether a batch is open, or being delivered.
  @inline(__always) var isActive: Bool { depth > 0 }

  /// Whether what the thread does is recorded.
  var isTraced: Bool {
    get { state >= Self.traced }
    set { state = newValue ? state | Self.traced : state & ~Self.traced }
  }

  /// Whether a set may have to do something else than to deliver: one test for both.
  @inline(__always) var isActiveOrTraced: Bool { state > 0 }

  fileprivate var count: Int { changed.count }

  fileprivate var hasFollowUps: Bool { !followUps.isEmpty }

  /// Adds a property that has been set for the first time.
  mutating func append(_ node: DependencyNode) { changed.append(.passRetained(node)) }

  /// Does `work` when what has been set is delivered.
  mutating func finally(_ work: @escaping () -> Void) { followUps.append(work) }

  fileprivate mutating func begin() {
    if !Self.hasBeenUsed.load(ordering: .relaxed) {
      Self.hasBeenUsed.store(true, ordering: .relaxed)
    }
    state &+= 1
    isOpen = true
  }

  fileprivate func node(_ index: Int) -> Unmanaged<DependencyNode> { changed[index] }

  fileprivate mutating func takeFollowUps() -> [() -> Void] {
    defer { followUps = [] }
    return followUps
  }

  fileprivate mutating func takeLast() -> Unmanaged<DependencyNode>? { changed.popLast() }

  fileprivate mutating func end() { state &-= 1 }

  func deallocate() { changed.deallocate() }

  fileprivate mutating func close() { isOpen = false }
}

// Methods of the pointer: a mutating method of the value would claim it while foreign code runs.
extension UnsafeMutablePointer<ThreadScope> {
  @inline(never) fileprivate func beginRecordedBatch() -> Unmanaged<TraceNode>? {
    (trace?.begin(.batch, "", "")).map { .passRetained($0) }
  }

  /// - Returns: what `endBatch(from:)` takes.
  @inline(__always) func beginBatch() -> Int {
    pointee.batch.begin()
    return pointee.batch.count
  }

  @inline(__always) func endBatch(from start: Int) {
    pointee.batch.close()
    if start < pointee.batch.count || pointee.batch.hasFollowUps { deliverBatch(from: start) }
    pointee.batch.end()
  }

  @inline(never) private func deliverBatch(from start: Int) {
    let outer = pointee.evaluation
    pointee.evaluation = nil
    // Taken out before a batch that an observer opens, or an evaluation, ends.
    let followUps = pointee.batch.takeFollowUps()
    // Such a batch appends behind, and removes what it has appended.
    let count = pointee.batch.count
    for index in start..<count {
      pointee.batch.node(index)._withUnsafeGuaranteedRef { $0.resolvePendingChange() }
    }
    for index in start..<count {
      pointee.batch.node(index)._withUnsafeGuaranteedRef { $0.deliverPendingChange() }
    }
    while pointee.batch.count > start { pointee.batch.takeLast()?.release() }
    for work in followUps { work() }
    pointee.evaluation = outer
  }
}
