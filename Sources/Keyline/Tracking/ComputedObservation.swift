import KeylineCore

/// Reads a value from an object, and stores the key path it is read through, if there is one, in
/// `identity`, unless that is nil.
///
/// One closure for both: a closure that uses a literal key path becomes a plain function in which
/// the path is folded into an access, and of two closures over one key path neither does.
@usableFromInline typealias PropertyAccess<Value> = (
  _ root: AnyObject, _ identity: UnsafeMutablePointer<AnyKeyPath?>?
) -> Value

/// Stores a key path in `identity`. Out of line and with a closure, so that the key path is made
/// there only.
@inline(never) @usableFromInline
func leave(_ keyPath: () -> AnyKeyPath, at identity: UnsafeMutablePointer<AnyKeyPath?>) {
  identity.pointee = keyPath()
}

/// The observation of an expression over an object: evaluates it when the scope closes in which
/// something it has read was set, and delivers each result.
@usableFromInline final class ComputedObservation<Value>: Computation, @unchecked Sendable {
  // Proof of @unchecked: as its superclass; the root is referenced weakly, and its address is only
  // compared or used while it exists.
  private let root: WeakReference<AnyObject>
  /// What it is a part of. Weak, because it is retained by that.
  private let subscription: WeakReference<EngineContext>
  private let address: UnsafeRawPointer
  private let rootType: Any.Type
  // Taken out while they are called, by the thread that has made it busy: to keep them alive in their
  // places would cost retains and releases.
  // Proof of unchecked: no foreign code runs during an access.
  @exclusivity(unchecked) private var path: PropertyAccess<Value>?
  @exclusivity(unchecked) private var observer: AnyObserver<Value>?
  /// Room for one value, between evaluation and delivery.
  private let storage = UnsafeMutablePointer<Value>.allocate(capacity: 1)
  private var hasValue = false
  /// Numbers and the like need no release.
  private let isTrivial = _isPOD(Value.self)

  init(
    _ root: AnyObject, _ path: @escaping PropertyAccess<Value>, _ observer: AnyObserver<Value>,
    in context: EngineContext, prior: (() -> Void)? = nil
  ) {
    subscription = WeakReference(context)
    self.root = WeakReference(root)
    address = UnsafeRawPointer(Unmanaged.passUnretained(root).toOpaque())
    rootType = type(of: root)
    self.path = path
    self.observer = observer
    super.init(prior: prior)
  }

  deinit {
    clear()
    storage.deallocate()
  }

  /// Depends on what `evaluation` has read, and delivers its value through `first`, before anything
  /// that this causes is delivered. The scope is open.
  func start(
    _ value: Value, _ evaluation: UnsafeMutablePointer<Evaluation>,
    in scope: UnsafeMutablePointer<ThreadScope>, first: (Value) -> Void
  ) {
    guard enter() else { return }
    let trace = TraceRecorder.ofThread
    subscription.withObject { context in
      context.push(self)
      if _slowPath(trace != nil || Diagnostics.isRecording) { recordDisposal(of: context) }
    }
    adopt(evaluation, in: scope)
    let entry = trace.flatMap { trace in
      trace.begin(.subscribe, name(in: trace), "to \(name(in: trace)): \(trace.describe(value))")
    }
    defer { entry?.end() }
    // Something that was read may have been set before it became a dependency.
    if isOutdated(in: scope), evaluate(in: scope) {
      first(storage.pointee)
      clear()
    } else {
      first(value)
    }
    leave()
  }

  override var context: EngineContext? { subscription.retained()?.takeRetainedValue() }

  /// The current value, with dependencies on everything read for it: what has been set until now is
  /// not delivered any more. Nil if the root is dead, and while an outdated value is being
  /// delivered.
  @usableFromInline func refresh() -> Value? {
    let scope = ThreadScope.ofThread
    guard enter() else { return hasValue && !isOutdated(in: scope) ? storage.pointee : nil }
    defer { leave() }
    guard evaluate(in: scope) else { return nil }
    defer { clear() }
    return storage.pointee
  }

  override func update(in scope: UnsafeMutablePointer<ThreadScope>) {
    // The root is not retained during the delivery: it may die there.
    guard evaluate(in: scope) else { return }
    if _slowPath(scope.pointee.batch.isTraced) { return deliverRecorded() }
    if !isEnding, let observer {
      self.observer = nil
      observer.next(storage.pointee)
      self.observer = observer
    }
    clear()
  }

  @inline(never) private func deliverRecorded() {
    let deliver = { if !self.isEnding { self.observer?.next(self.storage.pointee) } }
    if let trace = TraceRecorder.ofThread {
      let value = trace.describe(storage.pointee)
      let name = name(in: trace)
      let observer = context.flatMap { trace.name(of: $0) }
      trace.last?.text += ": \(value)"
      trace.deliver(value, of: name, to: observer ?? "the observer of \(name)", deliver)
    } else {
      deliver()
    }
    clear()
  }

  /// Lets the disposal of a subscription be recorded.
  @inline(never) private func recordDisposal(of context: EngineContext) {
    root.withObject { context.push(RecordedSubscription(to: $0, before: "\(Value.self) of ")) }
  }

  /// `String of Person#1`.
  override func name(in trace: TraceRecorder) -> String {
    var name = trace.dying[address] ?? "\(rootType)"
    root.withObject { name = trace.name(of: $0) }
    return "\(Value.self) of \(name)"
  }

  /// Evaluates into the storage.
  ///
  /// - Returns: false if the root is dead.
  private func evaluate(in scope: UnsafeMutablePointer<ThreadScope>) -> Bool {
    guard path != nil else { return false }
    let isAlive = root.withObject { root in evaluate(root, in: scope) }
    // A root that is set in its own deinit cannot be retained any more, but can be read.
    guard !isAlive, scope.pointee.owner == address else { return isAlive }
    // Proof of Unmanaged: the set under way on this thread is of this object.
    Unmanaged<AnyObject>.fromOpaque(address)._withUnsafeGuaranteedRef { evaluate($0, in: scope) }
    return true
  }

  override func run(over root: AnyObject) {
    // Released while it is busy only by the thread that has made it busy, when it leaves.
    guard let path else { return }
    self.path = nil
    clear()
    storage.initialize(to: path(root, nil))
    self.path = path
    hasValue = true
  }

  private func clear() {
    guard hasValue else { return }
    hasValue = false
    if !isTrivial { storage.deinitialize(count: 1) }
  }

  override func complete() {
    guard let observer else { return }
    self.observer = nil
    if let trace = TraceRecorder.ofThread { trace.noteCompletion(of: name(in: trace)) }
    observer.terminate(nil)
  }

  override func releaseClosures() {
    path = nil
    observer = nil
  }

  override func reportFeedback() {
    Diagnostics.report(
      .feedbackLoop,
      "observers of a \(Value.self) set what it is computed from, "
        + "\(Diagnostics.feedbackLimit) times in a row; the last value stays",
      type: "\(rootType)", property: names)
  }
}
