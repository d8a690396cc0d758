import KeylineCore

// What a trace records of nodes and computations. Nothing calls these while the thread is not recorded.

extension TraceRecorder {
  /// Begins to record this thread, for one more user.
  static func start() -> TraceRecorder {
    Instrumentation.install(Records.shared)
    ThreadScope.ofThread.pointee.batch.isTraced = true
    return appoint()
  }

  /// Ends what `start()` has begun.
  func stop(isLasting: Bool = false) {
    if isLasting { self.isLasting = false }
    if resign() { ThreadScope.ofThread.pointee.batch.isTraced = false }
  }

  /// A value in one line. What its description reads is no dependency, and what it sets is not
  /// recorded.
  func describe(_ value: Any) -> String { untracked { text(of: value) } }

  /// `Person#1.name`, of an object that is known to be alive; empty if it is that of a weak property,
  /// and not alive any more.
  func name(of node: DependencyNode) -> String {
    node.owner.map { name(of: node, of: $0) } ?? ""
  }

  /// As `name(of:)`, with the owner, which may be in its deinit.
  func name(of node: DependencyNode, of owner: AnyObject) -> String {
    let property = untracked { quietly { node.name } }
    return name(of: owner) + (property.map { ".\($0)" } ?? "")
  }

  /// `observe(\.name) → map → subscribe (Form.swift:12)`, if that was recorded; `hop 1 of a chain`. Nil
  /// for an observer that is known by its place in the order only.
  ///
  /// - Parameter property: what is observed: `Person#1.name`.
  func name(of context: EngineContext, observing property: String? = nil) -> String? {
    let path = Records.path(from: context.record)
    if let part = context.part { return "\(part) of \(path?.description ?? "a chain")" }
    let names = property?.split(separator: ".") ?? []
    return path?.description(observing: names.count > 1 ? names.last : nil)
  }

  // MARK: Sets

  /// Opens the entry of a set, which is in `scope`, and has marked what has read the property.
  func beginSet(of node: DependencyNode, _ text: String) -> TraceNode? {
    let name = name(of: node)
    guard !name.isEmpty else { return nil }
    let entry = begin(.set, name, name + text)
    record(entry, asChangeOf: ObjectIdentifier(node), name)
    let marked = names(markedBy: node)
    if !marked.isEmpty { note(.mark, name, marked) }
    return entry
  }

  /// Ends the entry of a set; that of the outermost one, when its scope has closed.
  func endSet(_ entry: TraceNode?, in scope: UnsafeMutablePointer<ThreadScope>) {
    guard let entry, !scope.isNested else { return end(entry) }
    entry.endsWithScope = true
    scope.settleAtClose()
  }

  /// What is to be checked after a change of `node`: readers in the order of subscription, each with
  /// its own behind it; the first of them.
  private func names(markedBy node: DependencyNode) -> String {
    var names: [String] = []
    var visited: Set<ObjectIdentifier> = []
    let most = 8
    var surplus = 0
    func visit(_ node: DependencyNode) {
      let readers = node.readingComputations.sorted { $0.order < $1.order }
      for reader in readers where visited.insert(ObjectIdentifier(reader)).inserted {
        guard names.count < most else {
          surplus += 1
          continue
        }
        names.append(reader.name(in: self))
        if let derived = (reader as? DerivedComputation)?.node { visit(derived) }
      }
    }
    visit(node)
    return names.joined(separator: ", ") + (surplus > 0 ? " and \(surplus) more" : "")
  }

  // MARK: Computations

  /// Opens the entry of an evaluation, with the reason for it.
  func beginEvaluation(of computation: Computation) -> TraceNode? {
    let name = computation.name(in: self)
    for index in 0..<computation.dependencyCount {
      let dependency = computation.dependency(index).pointee
      guard dependency.isOutdated else { continue }
      // Of nodes that have changed in the trace the names are known; the objects of others may have
      // died, on any thread.
      guard let change = change(of: ObjectIdentifier(dependency.node)) else {
        return begin(.evaluate, name, "\(name), because of an earlier change")
      }
      return begin(
        .evaluate, name, "\(name), because \(change.name) changed", cause: change)
    }
    return begin(
      .evaluate, name,
      computation.dependencyCount == 0 ? "\(name) for the first time" : "\(name), invalidated")
  }

  /// Opens the entry of the evaluation of a derived value.
  @inline(never) func begin(_ computation: DerivedComputation) {
    guard let entry = beginEvaluation(of: computation) else { return }
    entry.version = computation.node.version
    entry.former = computation.cached.map(describe)
  }

  /// Ends it, with the result.
  @inline(never) func end(_ computation: DerivedComputation) {
    guard let entry = last, entry.step == .evaluate, entry.subject == computation.name(in: self)
    else { return }
    let isChange = computation.node.version != entry.version
    if isChange {
      record(entry, asChangeOf: ObjectIdentifier(computation.node), entry.subject)
    }
    let value = computation.cached.map(describe) ?? ""
    let former = entry.former.map { "\($0) → " } ?? ""
    entry.text += ": \(former)\(value)" + (isChange ? "" : ", equal")
    end(entry)
  }

  /// Records that nothing that has been read has changed.
  func skip(_ computation: Computation) {
    let name = computation.name(in: self)
    note(.skip, name, "\(name): nothing that it has read has changed")
  }

  /// Runs `delivery`, which passes a value of the property `name` to an observer.
  func deliver(
    _ value: String, of name: String, to observer: String, cause: Change? = nil,
    _ delivery: () -> Void
  ) {
    let entry = begin(.deliver, name, "\(value) to \(observer)", cause: cause)
    delivery()
    end(entry)
  }
}

/// Records the disposal of a subscription, whichever trace that is in, if it was made while its
/// thread or all calls were recorded.
///
/// The property is named when the subscription is made, on the thread of its object: the disposal
/// may be on another one, which knows only whether the object is alive.
final class RecordedSubscription: EngineItem, @unchecked Sendable {
  // Proof of @unchecked: immutable.
  private let owner: WeakReference<AnyObject>
  /// What stands before and after the name of the owner.
  private let prefix: String
  private let suffix: String

  init(to owner: AnyObject, before prefix: String = "", after suffix: String = "") {
    self.owner = WeakReference(owner)
    self.prefix = prefix
    self.suffix = suffix
  }

  override func dispose() {
    guard let trace = TraceRecorder.ofThread else { return }
    owner.withObject { owner in
      let name = prefix + trace.name(of: owner) + suffix
      trace.note(.dispose, name, "of \(name)")
    }
  }
}

extension Computation {
  /// As `settle(in:)`, recorded.
  @inline(never) final func settleRecorded(in scope: UnsafeMutablePointer<ThreadScope>) {
    guard enter() else { return }
    defer { leave() }
    let trace = scope.trace
    guard isOutdated(in: scope) else { return trace?.skip(self) ?? () }
    let entry = trace?.beginEvaluation(of: self)
    update(in: scope)
    trace?.end(entry)
  }
}

extension UnsafeMutablePointer<ThreadScope> {
  /// The recorder of this thread, if it is recorded.
  @inline(__always) var trace: TraceRecorder? {
    _slowPath(pointee.batch.isTraced) ? TraceRecorder.ofThread : nil
  }
}
