import KeylineCore

/// What a derived property's rule is asked to do. One closure for all, so that the wrapper is small.
@usableFromInline enum DerivedStep<Value> {
  /// Evaluate the rule for an owner into uninitialised memory: `yes`, or `failed` with the fallback.
  case evaluate(AnyObject, into: UnsafeMutablePointer<Value>)
  /// Whether two values are the same.
  case compare(UnsafeMutablePointer<Value>, UnsafeMutablePointer<Value>)
  /// Whether objects are compared like that, too: by identity otherwise.
  case comparesObjects
  /// Initialise the memory with the fallback: `no` if there is none.
  case fallback(into: UnsafeMutablePointer<Value>)
}

@usableFromInline enum DerivedOutcome {
  case yes, no
  case failed(any Error)
}

@usableFromInline typealias DerivedRule<Value> = (DerivedStep<Value>) -> DerivedOutcome

/// The cached value of a derived property that has been read. Its node has the readers and the
/// observers, as that of a stored one.
///
/// Values are in raw memory, and never in optionals, whose types would have to be looked up at run
/// time for each evaluation.
///
/// - Isolation: confined, with its object.
final class DerivedCell<Value>: DerivedComputation, @unchecked Sendable {
  // Proof of @unchecked: as its superclass.

  /// Proof of Unmanaged: the node retains the cell.
  private let nodeReference: Unmanaged<PropertyNode<Value>>
  /// Immutable, so that calling it needs no retain; and the one that has replaced it.
  private let originalRule: DerivedRule<Value>
  @exclusivity(unchecked) private var replacingRule: DerivedRule<Value>?
  /// Four places for values, which are exchanged instead of moving what is in them.
  private let places = UnsafeMutablePointer<Value>.allocate(capacity: 4)
  // Proof of unchecked, here and below: confined; no foreign code runs during an access.
  /// That of the value.
  @exclusivity(unchecked) private var current: UnsafeMutablePointer<Value>
  /// That of the result of an evaluation.
  @exclusivity(unchecked) private var result: UnsafeMutablePointer<Value>
  /// That of the value that was delivered last.
  @exclusivity(unchecked) private var delivered: UnsafeMutablePointer<Value>
  /// That of a value to be released.
  @exclusivity(unchecked) private var replaced: UnsafeMutablePointer<Value>
  @exclusivity(unchecked) private var hasValue = false
  @exclusivity(unchecked) private var hasResult = false
  /// Whether the value has been replaced since it was delivered.
  @exclusivity(unchecked) private var isReplaced = false
  /// How often.
  @exclusivity(unchecked) private var replacements = 0
  @exclusivity(unchecked) private var deliveredVersion: UInt = 0
  private let isObject: Bool
  private let isTrivial = _isPOD(Value.self)
  private let comparesObjects: Bool
  /// In place of the values, for objects.
  @exclusivity(unchecked) private var object = RecordedObject()
  @exclusivity(unchecked) private var deliveredObject = RecordedObject()
  private var errorSubject: PublishSubject<any Error>?

  init(_ node: PropertyNode<Value>, of owner: AnyObject, _ rule: @escaping DerivedRule<Value>) {
    nodeReference = .passUnretained(node)
    originalRule = rule
    (current, result, delivered, replaced) = (places, places + 1, places + 2, places + 3)
    isObject = node.holdsObject
    comparesObjects = if case .yes = rule(.comparesObjects) { true } else { false }
    super.init(
      node, of: owner, valueType: Value.self,
      retainsObjects: Optionals.isCollectionOfReferences(Value.self))
    node.derive(by: self)
  }

  deinit {
    releaseValue()
    forgetDelivered()
    places.deallocate()
  }

  var property: PropertyNode<Value> { nodeReference.takeUnretainedValue() }

  // MARK: Reading

  /// The value, brought up to date.
  func read(of owner: AnyObject, in scope: UnsafeMutablePointer<ThreadScope>) -> Value {
    // What an object's value retains until it has been returned is kept by the scope.
    scope.within {
      guard !isEvaluating else { return valueInCycle(in: scope) }
      bringUpToDate(of: owner, in: scope)
      if let value = cachedValue { return value }
      // The object has died.
      forget()
      bringUpToDate(of: owner, in: scope)
      return cachedValue ?? valueInCycle(in: scope)
    }
  }

  override var cached: Any? { cachedValue.map { $0 as Any } }

  private var cachedValue: Value? {
    if isObject { return object.value() }
    return hasValue ? current.pointee : nil
  }

  /// What a rule receives that reads its own value: the fallback, the last value, or nil (D15).
  private func valueInCycle(in scope: UnsafeMutablePointer<ThreadScope>) -> Value {
    let cycle = reportCycle(in: scope)
    let place = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    defer { place.deallocate() }
    if case .yes = rule(.fallback(into: place)) { return place.move() }
    if let value = cachedValue ?? Optionals.value(nil, as: Value.self) { return value }
    fatalError("derived from itself, without a value or a fallback: \(cycle)")
  }

  // MARK: Evaluating

  @inline(__always) private func rule(_ step: DerivedStep<Value>) -> DerivedOutcome {
    if let replacingRule { replacingRule(step) } else { originalRule(step) }
  }

  /// Evaluates another rule from the next read on.
  func replaceRule(by rule: @escaping DerivedRule<Value>) {
    replacingRule = rule
    forget()
  }

  override func run(over root: AnyObject) {
    discardResult()
    let outcome = rule(.evaluate(root, into: result))
    hasResult = true
    if case .failed(let thrown) = outcome {
      error = thrown
    } else if error != nil {
      error = nil
    }
  }

  override var isResultSame: Bool {
    isObject ? isObjectSame : hasValue && areSame(current, result)
  }

  // Out of line, because the type of the optional has to be looked up.
  @inline(never) private var isObjectSame: Bool {
    let new = Optionals.reference(in: result.pointee)
    if object.refers(to: new) { return true }
    guard comparesObjects, new != nil, let value: Value = object.value() else { return false }
    replaced.initialize(to: value)
    defer { replaced.deinitialize(count: 1) }
    return areSame(replaced, result)
  }

  @inline(__always) private func areSame(
    _ one: UnsafeMutablePointer<Value>, _ other: UnsafeMutablePointer<Value>
  ) -> Bool {
    if case .yes = rule(.compare(one, other)) { true } else { false }
  }

  override func replaceValue(in scope: UnsafeMutablePointer<ThreadScope>) {
    let mustRemember = !isReplaced && isRemembered(in: scope)
    if isObject { return replaceObject(in: scope, mustRemember: mustRemember) }
    let isFirst = !hasValue
    if isFirst {
      hasValue = true
    } else if mustRemember {
      exchange(&delivered, &current)
      beginReplacing()
    } else {
      exchange(&replaced, &current)
    }
    replacements += 1
    exchange(&current, &result)
    hasResult = false
    value = UnsafeRawPointer(current)
    // Last, because a deinit may run.
    if !isFirst, !mustRemember {
      releaseReplaced()
      renewIfBack()
    }
  }

  /// Whether the value is to be compared with later ones: it is observed, or something has read it
  /// before the batch under way, which may restore it (D31).
  @inline(__always)
  private func isRemembered(in scope: UnsafeMutablePointer<ThreadScope>) -> Bool {
    isObserved || scope.pointee.batch.isExplicit && remember(in: scope)
  }

  @inline(never) private func remember(in scope: UnsafeMutablePointer<ThreadScope>) -> Bool {
    guard nodeReference._withUnsafeGuaranteedRef({ $0.hasReaders }) else { return false }
    // The node is retained, too: its registry may end in the scope.
    scope.atEnd { [self, node] in
      withExtendedLifetime(node) { if !isObserved { forgetDelivered() } }
    }
    return true
  }

  private func replaceObject(in scope: UnsafeMutablePointer<ThreadScope>, mustRemember: Bool) {
    if mustRemember, !object.isEmpty {
      deliveredObject = object
      beginReplacing()
    }
    replacements += 1
    dropResult(in: scope)
    renewIfBack()
  }

  /// What has read the value that was delivered last counts as having read the current one, if that
  /// is the same (D5).
  @inline(__always) private func renewIfBack() {
    if isReplaced, !isOtherThanDelivered { renewDependencies() }
  }

  @inline(never) private func renewDependencies() {
    property.renewDependencies(of: deliveredVersion)
  }

  private func beginReplacing() {
    isReplaced = true
    replacements = 0
    deliveredVersion = nodeReference._withUnsafeGuaranteedRef { $0.version } &- 1
  }

  /// An object is cached weakly, and kept until the scope closes.
  override func dropResult(in scope: UnsafeMutablePointer<ThreadScope>) {
    if isObject {
      let new = Optionals.reference(in: result.pointee)
      object = RecordedObject(new)
      if let new { scope.keep(new) }
    }
    discardResult()
  }

  @inline(__always) private func discardResult() {
    guard hasResult else { return }
    hasResult = false
    exchange(&replaced, &result)
    releaseReplaced()
  }

  override func releaseValue() {
    value = nil
    clean?.pointee.invalidate()
    guard hasValue else { return }
    hasValue = false
    exchange(&replaced, &current)
    releaseReplaced()
  }

  private func forgetDelivered() {
    guard isReplaced else { return }
    isReplaced = false
    if isObject {
      deliveredObject = RecordedObject()
    } else {
      exchange(&replaced, &delivered)
      releaseReplaced()
    }
  }

  // Not `swap`, which looks up the type of the pointers.
  @inline(__always) private func exchange(
    _ one: inout UnsafeMutablePointer<Value>, _ other: inout UnsafeMutablePointer<Value>
  ) {
    let kept = one
    one = other
    other = kept
  }

  /// Releases a value that has been taken out of its place: its deinit may come back here.
  @inline(__always) private func releaseReplaced() {
    // Numbers and the like need no release.
    if !isTrivial { moveOutReplaced() }
  }

  // A value that is moved out is released at the end.
  @inline(never) private func moveOutReplaced() { _ = replaced.move() }

  // MARK: Delivering

  override func willBeObserved() {
    super.willBeObserved()
    forgetDelivered()
  }

  override var hasObservers: Bool { nodeReference._withUnsafeGuaranteedRef { $0.hasObservers } }

  override func deliverValue(in scope: UnsafeMutablePointer<ThreadScope>) {
    guard isReplaced else { return }
    let isChanged = isOtherThanDelivered
    forgetDelivered()
    guard isChanged else { return deliverToLate() }
    nodeReference._withUnsafeGuaranteedRef { $0.forgetLate() }
    if isObject { return deliverObject() }
    guard hasValue else { return }
    nodeReference._withUnsafeGuaranteedRef { node in
      node.observersReference?._withUnsafeGuaranteedRef {
        if _slowPath(scope.pointee.batch.isTraced) { return $0.deliverRecorded(current.pointee) }
        $0.deliverStored(current.pointee)
      }
    }
  }

  @inline(never) private func deliverToLate() {
    if let value = cachedValue { property.deliverToLate(value) }
  }

  @inline(never) private func deliverObject() {
    if let value = cachedValue { property.observers?.deliverRecorded(value) }
  }

  @inline(__always) private var isOtherThanDelivered: Bool {
    replacements <= 1 || differsAfterSeveral
  }

  @inline(never) private var differsAfterSeveral: Bool {
    isObject ? !deliveredObject.isSame(as: object) : !areSame(delivered, current)
  }

  override var isPending: Bool {
    guard isObserved else { return false }
    bringUpToDate(in: ThreadScope.ofThread)
    // Those who have joined in between have received a value that it may not have any more.
    return isReplaced && (isOtherThanDelivered || property.hasLate)
  }

  override func end() {
    defer { super.end() }
    dispose()
    errorSubject?.onCompleted()
    releaseValue()
    forgetDelivered()
  }

  // MARK: Errors

  /// What the rule throws.
  var errors: Observable<any Error> {
    let subject = errorSubject ?? PublishSubject()
    errorSubject = subject
    return subject
  }

  override func emit(_ error: any Error) {
    if let errorSubject, errorSubject.hasObservers { return errorSubject.onNext(error) }
    report(.derivedError, "\(error)")
  }
}
