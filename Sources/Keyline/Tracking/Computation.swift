import KeylineCore
import Synchronization

/// An expression that is kept up to date: what it has read, and when it is evaluated.
///
/// Subclasses evaluate and deliver (``ComputedObservation``). It is evaluated by the thread that
/// marks it, when the scope of that thread closes; it may be disposed, and its root may die, on any
/// thread.
///
///     idle ──enter──▶ busy ──leave──▶ idle          evaluating or delivering
///      │               │ dispose
///      │ dispose       ▼
///      │            ending ──leave──┐
///      ▼                            ▼
///     released: no closures, no nodes; its dependencies wait in the nodes' lists to be removed
///
/// The thread that makes it busy, or releases it, has exclusive access to its contents; so no lock
/// is held while an expression is evaluated (C3), and disposal never waits.
@usableFromInline class Computation: EngineItem, @unchecked Sendable {
  // Proof of @unchecked: mutable state belongs to the thread that has made the computation busy;
  // `isQueued` to the thread that marks it; the rest is atomic.
  private enum State: UInt8, AtomicRepresentable {
    case idle, busy, ending, releasing, released
  }

  private let state = Atomic<State>(.idle)
  private let hasLostRoot = Atomic<Bool>(false)
  private let queued = Atomic<Bool>(false)
  /// The thread that has evaluated it last.
  private let thread = Atomic<UInt>(0)
  /// In the order of reading.
  @exclusivity(unchecked)
  private var dependencies = UnsafeStack<UnsafeMutablePointer<Dependency>>()
  /// Subscriptions to the announcements of what it has read.
  private var prior: PriorSubscriptions?

  /// Increases with each computation made: the order of subscription.
  // Proof of unchecked: changed before the first observer of a derived value joins only.
  @exclusivity(unchecked) final private(set) var order = Computation.nextOrder()

  private static let count = Atomic<UInt>(0)

  private static func nextOrder() -> UInt {
    count.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Puts it behind all others.
  final func renewOrder() { order = Self.nextOrder() }

  /// - Parameter prior: called before every set of something that it has read.
  init(prior: (() -> Void)? = nil) {
    self.prior = prior.map(PriorSubscriptions.init)
    super.init()
    Instrumentation.report(.began(ObjectIdentifier(self), .subject))
  }

  /// Whether it is in an agenda.
  final var isQueued: Bool {
    get { queued.load(ordering: .relaxed) }
    set { queued.store(newValue, ordering: .relaxed) }
  }

  /// Whether marking it again, before it is brought up to date, would change nothing.
  // Proof of unchecked: confined; no foreign code runs during an access.
  @exclusivity(unchecked) final var isMarked = false

  /// Whether it has been disposed, and the lists of nodes may drop it.
  final var isReleased: Bool { state.load(ordering: .acquiring) == .released }

  /// Whether it has been disposed.
  final var isEnding: Bool {
    let state = state.load(ordering: .acquiring)
    return state != .idle && state != .busy
  }

  override final var hasEnded: Bool { isEnding }

  final func isEvaluated(in scope: UnsafeMutablePointer<ThreadScope>) -> Bool {
    thread.load(ordering: .relaxed) == UInt(bitPattern: scope)
  }

  /// The subscription that it is a part of, if it is one's.
  var context: EngineContext? { nil }

  /// Marks it for settling, since something it has read has changed. No foreign code.
  func mark(in scope: UnsafeMutablePointer<ThreadScope>) { scope.add(self) }

  /// Something it has read has changed by a death on a thread that does not evaluate it.
  func markByDeathElsewhere() {}

  // MARK: For subclasses

  /// Evaluates the expression with `evaluate(_:in:)`, and delivers the result.
  func update(in scope: UnsafeMutablePointer<ThreadScope>) {}

  /// Evaluates the expression once, for `root`, and stores the result.
  func run(over root: AnyObject) {}

  /// Delivers completion, because the root has died.
  func complete() {}

  /// Releases closures. Called once, by the thread that releases the computation.
  func releaseClosures() {}

  /// What a trace calls it.
  func name(in trace: TraceRecorder) -> String { "" }

  /// Reports that observers keep changing what it reads.
  func reportFeedback() {}

  // MARK: Evaluating

  /// Makes it busy, unless it is, or has been disposed. The caller must `leave()`.
  final func enter() -> Bool {
    state.compareExchange(
      expected: .idle, desired: .busy, ordering: .sequentiallyConsistent
    ).exchanged
  }

  final func leave() {
    while true {
      let (exchanged, _) = state.compareExchange(
        expected: .busy, desired: .idle, ordering: .sequentiallyConsistent)
      guard exchanged else { return release() }
      guard hasLostRoot.load(ordering: .sequentiallyConsistent), enter() else { return }
      finish()
    }
  }

  /// Brings it up to date, if something it has read is newer.
  func settle(in scope: UnsafeMutablePointer<ThreadScope>) {
    if _slowPath(scope.pointee.batch.isTraced) { return settleRecorded(in: scope) }
    guard enter() else { return }
    if isOutdated(in: scope) { update(in: scope) }
    leave()
  }

  /// Whether it is to be evaluated when the scope closes.
  final func isAwaitingEvaluation(in scope: UnsafeMutablePointer<ThreadScope>) -> Bool {
    guard enter() else { return false }
    defer { leave() }
    return isOutdated(in: scope)
  }

  /// Whether something it has read has changed; derived values are brought up to date first, in the
  /// order of reading (D9). For the thread that has made it busy.
  final func isOutdated(in scope: UnsafeMutablePointer<ThreadScope>) -> Bool {
    var index = 0
    while index < dependencies.count {
      let dependency = dependencies[index]
      dependency.pointee.derivation?._withUnsafeGuaranteedRef { $0.bringUpToDate(in: scope) }
      if dependency.pointee.isOutdated { return true }
      index += 1
    }
    return false
  }

  /// The last pass of a feedback loop is over for it: the next set marks it again, and what it
  /// depends on.
  @inline(never) final func leaveOut() {
    var left = [self]
    while let computation = left.popLast() {
      guard computation.mayBeMarkedAgain() || computation === self else { continue }
      left += computation.dependencies.buffer.compactMap {
        $0.pointee.derivation?.takeUnretainedValue()
      }
    }
  }

  /// - Returns: whether that is new.
  func mayBeMarkedAgain() -> Bool { false }

  /// How many dependencies it has, and each of them.
  final var dependencyCount: Int { dependencies.count }

  final func dependency(_ index: Int) -> UnsafeMutablePointer<Dependency> { dependencies[index] }

  /// Evaluates the expression until the result and everything read for it are consistent: a change
  /// that an evaluation makes itself causes another one, within the feedback limit. For the thread
  /// that has made it busy.
  final func evaluate(_ root: AnyObject, in scope: UnsafeMutablePointer<ThreadScope>) {
    var feedback = FeedbackCounter()
    while true {
      let changes = scope.pointee.changes
      let evaluation = scope.begin(expecting: dependencies.buffer)
      run(over: root)
      scope.end(evaluation)
      adopt(evaluation, in: scope)
      scope.finish(evaluation)
      if changes == scope.pointee.changes || !isOutdated(in: scope) { return }
      guard feedback.admitsRound() else {
        reportFeedback()
        // The expression is evaluated again after the next set.
        for dependency in dependencies.buffer {
          dependency.pointee.version = dependency.pointee.node.version
        }
        return
      }
    }
  }

  /// Calls `action` before every set of something it reads, from now on.
  final func announce(to action: @escaping () -> Void) {
    guard prior == nil else { return }
    let made = PriorSubscriptions(action)
    prior = made
    for dependency in dependencies.buffer { made.follow(dependency.pointee.node) }
  }

  override final var observed: [AnyObject] {
    (0..<dependencyCount).map { dependency($0).pointee.node }
  }

  /// The names of the properties that it has read, for reports.
  final var names: String? {
    let names = dependencies.buffer.compactMap { $0.pointee.node.name }
    return names.isEmpty ? nil : names.joined(separator: ", ")
  }

  /// Depends on what `evaluation` has read, and on nothing else.
  final func adopt(
    _ evaluation: UnsafeMutablePointer<Evaluation>, in scope: UnsafeMutablePointer<ThreadScope>
  ) {
    thread.store(UInt(bitPattern: scope), ordering: .relaxed)
    guard evaluation.pointee.first != nil || evaluation.pointee.confirmed < dependencies.count
    else { return }
    adoptOthers(evaluation)
  }

  /// Replaces what has not been read again in the same order: finds the former dependency on each
  /// node in the place where that stores which evaluation has read it last.
  ///
  ///     confirmed | former | of this run | left
  ///
  /// - Complexity: O(what is replaced), without allocating.
  @inline(never) private func adoptOthers(_ evaluation: UnsafeMutablePointer<Evaluation>) {
    let former = evaluation.pointee.confirmed..<dependencies.count
    for index in former { dependencies[index].markAsFormer() }
    evaluation.pointee.forEachRead { node, version in
      if let kept = UnsafeMutablePointer<Dependency>.takeFormer(on: node, version: version) {
        dependencies.append(kept)
      } else {
        dependencies.append(node.add(self, version: version))
        prior?.follow(node)
      }
    }
    let end = dependencies.count
    for index in former where dependencies[index].isFormer {
      dependencies.append(dependencies[index])
    }
    dependencies.removeSubrange(former)
    while dependencies.count > end - former.count, let left = dependencies.popLast() {
      let node = left.pointee.node
      node.evaluation = 0
      prior?.leave(node)
      node.drop(left)
    }
  }

  // MARK: Ending

  /// Delivers the root's death: now, or on the thread that is evaluating.
  final func rootDied(_: (any Error)?) {
    hasLostRoot.store(true, ordering: .sequentiallyConsistent)
    guard enter() else { return }
    finish()
    leave()
  }

  private func finish() {
    guard hasLostRoot.exchange(false, ordering: .sequentiallyConsistent) else { return }
    complete()
  }

  override final func dispose() {
    while true {
      let (exchanged, original) = state.compareExchange(
        expected: .idle, desired: .releasing, ordering: .sequentiallyConsistent)
      if exchanged { return release() }
      guard original == .busy else { return }
      // The thread that is evaluating releases it.
      if state.compareExchange(
        expected: .busy, desired: .ending, ordering: .sequentiallyConsistent
      ).exchanged {
        return
      }
    }
  }

  private func release() {
    Instrumentation.report(.ended(ObjectIdentifier(self)))
    prior?.end()
    prior = nil
    releaseClosures()
    for dependency in dependencies.buffer {
      dependency.pointee.nodeReference._withUnsafeGuaranteedRef { $0.willLeaveStale() }
    }
    let nodes = dependencies.buffer.map { $0.pointee.nodeReference }
    dependencies.removeAll()
    state.store(.released, ordering: .releasing)
    // From here on the nodes remove the dependencies.
    for node in nodes { node.release() }
  }

  deinit {
    dependencies.deallocate()
    Instrumentation.report(.ended(ObjectIdentifier(self)))
  }
}

/// The subscriptions of a computation to what happens before a set, one for each node.
private final class PriorSubscriptions {
  private let action: () -> Void
  /// Of each node, and how many dependencies there are on it.
  private var contexts: [ObjectIdentifier: (context: EngineContext, count: Int)] = [:]

  init(_ action: @escaping () -> Void) { self.action = action }

  func follow(_ node: DependencyNode) {
    let id = ObjectIdentifier(node)
    if contexts[id] != nil {
      contexts[id]?.count += 1
      return
    }
    let context = EngineContext()
    contexts[id] = (context, 1)
    node.beforeEach(in: context, action)
  }

  func leave(_ node: DependencyNode) {
    let id = ObjectIdentifier(node)
    contexts[id]?.count -= 1
    guard contexts[id]?.count == 0 else { return }
    contexts.removeValue(forKey: id)?.context.dispose()
  }

  func end() {
    for entry in contexts.values { entry.context.dispose() }
    contexts = [:]
  }
}
