import Synchronization

/// What a derived node does for its computation, which knows no types.
protocol DerivedValue: DependencyNode {
  /// Whether anything observes the values themselves.
  var hasObservers: Bool { get }

  /// Whether the value retains objects, and is released when it is outdated and unobserved (D14).
  var retainsObjects: Bool { get }

  /// Evaluates the rule beside the current value.
  ///
  /// - Returns: the error it has thrown, in whose place there is the fallback.
  func evaluate(_ owner: AnyObject) -> (any Error)?

  /// Whether the result is the same as the current value (D5). Foreign code.
  func isResultSame() -> Bool

  /// Replaces the value by the result.
  func replaceValue(in scope: UnsafeMutablePointer<ThreadScope>)

  /// Drops the result, which is the same as the value.
  func dropResult(in scope: UnsafeMutablePointer<ThreadScope>)

  /// Delivers the value, if it is another one than was delivered last.
  func deliverValue(in scope: UnsafeMutablePointer<ThreadScope>)

  /// Emits an error that the rule has thrown (D16).
  func emit(_ error: any Error)

  /// Releases the value.
  func releaseValue()
}

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
final class DerivedComputation: Computation, @unchecked Sendable {
  // Proof of @unchecked: as its superclass; the rest is confined to the domain of the owner, which
  // is retained, or known to be alive, while the computation is checked or evaluated.

  /// Proof of unowned(unsafe): the node disposes the computation when it ends.
  unowned(unsafe) let node: any DerivedValue
  let owner: WeakReference<AnyObject>
  /// Where the value is; nil if there is none, or if it is an object.
  // Proof of unchecked, here and below: confined; no foreign code runs during an access.
  @exclusivity(unchecked) var value: UnsafeRawPointer?
  /// Whether the next read evaluates, whatever has changed.
  @exclusivity(unchecked) var mustEvaluate = true
  @exclusivity(unchecked) private(set) var isEvaluating = false
  @exclusivity(unchecked) fileprivate var isBeingChecked = false
  /// Whether the value is one of a cycle: it is not kept.
  @exclusivity(unchecked) private var isCyclic = false
  /// How many deaths there had been when it was brought up to date.
  @exclusivity(unchecked) private var knownDeaths: UInt = 0
  /// How often it has been evaluated.
  @exclusivity(unchecked) fileprivate var evaluations: UInt = 0
  private let retainsObjects: Bool
  /// Called when the scope closes in which the value has become outdated.
  var outdatedHandler: (() -> Void)?

  /// Deaths of weak referents, on threads that do not evaluate what has read them.
  private static let deaths = Atomic<UInt>(0)

  /// How many rules inside each other are deep: further ones find what they have read up to date.
  private static let deep = 64

  init(_ node: any DerivedValue, of owner: AnyObject) {
    self.node = node
    self.owner = WeakReference(owner)
    retainsObjects = node.retainsObjects
    super.init()
    node.isOutdated = true
    node.derivation = self
  }

  /// Whether it may have to be evaluated.
  @inline(__always) var isSuspect: Bool {
    node.isOutdated || knownDeaths != Self.deaths.load(ordering: .relaxed)
  }

  // MARK: Marking

  override func mark(in scope: UnsafeMutablePointer<ThreadScope>) {
    scope.beginMarking()
    guard !isReleased, !node.isOutdated || isCyclic else { return }
    isCyclic = false
    node.isOutdated = true
    if node.hasReaders { scope.pointee.marked.append(.passUnretained(node)) }
    if node.hasObservers || outdatedHandler != nil {
      scope.add(self)
    } else if retainsObjects {
      scope.release(valueOf: node)
    }
  }

  override func markByDeathElsewhere() { Self.deaths.wrappingAdd(1, ordering: .relaxed) }

  /// Evaluates with the next read, or when the scope closes, if it is observed (D18).
  func invalidate() {
    let scope = ThreadScope.ofThread
    scope.within {
      mustEvaluate = true
      node.mark(self, in: scope)
    }
  }

  func releaseUnusedValue() {
    guard let owner = owner.retained() else { return }
    if node.isOutdated, !node.hasObservers, !isEvaluating {
      mustEvaluate = true
      node.releaseValue()
    }
    owner.release()
  }

  // MARK: Settling

  /// Delivers the value when the scope closes, if it is another one.
  override func settle(in scope: UnsafeMutablePointer<ThreadScope>) {
    guard let owner = owner.retained() else { return }
    owner._withUnsafeGuaranteedRef {
      outdatedHandler?()
      guard node.hasObservers else { return }
      if isSuspect { bringUpToDate(of: $0, in: scope) }
      node.deliverValue(in: scope)
    }
    owner.release()
  }

  /// Brings the value up to date, if the owner is alive.
  @inline(__always) func bringUpToDate(in scope: UnsafeMutablePointer<ThreadScope>) {
    if isSuspect { bringUpToDateIfAlive(in: scope) }
  }

  @inline(never) private func bringUpToDateIfAlive(in scope: UnsafeMutablePointer<ThreadScope>) {
    guard let owner = owner.retained() else { return }
    owner._withUnsafeGuaranteedRef { bringUpToDate(of: $0, in: scope) }
    owner.release()
  }

  /// Brings the value up to date, after what it has been computed from.
  ///
  /// - Parameter owner: alive until this returns.
  func bringUpToDate(of owner: AnyObject, in scope: UnsafeMutablePointer<ThreadScope>) {
    guard isSuspect, !isEvaluating else { return }
    let base = scope.pointee.checks.count
    let isDeep = scope.pointee.rules.count >= Self.deep
    isBeingChecked = true
    scope.pointee.checks.append(DerivedCheck(self, .passUnretained(owner), isRetained: false))
    while scope.pointee.checks.count > base {
      let check = scope.pointee.checks.count - 1
      if pushNext(after: check, isDeep: isDeep, in: scope) { continue }
      let done = scope.pointee.checks[check]
      done.computation._withUnsafeGuaranteedRef { computation in
        if done.isOutdated, !computation.isEvaluating {
          done.owner._withUnsafeGuaranteedRef { computation.evaluate($0, in: scope) }
        } else {
          computation.node.isOutdated = false
          computation.knownDeaths = done.deaths
        }
        computation.isBeingChecked = false
      }
      scope.pointee.checks.removeLast()
      if done.isRetained { done.owner.release() }
    }
  }

  /// Continues a check, with a dependency that has to be checked before.
  ///
  /// - Returns: false if the check is complete.
  private func pushNext(
    after position: Int, isDeep: Bool, in scope: UnsafeMutablePointer<ThreadScope>
  ) -> Bool {
    var check = scope.pointee.checks[position]
    let next = check.computation._withUnsafeGuaranteedRef {
      $0.nextCheck(&check, isDeep: isDeep, deaths: Self.deaths.load(ordering: .relaxed))
    }
    scope.pointee.checks[position] = check
    guard let next else { return false }
    next.computation._withUnsafeGuaranteedRef { $0.isBeingChecked = true }
    scope.pointee.checks.append(next)
    return true
  }

  private func nextCheck(_ check: inout DerivedCheck, isDeep: Bool, deaths: UInt) -> DerivedCheck? {
    check.deaths = deaths
    if check.evaluations != evaluations {
      // Read, and so evaluated, by something that has been checked before it.
      check = DerivedCheck(continuing: check, evaluations: evaluations)
    }
    guard isSuspect else { return nil }
    if mustEvaluate { check.isOutdated = true }
    while (!check.isOutdated || isDeep) && check.index < dependencyCount {
      let dependency = dependency(check.index)
      if let derivation = dependency.pointee.node.derivation, derivation.isSuspect,
        !derivation.isEvaluating, !derivation.isBeingChecked,
        let next = DerivedCheck(derivation, besides: check)
      {
        return next
      }
      if dependency.pointee.isOutdated { check.isOutdated = true }
      check.index += 1
    }
    return nil
  }

  // MARK: Evaluating

  private func evaluate(_ owner: AnyObject, in scope: UnsafeMutablePointer<ThreadScope>) {
    // What the rule sets is delivered after the outermost rule (D17).
    let batch = scope.pointee.batch.isOpen ? nil : scope.beginBatch()
    let deaths = Self.deaths.load(ordering: .relaxed)
    isEvaluating = true
    isCyclic = false
    evaluations &+= 1
    scope.pointee.rules.append(.passUnretained(self))
    var error: (any Error)?
    evaluate(in: scope) { error = node.evaluate(owner) }
    mustEvaluate = isCyclic
    let isSame = withoutTracking(in: scope, node.isResultSame)
    scope.pointee.rules.removeLast()
    isEvaluating = false
    node.isOutdated = isCyclic
    knownDeaths = deaths
    withoutTracking(in: scope) {
      if isSame {
        node.dropResult(in: scope)
      } else {
        node.changeByEvaluation()
        node.replaceValue(in: scope)
      }
    }
    if let error {
      let node = node
      scope.pointee.batch.finally { node.emit(error) }
    }
    if let batch { scope.endBatch(from: batch) }
  }

  private func withoutTracking<Result>(
    in scope: UnsafeMutablePointer<ThreadScope>, _ body: () -> Result
  ) -> Result {
    let outer = scope.pointee.evaluation
    scope.pointee.evaluation = nil
    defer { scope.pointee.evaluation = outer }
    return body()
  }

  /// Reports that the value is read while it is being evaluated (D15). What is evaluated in the
  /// cycle is not kept.
  ///
  /// - Returns: the members of the cycle.
  func reportCycle(in scope: UnsafeMutablePointer<ThreadScope>) -> String {
    let first = scope.pointee.rules.firstIndex { $0.toOpaque() == ObjectIdentifier(self).address }
    let members = scope.pointee.rules[(first ?? scope.pointee.rules.endIndex)...]
    for member in members { member._withUnsafeGuaranteedRef { $0.isCyclic = true } }
    let names = members.map { $0._withUnsafeGuaranteedRef { $0.node.description } }
    let cycle = (names + [node.description]).joined(separator: " → ")
    if Diagnostics.isNew(.derivedCycle, cycle) {
      Diagnostics.report(
        .derivedCycle, "derived from itself: \(cycle)", type: node.owner.map { "\(type(of: $0))" },
        property: node.name)
    }
    return cycle
  }

  override func releaseClosures() { outdatedHandler = nil }

  override func reportFeedback() {
    Diagnostics.report(
      .feedbackLoop,
      "the rule sets what it has read, \(Diagnostics.feedbackLimit) times in a row; the last value "
        + "stays", type: node.owner.map { "\(type(of: $0))" }, property: node.name)
  }
}

extension ObjectIdentifier {
  fileprivate var address: UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(bitPattern: UInt(bitPattern: self))
  }
}

/// A derived value being checked: which of its dependencies comes next.
struct DerivedCheck {
  // Proof of Unmanaged: the owner is alive meanwhile, and its registry retains the node, which owns
  // the computation; a registry that ends earlier leaves its nodes to the scope.
  let computation: Unmanaged<DerivedComputation>
  let owner: Unmanaged<AnyObject>
  /// Whether the owner is retained for the check.
  let isRetained: Bool
  /// How often the value had been evaluated.
  let evaluations: UInt
  var index = 0
  /// Whether a dependency is newer.
  var isOutdated = false
  var deaths: UInt = 0

  init(_ computation: DerivedComputation, _ owner: Unmanaged<AnyObject>, isRetained: Bool) {
    self.computation = .passUnretained(computation)
    self.owner = owner
    self.isRetained = isRetained
    evaluations = computation.evaluations
  }

  /// `check`, from the beginning.
  fileprivate init(continuing check: DerivedCheck, evaluations: UInt) {
    computation = check.computation
    owner = check.owner
    isRetained = check.isRetained
    self.evaluations = evaluations
    deaths = check.deaths
  }

  /// A check because of `other`: nil if the owner is dying or dead.
  init?(_ computation: DerivedComputation, besides other: DerivedCheck) {
    if computation.owner.refers(to: other.owner) {
      self.init(computation, other.owner, isRetained: false)
    } else if let owner = computation.owner.retained() {
      self.init(computation, owner, isRetained: true)
    } else {
      return nil
    }
  }
}
