import KeylineCore

/// What a batch has made of one property (D30, D31). Made for the property's first batch.
final class BatchedChange<Value> {
  /// The object that has the property: retained during a delivery only (D36).
  let owner: WeakReference<AnyObject>
  /// Whether the property has been set, and its observers have not been called yet.
  private(set) var isPending = false
  /// The depth of the batch that delivers it.
  var batch = 0
  /// The version before the batch.
  private(set) var formerVersion: UInt = 0
  /// Whether the last change was the death of the object that a weak property refers to.
  var isDeath = false
  /// Observers that have joined since the property was set.
  private var late: [LateMember] = []
  /// Delivers what has been collected, for a node whose values are not those of a wrapper.
  var deliver: (() -> Void)?
  /// Whether a mutation in place compares values: that of a collection would copy it.
  let isComparedInPlace: Bool
  private let isComparable = Equality<Value>.isKnown
  private let areEqual = Equality<Value>.of
  /// Whether there is a value before the batch to compare with.
  private(set) var hasFormer = false
  /// That value: not as an optional, whose type would have to be looked up.
  private let former = UnsafeMutablePointer<Value>.allocate(capacity: 1)
  /// In place of the value, for objects.
  private var formerObject = RecordedObject()
  private let isObject: Bool

  init(of owner: AnyObject, isObject: Bool) {
    self.owner = WeakReference(owner)
    self.isObject = isObject
    isComparedInPlace = isComparable && !(Value.self is any Collection.Type)
  }

  deinit {
    end()
    former.deallocate()
  }

  /// Records the first change.
  ///
  /// - Parameter version: the version after it.
  /// - Returns: false if the owner is dying.
  func begin(version: UInt, isDeath: Bool) -> Bool {
    guard owner.withObject({ _ in }) else { return false }
    self.isDeath = isDeath
    isPending = true
    formerVersion = version &- 1
    return true
  }

  /// Records the value before the first change.
  func record(_ value: Value) {
    guard isComparable else { return }
    hasFormer = true
    guard isObject else { return former.initialize(to: value) }
    formerObject = RecordedObject(Optionals.reference(in: value))
  }

  /// Whether `value` is the one before the batch.
  func isBack(at value: Value) -> Bool {
    guard hasFormer else { return false }
    guard isObject else { return areEqual(former.pointee, value) == true }
    return formerObject.refers(to: Optionals.reference(in: value))
  }

  func end() {
    isPending = false
    guard hasFormer else { return }
    hasFormer = false
    if isObject {
      formerObject = RecordedObject()
    } else {
      former.deinitialize(count: 1)
    }
  }
}

private struct LateMember {
  weak var member: EngineContext?
}

extension BatchedChange {
  func addLate(_ member: EngineContext) { late.append(LateMember(member: member)) }

  var hasLate: Bool { !late.isEmpty }

  func takeLate() -> [EngineContext] {
    guard hasLate else { return [] }
    defer { late = [] }
    return late.compactMap { $0.member }
  }
}

// MARK: Batches

extension PropertyNode {
  /// Whether the batch under way has changed it.
  var isBatched: Bool { batched?._withUnsafeGuaranteedRef { $0.isPending } ?? false }

  /// Whether the value before a mutation in place is worth comparing with the one after the batch:
  /// a collection, which that would copy, counts as changed.
  var wantsFormerValue: Bool {
    makeBatched()._withUnsafeGuaranteedRef { !$0.isPending && $0.isComparedInPlace }
  }

  func makeBatched() -> Unmanaged<BatchedChange<Value>> {
    if let batched { return batched }
    let made = Unmanaged.passRetained(BatchedChange<Value>(of: object, isObject: holdsObject))
    batched = made
    return made
  }

  /// Leaves a change to the end of the batch.
  ///
  /// - Returns: false if the change is to be delivered now.
  @inline(never) func collect(
    replacing former: Value, in scope: UnsafeMutablePointer<ThreadScope>
  ) -> Bool {
    guard let isFirst = collect(in: scope) else { return false }
    if isFirst { batched?._withUnsafeGuaranteedRef { $0.record(former) } }
    return true
  }

  /// Leaves a change to the end of the batch.
  ///
  /// - Parameter isDeath: whether it is the death of the object that a weak property refers to.
  /// - Returns: whether it is the first change in the batch; nil if it is to be delivered now.
  func collect(isDeath: Bool = false, in scope: UnsafeMutablePointer<ThreadScope>) -> Bool? {
    guard scope.pointee.batch.isOpen else {
      // An observer has set it while the batch is delivered: with this value, and now.
      batched?._withUnsafeGuaranteedRef {
        $0.end()
        _ = $0.takeLate()
      }
      return nil
    }
    if scope.pointee.rules.count > 0 { reportWrite(by: scope.pointee.rules.last.pointee) }
    return makeBatched()._withUnsafeGuaranteedRef { batched in
      if batched.isPending {
        batched.isDeath = isDeath
        if batched.batch == scope.pointee.batch.depth { return false }
        // An observer of the batch around this one has opened it: the property is delivered here.
        batched.batch = scope.pointee.batch.depth
        scope.pointee.batch.append(self)
        return false
      }
      // An object that is dying cannot be retained for the delivery.
      guard batched.begin(version: version, isDeath: isDeath) else { return nil }
      batched.batch = scope.pointee.batch.depth
      scope.pointee.batch.append(self)
      return true
    }
  }

  private func reportWrite(by rule: Unmanaged<DerivedComputation>) {
    guard Diagnostics.isNew(.derivedWrite, description) else { return }
    let rule = rule._withUnsafeGuaranteedRef { $0.description }
    Diagnostics.report(
      .derivedWrite, "the rule of \(rule) sets it: delivered after the evaluation",
      type: "\(type(of: object))", property: name)
  }

  /// Leaves changes of something that is not in a wrapper to the end of the batch, if one is open.
  ///
  /// - Parameter deliver: delivers them.
  /// - Returns: whether one is.
  func collect(deliveringBy deliver: @autoclosure () -> () -> Void) -> Bool {
    let scope = ThreadScope.ofThread
    guard scope.pointee.batch.isOpen, collect(in: scope) != nil else { return false }
    batched?._withUnsafeGuaranteedRef { if $0.deliver == nil { $0.deliver = deliver() } }
    return true
  }

  func resolveBatchedChange() {
    batched?._withUnsafeGuaranteedRef { batched in
      guard batched.isPending, batched.hasFormer else { return }
      batched.owner.withObject { _ in
        withStoredValue { value in
          guard batched.isBack(at: value) else { return }
          TraceRecorder.ofThread?.restore(self, value)
          batched.end()
          renewDependencies(of: batched.formerVersion)
        }
      }
    }
  }

  func deliverBatchedChange() {
    batched?._withUnsafeGuaranteedRef { batched in
      guard batched.isPending else { return deliverToLate() }
      batched.end()
      _ = batched.takeLate()
      batched.owner.withObject { _ in
        if let deliver = batched.deliver { return deliver() }
        guard let observersReference else { return }
        referentWatch?.isDelivering = batched.isDeath
        observersReference._withUnsafeGuaranteedRef { observers in
          withStoredValue { observers.deliverRecorded($0) }
        }
        referentWatch?.isDelivering = false
      }
    }
  }

  /// Delivers a value that is back at the former one to those who have joined in between, and have
  /// received another one (D36).
  func deliverToLate() {
    batched?._withUnsafeGuaranteedRef { batched in
      guard batched.hasLate else { return }
      batched.owner.withObject { _ in withStoredValue(deliverToLate) }
    }
  }

  func deliverToLate(_ value: Value) {
    let late = batched?._withUnsafeGuaranteedRef { $0.takeLate() } ?? []
    for member in late { observers?.next(value, to: member) }
  }

  /// Whether observers have joined since the property was set.
  var hasLate: Bool { batched?._withUnsafeGuaranteedRef { $0.hasLate } ?? false }

  /// Drops those who have joined in between: the delivery reaches them, too.
  func forgetLate() { _ = batched?._withUnsafeGuaranteedRef { $0.takeLate() } }

  /// Calls `body` with the value in the wrapper, or with nothing for state that Keyline does not
  /// store.
  func withStoredValue(_ body: (Value) -> Void) {
    guard let slot, let storage = UnsafeRawPointer(bitPattern: slot.pointee.address) else {
      return withoutStorage(body)
    }
    // Proof: the value comes first in the wrapper of a property that is not weak.
    guard isWeak else { return body(storage.assumingMemoryBound(to: Value.self).pointee) }
    // Proof of unsafeBitCast: a weak property is an optional reference, as any other one is.
    let object = storage.assumingMemoryBound(to: WeakObserved<AnyObject>.self).pointee.value
    body(unsafeBitCast(object, to: Value.self))
  }

  // Out of line, because the type of the optional has to be looked up.
  @inline(never) private func withoutStorage(_ body: (Value) -> Void) {
    if let nothing = () as? Value { body(nothing) }
  }

  /// An observer that has joined in a batch does not receive what had been set until then.
  func skippingPendingChange(_ observer: AnyObserver<Value>) -> AnyObserver<Value> {
    let joined = version
    return observer.withNext { [unowned self] value in
      if deliveredVersion != joined { observer.next(value) }
    }
  }
}
