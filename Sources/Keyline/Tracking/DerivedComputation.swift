import KeylineCore

/// Keeps a derived value up to date: lazily, and once for all that read or observe it.
///
///     set ──▶ outdated, and so is what has read it ──▶ read, or close of the scope if it is observed
///                                                            │
///     clean ◀── equal result ── evaluate ◀── a dependency is newer ◀── check, in order of reading
///
/// Dependencies are checked, and those that are outdated in turn, on a stack of their own: rows of
/// any length need no more of the thread's stack (D19). The first evaluation of a row that has not
/// been read recurses through its rules.
///
/// - Isolation: confined, with the owner. The referent of a weak property that has been read may
///   die on another thread: then what is derived is checked when it is next read (`deaths`).
class DerivedComputation: Computation, @unchecked Sendable {
  // Proof of @unchecked: as its superclass; the rest is confined to the domain of the owner, which
  // is retained, or known to be alive, while the computation is checked or evaluated.

  /// Proof of Unmanaged: the node owns the computation, and lives as long as the owner, and as what
  /// has read it; marking, which knows neither, is awaited by the owner's death.
  private let nodeReference: Unmanaged<DependencyNode>
  final let owner: WeakReference<AnyObject>
  final let valueType: ObjectIdentifier
  /// Where the value is; nil if there is none, or if it is an object.
  // Proof of unchecked, here and below: confined; no foreign code runs during an access.
  @exclusivity(unchecked) final var value: UnsafeRawPointer?
  /// Where reads find the value while it is up to date, until the owner dies.
  @exclusivity(unchecked) final var clean: UnsafeMutablePointer<CleanValue>?
  /// Whether something that the value has been computed from may have changed since.
  @exclusivity(unchecked) final private(set) var isOutdated = true
  /// Whether the next read evaluates, whatever has changed.
  @exclusivity(unchecked) private var mustEvaluate = true
  @exclusivity(unchecked) final private(set) var isEvaluating = false
  @exclusivity(unchecked) private var isBeingChecked = false
  /// Whether a feedback loop has been stopped before it, or what has read it, was settled.
  @exclusivity(unchecked) private var isLeftOut = false
  /// Whether the value is one of a cycle: it is not kept.
  @exclusivity(unchecked) final var isCyclic = false
  /// Most values are only read: one test for these.
  @exclusivity(unchecked) private var hasBeenObserved = false
  /// Whether a change has been announced since the last delivery.
  @exclusivity(unchecked) final var isAnnounced = false
  /// How many deaths there had been when it was brought up to date.
  @exclusivity(unchecked) private var knownDeaths: UInt = 0
  /// How often it has been evaluated.
  @exclusivity(unchecked) private(set) final var evaluations: UInt = 0
  /// The error that the rule has thrown, in whose place there is the fallback.
  @exclusivity(unchecked) final var error: (any Error)?
  /// Whether the value is a collection of objects.
  private let retainsObjects: Bool
  /// Whether the value is as long as a word, and a plain number or the like.
  private let isWord: Bool
  /// Called when the scope closes in which the value has become outdated.
  final var outdatedHandler: (() -> Void)?

  /// How many rules inside each other are deep: further ones find what they have read up to date.
  private static let deep = 64

  /// - Parameter retainsObjects: whether the value is released when it is outdated and unobserved.
  init<Value>(
    _ node: DependencyNode, of owner: AnyObject, valueType: Value.Type, retainsObjects: Bool
  ) {
    isWord = _isPOD(Value.self) && MemoryLayout<Value>.size == MemoryLayout<UInt>.size
    nodeReference = .passUnretained(node)
    self.owner = WeakReference(owner)
    self.valueType = ObjectIdentifier(valueType)
    self.retainsObjects = retainsObjects
    super.init()
  }

  /// Whether it may have to be evaluated.
  @inline(__always) final var isSuspect: Bool {
    isOutdated || knownDeaths != deathsElsewhere()
  }

  final var node: DependencyNode { nodeReference.takeUnretainedValue() }

  /// The value as it was computed last, for inspection; nil if there is none.
  var cached: Any? { nil }

  override final func name(in trace: TraceRecorder) -> String {
    var name = "a value of a dying object"
    owner.withObject { _ in name = trace.name(of: node) }
    return name
  }

  /// `Invoice.net`, for reports.
  final var description: String { nodeReference._withUnsafeGuaranteedRef { $0.description } }

  // MARK: For the subclass

  /// Whether anything observes the values themselves.
  @inline(__always) final var isObserved: Bool { hasBeenObserved && hasObservers }

  /// The same, for a value that has ever been observed.
  var hasObservers: Bool { false }

  /// The first observer is about to join, and receives the current value.
  func willBeObserved() {
    hasBeenObserved = true
    renewOrder()
  }

  /// Whether it is about to be delivered.
  var isPending: Bool { false }

  /// Whether the result is the same as the current value (D5). Foreign code.
  var isResultSame: Bool { true }

  /// Replaces the value by the result.
  func replaceValue(in scope: UnsafeMutablePointer<ThreadScope>) {}

  /// Drops the result, which is the same as the value.
  func dropResult(in scope: UnsafeMutablePointer<ThreadScope>) {}

  /// Delivers the value, if it is another one than was delivered last.
  func deliverValue(in scope: UnsafeMutablePointer<ThreadScope>) {}

  /// Emits an error that the rule has thrown (D16).
  func emit(_ error: any Error) {}

  /// Releases the value.
  func releaseValue() {}

  /// The owner has died.
  func end() { clean = nil }

  // MARK: Marking

  override final func mark(in scope: UnsafeMutablePointer<ThreadScope>) {
    // Marked already: its node is not used.
    guard !isOutdated || isCyclic || isLeftOut else { return }
    scope.beginMarking()
    guard !isReleased else { return }
    isCyclic = false
    isLeftOut = false
    isOutdated = true
    isMarked = true
    clean?.pointee.invalidate()
    if nodeReference._withUnsafeGuaranteedRef({ $0.hasReaders }) {
      scope.pointee.marked.append(nodeReference)
    }
    if outdatedHandler != nil || isObserved {
      scope.add(self)
    } else if retainsObjects {
      scope.release(valueOf: self)
    }
  }

  override final func markByDeathElsewhere() {
    countDeathElsewhere()
  }

  override final func mayBeMarkedAgain() -> Bool {
    defer { (isLeftOut, isMarked) = (isOutdated, false) }
    return isOutdated && !isLeftOut
  }

  /// Evaluates with the next read, or when the scope closes, if it is observed (D18).
  final func invalidate() {
    let scope = ThreadScope.ofThread
    scope.within {
      mustEvaluate = true
      nodeReference._withUnsafeGuaranteedRef { $0.mark(self, in: scope) }
    }
  }

  /// Evaluates with the next read: the value has been lost.
  final func forget() {
    mustEvaluate = true
    isOutdated = true
    clean?.pointee.invalidate()
  }

  final func releaseUnusedValue() {
    owner.withObject { _ in
      guard isOutdated, !isObserved, !isEvaluating else { return }
      mustEvaluate = true
      releaseValue()
    }
  }

  // MARK: Settling

  /// Delivers the value when the scope closes, if it is another one.
  override final func settle(in scope: UnsafeMutablePointer<ThreadScope>) {
    let isAlive = owner.withObject { settle(of: $0, in: scope) }
    // An owner that is set in its own deinit cannot be retained any more, but can be read.
    guard !isAlive, !isReleased else { return }
    owner.dying(at: scope.pointee.owner)?._withUnsafeGuaranteedRef { settle(of: $0, in: scope) }
  }

  private func settle(of owner: AnyObject, in scope: UnsafeMutablePointer<ThreadScope>) {
    outdatedHandler?()
    guard isObserved else { return }
    if isSuspect { bringUpToDate(of: owner, in: scope) }
    isAnnounced = false
    deliverValue(in: scope)
  }

  /// An observer has joined: what the evaluation for its first value has caused is delivered when
  /// the scope closes.
  final func hasBeenJoined() { if isSuspect { ThreadScope.ofThread.add(self) } }

  /// Brings the value up to date, if the owner is alive.
  @inline(__always) final func bringUpToDate(in scope: UnsafeMutablePointer<ThreadScope>) {
    if isSuspect { bringUpToDateIfAlive(in: scope) }
  }

  @inline(never) private func bringUpToDateIfAlive(in scope: UnsafeMutablePointer<ThreadScope>) {
    owner.withObject { bringUpToDate(of: $0, in: scope) }
  }

  /// Brings the value up to date, after what it has been computed from.
  ///
  /// - Parameter owner: alive until this returns.
  final func bringUpToDate(of owner: AnyObject, in scope: UnsafeMutablePointer<ThreadScope>) {
    guard isSuspect, !isEvaluating else { return }
    let isDeep = scope.pointee.rules.count >= Self.deep
    if !isDeep {
      let deaths = orderedDeathsElsewhere()
      switch isOutdated(unlessSuspect: deaths) {
      case true: return update(of: owner, in: scope)
      case false: return confirm(deaths, in: scope)
      case nil: break
      }
    }
    let base = scope.pointee.checks.count
    push(DerivedCheck(self, .passUnretained(owner), isRetained: false), in: scope)
    // One for all that are evaluated.
    scope.beginTracking()
    defer { scope.endTracking() }
    while scope.pointee.checks.count > base {
      let check = scope.pointee.checks.last
      if let next = check.pointee.computation._withUnsafeGuaranteedRef({
        $0.advance(check, isDeep: isDeep)
      }) {
        push(next, in: scope)
        continue
      }
      let done = check.pointee
      done.computation._withUnsafeGuaranteedRef { computation in
        if done.isOutdated, !computation.isEvaluating {
          done.owner._withUnsafeGuaranteedRef { computation.update(of: $0, in: scope) }
        } else {
          computation.confirm(done.deaths, in: scope)
        }
        computation.isBeingChecked = false
      }
      scope.pointee.checks.removeLast()
      if done.isRetained { done.owner.release() }
    }
  }

  /// Whether something it has read is newer; nil if one of these, before the first that is newer,
  /// is to be brought up to date first.
  @inline(__always) private func isOutdated(unlessSuspect deaths: UInt) -> Bool? {
    if mustEvaluate { return true }
    var index = 0
    while index < dependencyCount {
      let dependency = dependency(index)
      if let derivation = dependency.pointee.derivation,
        derivation._withUnsafeGuaranteedRef({ $0.isOutdated || $0.knownDeaths != deaths })
      {
        return nil
      }
      if dependency.pointee.isOutdated { return true }
      index += 1
    }
    return false
  }

  /// The value is that of what it has been derived from.
  @inline(__always) private func confirm(
    _ deaths: UInt, in scope: UnsafeMutablePointer<ThreadScope>
  ) {
    if _slowPath(scope.pointee.batch.isTraced), isOutdated { scope.trace?.skip(self) }
    isOutdated = false
    isMarked = false
    knownDeaths = deaths
    publish()
  }

  /// Lets reads find the value without asking for it.
  @inline(__always) private func publish() {
    guard let clean else { return }
    guard !isOutdated, let value else { return clean.pointee.invalidate() }
    clean.publish(value, isWord: isWord, deaths: knownDeaths)
  }

  @inline(__always)
  private func push(_ check: DerivedCheck, in scope: UnsafeMutablePointer<ThreadScope>) {
    check.computation._withUnsafeGuaranteedRef { $0.isBeingChecked = true }
    scope.pointee.checks.append(check)
  }

  /// Continues a check.
  ///
  /// - Returns: a check of a dependency that has to be completed before; nil if this one is complete.
  @inline(__always)
  private func advance(_ check: UnsafeMutablePointer<DerivedCheck>, isDeep: Bool) -> DerivedCheck? {
    let deaths = orderedDeathsElsewhere()
    if check.pointee.evaluations != evaluations {
      // Read, and so evaluated, by something that has been checked before it.
      check.pointee.restart(evaluations)
    }
    // As of the beginning: what has been checked since does not know of later deaths.
    if check.pointee.isBeginning { check.pointee.deaths = deaths }
    guard isOutdated || knownDeaths != deaths else { return nil }
    if mustEvaluate { check.pointee.isOutdated = true }
    while (!check.pointee.isOutdated || isDeep) && check.pointee.index < dependencyCount {
      let dependency = dependency(check.pointee.index)
      // Each dependency once: one in a cycle stays outdated.
      if !check.pointee.isDependencyChecked, let derivation = dependency.pointee.derivation,
        derivation._withUnsafeGuaranteedRef({
          ($0.isOutdated || $0.knownDeaths != deaths) && !$0.isEvaluating && !$0.isBeingChecked
        }), let next = DerivedCheck(derivation, besides: check)
      {
        check.pointee.isDependencyChecked = true
        return next
      }
      if dependency.pointee.isOutdated { check.pointee.isOutdated = true }
      check.pointee.isDependencyChecked = false
      check.pointee.index += 1
    }
    return nil
  }

  // MARK: Evaluating

  private func update(of owner: AnyObject, in scope: UnsafeMutablePointer<ThreadScope>) {
    if _slowPath(scope.pointee.batch.isTraced) { scope.trace?.begin(self) }
    // What the rule sets is delivered after the outermost rule (D17).
    let batch = scope.pointee.batch.isOpen ? nil : scope.beginBatch()
    let deaths = orderedDeathsElsewhere()
    isEvaluating = true
    isCyclic = false
    evaluations &+= 1
    scope.pointee.rules.append(.passUnretained(self))
    evaluate(owner, in: scope)
    mustEvaluate = isCyclic
    // What is compared and released is foreign, and not tracked.
    let outer = scope.pointee.evaluation
    scope.pointee.evaluation = nil
    let isSame = isResultSame
    scope.pointee.rules.removeLast()
    isEvaluating = false
    isOutdated = isCyclic
    isMarked = false
    knownDeaths = deaths
    if isSame {
      dropResult(in: scope)
    } else {
      nodeReference._withUnsafeGuaranteedRef { $0.changeByEvaluation() }
      replaceValue(in: scope)
    }
    publish()
    if error != nil { emitError(in: scope) }
    if let batch { scope.endBatch(from: batch) }
    scope.pointee.evaluation = outer
    if _slowPath(scope.pointee.batch.isTraced) { scope.trace?.end(self) }
  }

  /// Leaves the rule's error to the end of the batch.
  @inline(never) private func emitError(in scope: UnsafeMutablePointer<ThreadScope>) {
    guard let error else { return }
    self.error = nil
    scope.pointee.batch.finally { self.emit(error) }
  }

  override final func releaseClosures() { outdatedHandler = nil }

  override final func reportFeedback() {
    report(
      .feedbackLoop,
      "its rule or its observers set what it is derived from, \(Diagnostics.feedbackLimit) times in a "
        + "row; what is set after that waits for the next set")
  }
}
