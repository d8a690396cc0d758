import KeylineCore

// What a trace records of properties. Nothing calls these while the thread is not recorded.

extension PropertyNode {
  /// Does what a set does after the store, and records it.
  ///
  /// - Returns: false if nothing records, and the value is to be delivered.
  @inline(never) func record(
    _ value: Value, replacing former: Value, in scope: UnsafeMutablePointer<ThreadScope>
  ) -> Bool {
    let collect = { scope.pointee.batch.isActive && self.collect(replacing: former, in: scope) }
    guard let trace = TraceRecorder.ofThread else { return collect() }
    let areEqual = untracked { trace.quietly { Equality<Value>.of(former, value) == true } }
    let change = "\(trace.describe(former)) → \(trace.describe(value))"
    record(": \(change)\(areEqual ? ", equal" : "")", value, in: scope, by: trace, collect)
    return true
  }

  /// As `record(_:replacing:in:)`, for a value that need not be compared with the one before.
  @inline(never) func record(_ value: Value, in scope: UnsafeMutablePointer<ThreadScope>) -> Bool {
    let collect = { scope.pointee.batch.isActive && self.collect(in: scope) != nil }
    guard let trace = TraceRecorder.ofThread else { return collect() }
    let isVoid = Value.self == Void.self
    record(
      isVoid ? "" : ", changed to \(trace.describe(value))", value, in: scope, by: trace, collect)
    return true
  }

  private func record(
    _ change: String, _ value: Value, in scope: UnsafeMutablePointer<ThreadScope>,
    by trace: TraceRecorder, _ collect: () -> Bool
  ) {
    let entry = trace.beginSet(of: self, change)
    if !collect() {
      let outer = scope.pointee.evaluation
      scope.pointee.evaluation = nil
      observersReference?._withUnsafeGuaranteedRef { $0.deliverRecorded(value) }
      scope.pointee.evaluation = outer
    }
    trace.endSet(entry, in: scope)
  }

  /// Records a subscription, and that its disposal is recorded.
  ///
  /// - Returns: its entry, which ends when the current value has been delivered.
  @inline(never) func recordSubscription(of context: EngineContext) -> TraceNode? {
    recordDisposal(of: context)
    return TraceRecorder.ofThread.flatMap { beginSubscribing(in: context, recordedBy: $0) }
  }

  /// Lets the disposal of a subscription be recorded.
  @inline(never) func recordDisposal(of context: EngineContext) {
    guard let owner else { return }
    let property = untracked { name }
    context.push(RecordedSubscription(to: owner, after: property.map { ".\($0)" } ?? ""))
  }

  /// Opens the entry of a subscription.
  func beginSubscribing(
    in context: EngineContext, recordedBy trace: TraceRecorder
  ) -> TraceNode? {
    let name = trace.name(of: self)
    var value: String?
    if let derivation {
      value = derivation._withUnsafeGuaranteedRef { $0.cached.map(trace.describe) }
    } else if slot != nil {
      withStoredValue { value = trace.describe($0) }
    }
    let observer = trace.name(of: context, observing: name).map { "\($0) to " } ?? "to "
    return trace.begin(.subscribe, name, observer + name + (value.map { ": \($0)" } ?? ""))
  }
}

extension TraceRecorder {
  /// Applies `rule` to a value on its way into the property of `node`. If it refuses or changes that,
  /// what it has caused, a report perhaps, is inside the entry.
  ///
  /// - Parameter isFinal: whether a change counts.
  func apply<Value>(
    _ rule: SetRule<Value>, to value: inout Value, by writer: AnyObject?, of node: DependencyNode,
    isFinal: Bool
  ) -> SetOutcome? {
    let name = name(of: node)
    let entry = begin(.refuse, name, "\(name): \(describe(value))")
    let outcome = rule.apply(&value, writer)
    switch outcome {
    case .refused(let error): entry?.text += ": \(describe(error))"
    case .coerced where isFinal:
      entry?.step = .coerce
      entry?.text += " to \(describe(value))"
    case .coerced, nil: dissolve(entry)
    }
    end(entry)
    return outcome
  }

  /// Opens the entry of the death of `owner`, in its deinit.
  ///
  /// - Returns: what ends it.
  func beginDeath(of owner: AnyObject) -> () -> Void {
    let (name, identity) = (name(of: owner), ObjectIdentifier(owner))
    let address = UnsafeRawPointer(Unmanaged.passUnretained(owner).toOpaque())
    dying[address] = name
    let entry = begin(.death, name, "of \(name)")
    return { [self] in
      endSet(entry, in: ThreadScope.ofThread)
      dying[address] = nil
      forget(identity)
    }
  }

  /// Records that `node` is back at its value before the batch.
  func restore(_ node: DependencyNode, _ value: Any) {
    let name = name(of: node)
    note(.restore, name, "\(name): \(describe(value)) again")
  }

  /// Records that the observers of `node` receive completion, in the deinit of `owner`.
  func complete(_ node: DependencyNode, of owner: AnyObject) {
    if !node.observerContexts.isEmpty { noteCompletion(of: name(of: node, of: owner)) }
  }
}
