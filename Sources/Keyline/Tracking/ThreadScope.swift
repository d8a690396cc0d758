import KeylineCore
import Synchronization

/// What one thread is doing with properties: the scope of its outermost set, what that has
/// outdated, and the evaluation under way.
///
/// The outermost set, in-place mutation or batch on a thread is the *scope*. Observers of stored
/// properties are called at once; computations that have read something set meanwhile are only
/// marked, and *settle* when the scope closes (P4):
///
///     open ── set ── mark ── deliver to observers of the stored property ── close
///                     │                                                       │ outermost
///                     ▼                                                       ▼
///                  agenda ◀── marked by what observers set ── evaluate once, deliver once, repeat
///
/// - Isolation: a thread's own; the pointer does not leave it.
/// - Complexity: one look-up of a thread-local pointer per observed set.
struct ThreadScope: ~Copyable {
  /// How many sets, mutations, batches and deaths are open, one inside the other.
  fileprivate var depth = 0
  /// The evaluation that reads are reported to; nil if none is under way.
  var evaluation: UnsafeMutablePointer<Evaluation>?
  /// How many evaluations are under way, one inside the other, tracked or not.
  var tracking = 0
  /// How many times something that can be read has changed on this thread.
  var changes: UInt = 0
  /// The owner of the property that the outermost set is of.
  fileprivate(set) var owner: UnsafeRawPointer?
  fileprivate var evaluations: UInt
  /// Records of evaluations, used again, and how many of them are in use.
  var evaluationPool: ContiguousArray<UnsafeMutablePointer<Evaluation>> = []
  var openEvaluations = 0
  var batch = Batch()
  fileprivate var agenda = Agenda()
  fileprivate var postponed = PostponedWrites()
  /// Whether something waits for the scope to close.
  fileprivate var hasWork = false
  /// Whether derived values are being marked, of objects that may die on other threads.
  fileprivate let isMarking = Atomic<Bool>(false)
  /// Derived values whose readers are to be marked.
  var marked = UnsafeStack<Unmanaged<DependencyNode>>()
  /// Derived values that are being checked, one because of the other.
  var checks = UnsafeStack<DerivedCheck>()
  /// Derived values that are being evaluated, one inside the other.
  var rules = UnsafeStack<Unmanaged<DerivedComputation>>()
  /// Derived values that are outdated, unobserved, and retain objects (D14).
  fileprivate var unused: ContiguousArray<DerivedComputation> = []
  /// What comes after everything else, in order.
  fileprivate var endings = Queue<() -> Void>()
  /// Objects that have ended inside the scope and may still be in use there.
  fileprivate var kept: [AnyObject] = []

  /// How many nested sets are deep.
  fileprivate static let deep = 64
  /// How many threads are that deep.
  fileprivate static let deepThreads = Atomic<Int>(0)

  /// Whether any thread is deep: cheaper to test than this one.
  @inline(__always) static var isAnyDeep: Bool { deepThreads.load(ordering: .relaxed) > 0 }

  /// A round of postponed writes, in one outermost scope.
  struct Round: Equatable {
    let scope: UInt
    let number: Int
  }

  private static let current = ThreadKey(destroy: { pointer in
    let scope = pointer.assumingMemoryBound(to: ThreadScope.self)
    all.withLock { $0.removeAll { $0 == scope } }
    for evaluation in scope.pointee.evaluationPool {
      evaluation.deinitialize(count: 1)
      evaluation.deallocate()
    }
    scope.pointee.agenda.deallocate()
    scope.pointee.batch.deallocate()
    scope.pointee.marked.deallocate()
    scope.pointee.checks.deallocate()
    scope.pointee.rules.deallocate()
    scope.deinitialize(count: 1)
    scope.deallocate()
  })

  /// Of all threads.
  // Proof: the list is touched under the lock only, and what it points to is removed
  // before it is deallocated.
  private static let all = Protected<[UnsafeMutablePointer<ThreadScope>]>([])

  /// Waits until no thread marks what it has found before: nodes of an object that has died can be
  /// released then (D23). Marking is short, and no foreign code.
  static func awaitMarking() {
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    all.withLock { scopes in
      for scope in scopes {
        while scope.pointee.isMarking.load(ordering: .sequentiallyConsistent) {}
      }
    }
  }

  private static let threads = Atomic<UInt>(0)

  private init() {
    // The upper bits are the thread's: stamps of different threads differ.
    evaluations = Self.threads.wrappingAdd(1, ordering: .relaxed).newValue << 40
  }

  /// The scope of this thread.
  @inline(__always) static var ofThread: UnsafeMutablePointer<ThreadScope> {
    let number = keyNumber.load(ordering: .relaxed)
    guard number != 0, let pointer = ThreadKey.pointer(number: number) else { return make() }
    // Proof: only `make` puts a pointer there, and the thread's end frees what it points to.
    return pointer.assumingMemoryBound(to: ThreadScope.self)
  }

  /// That of `current`, once it has been made: reading a lazy variable costs more than the look-up.
  private static let keyNumber = Atomic<UInt>(0)

  @inline(never) private static func make() -> UnsafeMutablePointer<ThreadScope> {
    let made = UnsafeMutablePointer<ThreadScope>.allocate(capacity: 1)
    made.initialize(to: ThreadScope())
    keyNumber.store(current.number, ordering: .relaxed)
    current.pointer = UnsafeMutableRawPointer(made)
    all.withLock { $0.append(made) }
    return made
  }
}

// Methods of the pointer: a mutating method of the value would claim it while foreign code runs.
extension UnsafeMutablePointer<ThreadScope> {
  @inline(__always) func open(for owner: UnsafeRawPointer? = nil) {
    if pointee.depth == 0 { pointee.owner = owner }
    pointee.depth &+= 1
    if _slowPath(pointee.depth == ThreadScope.deep) {
      ThreadScope.deepThreads.wrappingAdd(1, ordering: .relaxed)
    }
  }

  @inline(__always) func close() {
    if pointee.depth == 1, pointee.hasWork { settle() }
    if _slowPath(pointee.depth == ThreadScope.deep) {
      ThreadScope.deepThreads.wrappingSubtract(1, ordering: .relaxed)
    }
    pointee.depth &-= 1
  }

  /// Whether a set, a mutation, a batch or a death is under way.
  var isOpen: Bool { pointee.depth > 0 }

  /// Whether what is open is inside another set, or a batch.
  @inline(__always) var isNested: Bool { pointee.depth > 1 }

  /// Settles when the scope closes, also if nothing is outdated then.
  func settleAtClose() { pointee.hasWork = true }

  /// Whether so many sets are nested that further ones should wait.
  var isDeep: Bool { pointee.depth >= ThreadScope.deep }

  /// Opens the scope around `body`.
  func within<Result>(_ body: () throws -> Result) rethrows -> Result {
    open()
    defer { close() }
    return try body()
  }

  /// A number that no other evaluation has.
  func nextEvaluation() -> UInt {
    pointee.evaluations &+= 1
    return pointee.evaluations
  }

  /// Retains `object` until the outermost scope closes.
  func keep(_ object: AnyObject) {
    guard isOpen else { return }
    pointee.kept.append(object)
    pointee.hasWork = true
  }

  /// Adds `computation` to the agenda: it is brought up to date when the scope closes.
  @inline(__always) func add(_ computation: Computation) {
    guard pointee.agenda.add(computation) else {
      if _slowPath(!computation.isQueued) { computation.leaveOut() }
      return
    }
    pointee.hasWork = true
  }

  /// Releases the value of `derivation` when the scope closes, if that is outdated then.
  func release(valueOf derivation: DerivedComputation) {
    pointee.unused.append(derivation)
    pointee.hasWork = true
  }

  /// From here to `endMarking()`, derived nodes that have not been released stay alive.
  @inline(__always) func beginMarking() {
    guard !isMarking else { return }
    pointee.isMarking.store(true, ordering: .sequentiallyConsistent)
  }

  /// Whether a derived value has been marked, and marking goes on.
  @inline(__always) var isMarking: Bool { pointee.isMarking.load(ordering: .relaxed) }

  @inline(__always) func endMarking() {
    guard isMarking else { return }
    pointee.isMarking.store(false, ordering: .releasing)
  }

  /// Leaves `write` to the close of the scope, before anything is settled.
  func postpone(_ write: @escaping () -> Void) {
    pointee.postponed.append(write)
    pointee.hasWork = true
  }

  /// Does `work` when everything has settled, before the scope closes.
  func atEnd(_ work: @escaping () -> Void) {
    pointee.endings.append(work)
    pointee.hasWork = true
  }

  /// Which round of postponed writes is under way: those postponed in one round are made in the
  /// next.
  var postponedRound: ThreadScope.Round { pointee.postponed.round }

  @inline(never) private func settle() {
    if _slowPath(pointee.batch.isTraced) { settleRecorded() } else { settleAll() }
  }

  private func settleRecorded() {
    let trace = trace
    let entry = trace?.begin(.settle, "", "")
    settleAll()
    trace?.end(entry)
    trace?.endScope()
  }

  @inline(__always) private func settleAll() {
    let outer = pointee.evaluation
    pointee.evaluation = nil
    while true {
      if let write = pointee.postponed.takeFirst() {
        write()
      } else if let computation = pointee.agenda.takeFirst() {
        computation._withUnsafeGuaranteedRef { $0.settle(in: self) }
        computation.release()
      } else if let derivation = pointee.unused.popLast() {
        derivation.releaseUnusedValue()
      } else if !pointee.kept.isEmpty {
        // What dies now may set and mark in turn.
        let kept = pointee.kept
        pointee.kept = []
        withExtendedLifetime(kept) {}
      } else if let ending = pointee.endings.popFirst() {
        ending()
      } else {
        break
      }
    }
    pointee.evaluation = outer
    pointee.hasWork = false
  }
}

/// The computations to be brought up to date: pass after pass, each in the order of subscription.
///
/// A computation that is marked during a pass joins that pass if its turn is still to come, else
/// the next one. More than `Diagnostics.feedbackLimit` passes are a feedback loop: one last pass
/// delivers what is stored then, and what that outdates waits for the next set.
///
/// Proof of Unmanaged: each computation in it stands for one retain, which goes to the caller that
/// takes it.
private struct Agenda {
  private var current = UnsafeStack<Unmanaged<Computation>>()
  private var head = 0
  private var isSorted = true
  /// Those of this pass that come before one that waited already when they were added.
  private var inFront = Heap<Unmanaged<Computation>>()
  private var next = UnsafeStack<Unmanaged<Computation>>()
  /// The order of the computation taken last in this pass.
  private var position: UInt = 0
  private var feedback = FeedbackCounter()
  private var isLastPass = false

  /// - Returns: whether it waits for something that has not been in the agenda.
  @inline(__always) mutating func add(_ computation: Computation) -> Bool {
    guard !computation.isQueued else { return false }
    if computation.order > position {
      computation.isQueued = true
      if head < current.count,
        current.last.pointee._withUnsafeGuaranteedRef({ $0.order }) > computation.order
      {
        // Sorted once, before the first one is taken; then each is put in its place.
        guard head == 0 else {
          inFront.insert(.passRetained(computation), by: Self.isEarlier)
          return true
        }
        isSorted = false
      }
      current.append(.passRetained(computation))
      return true
    }
    guard !isLastPass else { return false }
    computation.isQueued = true
    next.append(.passRetained(computation))
    return true
  }

  @inline(__always) private static func isEarlier(
    _ one: Unmanaged<Computation>, _ other: Unmanaged<Computation>
  ) -> Bool {
    one._withUnsafeGuaranteedRef({ $0.order }) < other._withUnsafeGuaranteedRef({ $0.order })
  }

  /// - Returns: the next one, retained for the caller.
  mutating func takeFirst() -> Unmanaged<Computation>? {
    if _slowPath(!inFront.isEmpty) { return takeFirstOfBoth() }
    if head == current.count, !beginPass() { return nil }
    if !isSorted {
      current.sort(from: head, by: Self.isEarlier)
      isSorted = true
    }
    head += 1
    return begin(current[head - 1])
  }

  @inline(never) private mutating func takeFirstOfBoth() -> Unmanaged<Computation>? {
    guard let first = inFront.first else { return nil }
    if head < current.count, Self.isEarlier(current[head], first) {
      head += 1
      return begin(current[head - 1])
    }
    inFront.removeFirst(by: Self.isEarlier)
    return begin(first)
  }

  @inline(__always)
  private mutating func begin(_ computation: Unmanaged<Computation>) -> Unmanaged<Computation> {
    computation._withUnsafeGuaranteedRef {
      position = $0.order
      $0.isQueued = false
    }
    return computation
  }

  private mutating func beginPass() -> Bool {
    current.removeAll()
    head = 0
    position = 0
    guard next.count > 0 else {
      feedback = FeedbackCounter()
      isLastPass = false
      return false
    }
    swap(&current, &next)
    isSorted = false
    if !feedback.admitsRound(), !isLastPass {
      isLastPass = true
      current[0]._withUnsafeGuaranteedRef { $0.reportFeedback() }
    }
    return true
  }

  func deallocate() {
    current.deallocate()
    next.deallocate()
  }
}

/// Writes of bindings that are nested too deeply to be made at once, in order.
private struct PostponedWrites {
  private var writes = Queue<() -> Void>()
  /// How many of this round are left, and how many wait in all.
  private var remaining = 0
  private var count = 0
  private var number = 0
  private var scope: UInt = 0

  var round: ThreadScope.Round { ThreadScope.Round(scope: scope, number: number) }

  mutating func append(_ write: @escaping () -> Void) {
    writes.append(write)
    count += 1
  }

  mutating func takeFirst() -> (() -> Void)? {
    guard let write = writes.popFirst() else {
      if number > 0 {
        scope &+= 1
        number = 0
      }
      return nil
    }
    if remaining == 0 {
      number += 1
      remaining = count
    }
    remaining -= 1
    count -= 1
    return write
  }
}
