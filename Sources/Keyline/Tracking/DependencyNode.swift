import KeylineCore
import Synchronization

// Tracking: what reads what, and when it is brought up to date.
//
// A *node* is what can be read: a stored property, a derived one, or state reported by `access(_:)`. A
// *computation* is an expression kept up to date. A *dependency* joins the two, with the node's
// version as it was read. A set marks: the readers of the node join the agenda of the thread's
// scope. When the scope closes, each marked computation compares versions and, if one is newer,
// evaluates and delivers once.
//
//     set ──▶ node.version += 1 ──▶ readers ──▶ agenda ──▶ scope closes ──▶ evaluate ──▶ deliver

/// What can be read: the version of a value, and the computations that have read it.
///
/// - Isolation: confined, with the object that owns it. Disposal of a computation on another thread
///   leaves its dependencies in the list, to be removed here later (``Computation``). The referent
///   of a weak property may die on any thread: the list of such a node is behind a lock.
@usableFromInline class DependencyNode {
  /// Changes with every change. Atomic for the deaths of weak referents; versions only grow.
  private let changes = Atomic<UInt>(0)
  /// The dependencies of the computations that have read it: a list that the node owns.
  // Proof of unchecked: confined, or under `lock`.
  @exclusivity(unchecked) private var readers: UnsafeMutablePointer<Dependency>?
  @exclusivity(unchecked) private var count: UInt32 = 0
  /// How many of them belong to computations that have been disposed.
  private let stale = Atomic<UInt32>(0)
  /// The evaluation that has read it last; meanwhile, a former dependency on it.
  @exclusivity(unchecked) @usableFromInline final var evaluation: UInt = 0
  /// Held around every use of the list, if that is not confined.
  @exclusivity(unchecked) final var lock: DependencyLock?

  /// What keeps the value up to date, if that is a derived one.
  // Proof of Unmanaged: retained by the node as long as that lives.
  @exclusivity(unchecked) final private(set) var derivation: Unmanaged<DerivedComputation>?

  /// Whether its owner has died.
  @exclusivity(unchecked) final var hasEnded = false

  /// Whether it is known which property it is.
  @exclusivity(unchecked) final var isIdentified = false

  /// Whether a set has to pass rules, or is announced.
  // Proof of unchecked: confined.
  @exclusivity(unchecked) @usableFromInline final var isGuarded = false

  init() {}

  /// Makes it the node of a derived value.
  final func derive(by derivation: DerivedComputation) {
    self.derivation = .passRetained(derivation)
  }

  final var version: UInt { changes.load(ordering: .relaxed) }

  /// The type of the value.
  var valueType: ObjectIdentifier { ObjectIdentifier(Never.self) }

  /// The object that has it. To be read only while that is known to be alive; that of a weak property
  /// with a referent is nil once it is not.
  var owner: AnyObject? { nil }

  /// Whether `object`, which is alive, has it.
  func isNode(of object: AnyObject) -> Bool { owner === object }

  /// Whether the property is weak.
  final var isWeak: Bool { lock != nil }

  /// Whether an object that is the value is retained by it.
  final var retainsValue: Bool { !isWeak && derivation == nil }

  /// Whether the death of the object that it refers to is being delivered.
  var isDeliveringDeath: Bool { false }

  /// The version of the value that observers are called with, or have been.
  var deliveredVersion: UInt { version }

  /// Whether the value being delivered was set during the delivery of another one.
  var isRedelivering: Bool { false }

  /// Whether another value has been set since the one that is being delivered.
  var isOvertaken: Bool { false }

  /// The subscriptions that observe the values themselves, in order.
  var observerContexts: [EngineContext] { [] }

  /// The computations that have read it, the earliest first, for inspection.
  final var readingComputations: [Computation] {
    var result: [Computation] = []
    withReaders {
      var link = readers
      while let dependency = link {
        result.append(dependency.pointee.computation.takeUnretainedValue())
        link = dependency.pointee.next
      }
    }
    return result.reversed().filter { !$0.isEnding }
  }

  /// The owner, unless it is dying or dead.
  final var livingOwner: AnyObject? {
    guard !hasEnded, let owner else { return nil }
    return WeakReference(owner).retained()?.takeRetainedValue()
  }

  /// `Person.name`, unless the owner is dying or dead.
  final var livingName: String? {
    livingOwner.map { "\(type(of: $0)).\(name ?? "elements")" }
  }

  /// The name of the property, for reports.
  var name: String? { nil }

  /// Whether observers of the value are being called.
  var isDelivering: Bool { false }

  /// Whether a change is being delivered, or waits for that: not if somebody is joining only.
  var isDeliveringChange: Bool { false }

  /// `Person.name`, for reports.
  var description: String { "" }

  /// Leaves the death of the object that it refers to to the end of the batch that is open, if one is.
  func collectDeath(in scope: UnsafeMutablePointer<ThreadScope>) {}

  /// Whether it has been set in a batch that has not been delivered yet.
  var isPending: Bool { false }

  /// Drops the pending change if the value is the one before the batch (D31).
  func resolvePendingChange() {}

  /// Delivers the pending change, if there is one still.
  func deliverPendingChange() {}

  /// Delivers completion to what observes it, and releases that.
  func complete() {}

  /// Calls `action` before every set, until `context` ends.
  func beforeEach(in context: EngineContext, _ action: @escaping () -> Void) {}

  /// Records a change, and marks what has read it for settling.
  @inline(__always) final func change(in scope: UnsafeMutablePointer<ThreadScope>) {
    scope.pointee.changes &+= 1
    // Not an atomic addition, which costs ten times as much: a death on another thread meanwhile is
    // a change as well, and leaves the version a different one.
    changes.store(changes.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    if readers != nil { mark(in: scope) { _ in true } }
  }

  /// Records that a derived value is another one. Its readers have been marked already.
  final func changeByEvaluation() {
    changes.store(changes.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  /// Marks a derived value, and what has read it.
  final func mark(_ derivation: DerivedComputation, in scope: UnsafeMutablePointer<ThreadScope>) {
    derivation.mark(in: scope)
    markMarked(in: scope)
  }

  /// Whether any computation has read it.
  final var hasReaders: Bool { readers != nil }

  /// Records the death of the object that a weak property refers to, on whatever thread.
  ///
  /// A computation that another thread has evaluated last belongs to that thread, which evaluates
  /// it with the next change of anything it has read; a derived value, when it is read.
  final func changeByDeath(in scope: UnsafeMutablePointer<ThreadScope>) {
    changes.wrappingAdd(1, ordering: .relaxed)
    scope.pointee.changes &+= 1
    mark(in: scope) { $0.isEvaluated(in: scope) }
  }

  /// Marks the readers, and what has read them: iteratively, without foreign code.
  @inline(never) private func mark(
    in scope: UnsafeMutablePointer<ThreadScope>, where isIncluded: (Computation) -> Bool
  ) {
    markOwnReaders(in: scope, where: isIncluded)
    // Nothing else has readers of its own.
    if scope.isMarking { markMarked(in: scope) }
  }

  private func markMarked(in scope: UnsafeMutablePointer<ThreadScope>) {
    while let node = scope.pointee.marked.popLast() {
      node._withUnsafeGuaranteedRef { $0.markOwnReaders(in: scope) { _ in true } }
    }
    scope.endMarking()
  }

  @inline(__always) private func markOwnReaders(
    in scope: UnsafeMutablePointer<ThreadScope>, where isIncluded: (Computation) -> Bool
  ) {
    withReaders {
      var link = readers
      while let dependency = link {
        link = dependency.pointee.next
        dependency.pointee.computation._withUnsafeGuaranteedRef { computation in
          if computation.isReleased {
            remove(dependency)
          } else if isIncluded(computation) {
            if !computation.isMarked { computation.mark(in: scope) }
          } else {
            computation.markByDeathElsewhere()
          }
        }
      }
    }
  }

  /// Lets what has read the value as of `version` count as having read the current one.
  final func renewDependencies(of version: UInt) {
    withReaders {
      var link = readers
      while let dependency = link {
        if dependency.pointee.version == version { dependency.pointee.version = self.version }
        link = dependency.pointee.next
      }
    }
  }

  /// Adds a dependency of `computation`, as of `version`.
  final func add(
    _ computation: Computation, version: UInt
  ) -> UnsafeMutablePointer<Dependency> {
    let dependency = UnsafeMutablePointer<Dependency>.allocate(capacity: 1)
    withReaders {
      if stale.load(ordering: .relaxed) > max(8, count / 2) { removeStale() }
      dependency.initialize(
        to: Dependency(
          computation: .passRetained(computation), nodeReference: .passRetained(self),
          version: version, next: readers))
      readers?.pointee.previous = dependency
      readers = dependency
      count += 1
    }
    return dependency
  }

  /// Removes a dependency, on behalf of its computation.
  final func drop(_ dependency: UnsafeMutablePointer<Dependency>) {
    withReaders { unlink(dependency) }
    dependency.pointee.computation.release()
    dependency.deallocate()
    Unmanaged.passUnretained(self).release()
  }

  /// Called for each dependency of a computation that has been disposed, on any thread.
  final func willLeaveStale() { stale.wrappingAdd(1, ordering: .relaxed) }

  private func removeStale() {
    var link = readers
    while let dependency = link {
      link = dependency.pointee.next
      if dependency.pointee.computation._withUnsafeGuaranteedRef({ $0.isReleased }) {
        remove(dependency)
      }
    }
  }

  /// Removes the dependency of a computation that has released its side.
  private func remove(_ dependency: UnsafeMutablePointer<Dependency>) {
    unlink(dependency)
    stale.wrappingSubtract(1, ordering: .relaxed)
    dependency.pointee.computation.release()
    dependency.deallocate()
  }

  private func unlink(_ dependency: UnsafeMutablePointer<Dependency>) {
    let (next, previous) = (dependency.pointee.next, dependency.pointee.previous)
    next?.pointee.previous = previous
    if let previous {
      previous.pointee.next = next
    } else {
      readers = next
    }
    count -= 1
  }

  private func withReaders(_ body: () -> Void) {
    guard let lock else { return body() }
    lock.withLock(body)
  }

  // Dependencies that are left are of computations that have released their side: the others retain
  // the node.
  deinit {
    derivation?._withUnsafeGuaranteedRef { $0.dispose() }
    derivation?.release()
    while let dependency = readers { remove(dependency) }
  }
}

/// A mutex of its own, for nodes that may change on two threads; a subclass is what changes them.
class DependencyLock {
  private let mutex = Protected<Void>(())

  final func withLock(_ body: () -> Void) { mutex.withLock { _ in body() } }
}

/// What joins a node and a computation that has read it.
///
/// In raw memory, so that walking a list of these touches no reference count. The node's list owns
/// the memory and a reference to the computation; the computation owns a reference to the node.
struct Dependency {
  // Proof of Unmanaged: retained when the dependency is made, released when it is removed.
  let computation: Unmanaged<Computation>
  fileprivate(set) var nodeReference: Unmanaged<DependencyNode>
  var version: UInt
  fileprivate var next: UnsafeMutablePointer<Dependency>?
  fileprivate var previous: UnsafeMutablePointer<Dependency>?

  fileprivate init(
    computation: Unmanaged<Computation>, nodeReference: Unmanaged<DependencyNode>, version: UInt,
    next: UnsafeMutablePointer<Dependency>?
  ) {
    self.computation = computation
    self.nodeReference = nodeReference
    self.version = version
    self.next = next
  }

  /// The node. For the computation, as long as it has not released its side.
  var node: DependencyNode { nodeReference._withUnsafeGuaranteedRef { $0 } }

  /// What keeps the node's value up to date, if that is a derived one.
  @inline(__always) var derivation: Unmanaged<DerivedComputation>? {
    nodeReference._withUnsafeGuaranteedRef { $0.derivation }
  }

  /// Whether the node has changed since it was read.
  var isOutdated: Bool { nodeReference._withUnsafeGuaranteedRef { $0.version != version } }
}

// While a computation replaces its dependencies, each former one is stored in its node, in place of
// the evaluation that has read that last. The highest bit tells them apart: it is never set in the
// number of an evaluation, nor in an address.
extension UnsafeMutablePointer<Dependency> {
  private static let former: UInt = 1 << (UInt.bitWidth - 1)

  /// Where several depend on one node, the last of them is stored.
  func markAsFormer() {
    pointee.version = .max
    pointee.node.evaluation = UInt(bitPattern: self) | Self.former
  }

  /// Whether it is a former one that has not been taken.
  var isFormer: Bool { pointee.version == .max }

  /// The former dependency on `node`, once, from now on as of `version`.
  static func takeFormer(on node: DependencyNode, version: UInt) -> Self? {
    let bits = node.evaluation
    guard bits & former != 0, let taken = Self(bitPattern: bits & ~former) else { return nil }
    node.evaluation = 0
    taken.pointee.version = version
    return taken
  }
}
