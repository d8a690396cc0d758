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

/// A derived property that has been read: its cached value, beside what all properties have.
///
/// - Isolation: confined, with its object.
@usableFromInline final class DerivedNode<Value>: PropertyNode<Value>, DerivedValue {
  private let rule: DerivedRule<Value>
  /// Three places: the value, the result of an evaluation, and the value that was delivered last.
  // Proof of unchecked, here and below: confined; no foreign code runs during an access.
  private let storage = UnsafeMutablePointer<Value>.allocate(capacity: 3)
  @exclusivity(unchecked) private var hasValue = false
  @exclusivity(unchecked) private var hasResult = false
  /// Whether the value has been replaced since it was delivered.
  @exclusivity(unchecked) private var hasFormer = false
  /// How often.
  @exclusivity(unchecked) private var replacements = 0
  @exclusivity(unchecked) private var formerVersion: UInt = 0
  /// In place of the value, for objects.
  @exclusivity(unchecked) private var cache = ObjectCache()
  @exclusivity(unchecked) private var formerCache = ObjectCache()
  /// Whether a change has been announced since the last delivery.
  @exclusivity(unchecked) private var isAnnouncedNow = false
  private let comparesObjects: Bool
  let retainsObjects: Bool
  private var computation: DerivedComputation?
  private var errorSubject: PublishSubject<any Error>?

  init(_ owner: AnyObject, _ rule: @escaping DerivedRule<Value>) {
    self.rule = rule
    retainsObjects = Optionals.isCollectionOfReferences(Value.self)
    comparesObjects = if case .yes = rule(.comparesObjects) { true } else { false }
    super.init(owner)
    computation = DerivedComputation(self, of: owner)
  }

  deinit {
    computation?.dispose()
    releaseValue()
    discardFormer()
    storage.deallocate()
  }

  override var retainsValue: Bool { false }

  // MARK: Reading

  /// The value, brought up to date.
  func read(of owner: AnyObject, in scope: UnsafeMutablePointer<ThreadScope>) -> Value {
    // What an object's value retains until it has been returned is kept by the scope.
    scope.within {
      guard let computation, !computation.isEvaluating else { return valueInCycle(in: scope) }
      computation.bringUpToDate(of: owner, in: scope)
      if let value = cachedValue { return value }
      // The object has died.
      computation.mustEvaluate = true
      isOutdated = true
      computation.bringUpToDate(of: owner, in: scope)
      return cachedValue ?? valueInCycle(in: scope)
    }
  }

  private var cachedValue: Value? {
    if holdsObject { return cache.value() }
    return hasValue ? storage.pointee : nil
  }

  /// What a rule receives that reads its own value: the fallback, the last value, or nil (D15).
  private func valueInCycle(in scope: UnsafeMutablePointer<ThreadScope>) -> Value {
    let cycle = computation?.reportCycle(in: scope) ?? description
    let place = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    defer { place.deallocate() }
    if case .yes = rule(.fallback(into: place)) { return place.move() }
    if let value = cachedValue ?? Optionals.value(nil, as: Value.self) { return value }
    fatalError("derived from itself, without a value or a fallback: \(cycle)")
  }

  // MARK: Evaluating

  func evaluate(_ owner: AnyObject) -> (any Error)? {
    discardResult()
    let outcome = rule(.evaluate(owner, into: storage + 1))
    hasResult = true
    if case .failed(let error) = outcome { return error }
    return nil
  }

  func isResultSame() -> Bool {
    if holdsObject {
      let result = Optionals.reference(in: storage[1])
      if cache.refers(to: result) { return true }
      guard comparesObjects, result != nil, let current: Value = cache.value() else { return false }
      return withUnsafeMutablePointer(to: &storage[2]) { place in
        place.initialize(to: current)
        defer { place.deinitialize(count: 1) }
        return isSame(place, storage + 1)
      }
    }
    return hasValue && isSame(storage, storage + 1)
  }

  private func isSame(
    _ one: UnsafeMutablePointer<Value>, _ other: UnsafeMutablePointer<Value>
  ) -> Bool {
    if case .yes = rule(.compare(one, other)) { true } else { false }
  }

  func replaceValue(in scope: UnsafeMutablePointer<ThreadScope>) {
    if holdsObject {
      if hasObservers, !hasFormer, !cache.isEmpty {
        formerCache = cache
        beginReplacing()
      }
      replacements += 1
      let result = Optionals.reference(in: storage[1])
      cache.set(result)
      if let result { scope.keep(result) }
      discardResult()
      return renewIfBack()
    }
    let former = hasValue ? storage.move() : nil
    hasResult = false
    storage.moveInitialize(from: storage + 1, count: 1)
    computation?.value = UnsafeRawPointer(storage)
    guard hasValue else {
      hasValue = true
      return
    }
    if hasObservers, !hasFormer, let former {
      (storage + 2).initialize(to: former)
      beginReplacing()
    }
    replacements += 1
    withExtendedLifetime(former) {}
    renewIfBack()
  }

  /// What has read the value that was delivered last counts as having read the current one, if that
  /// is the same (D5).
  private func renewIfBack() {
    if hasFormer, !isOtherThanDelivered { renewDependencies(of: formerVersion) }
  }

  private func beginReplacing() {
    hasFormer = true
    replacements = 0
    formerVersion = version &- 1
  }

  func dropResult(in scope: UnsafeMutablePointer<ThreadScope>) {
    if holdsObject, let result = Optionals.reference(in: storage[1]) {
      cache.set(result)
      scope.keep(result)
    }
    discardResult()
  }

  private func discardResult() {
    guard hasResult else { return }
    hasResult = false
    (storage + 1).deinitialize(count: 1)
  }

  func releaseValue() {
    computation?.value = nil
    guard hasValue else { return }
    hasValue = false
    let value = storage.move()
    withExtendedLifetime(value) {}
  }

  private func discardFormer() {
    guard hasFormer else { return }
    hasFormer = false
    formerCache = ObjectCache()
    guard !holdsObject else { return }
    let value = (storage + 2).move()
    withExtendedLifetime(value) {}
  }

  // MARK: Delivering

  func deliverValue(in scope: UnsafeMutablePointer<ThreadScope>) {
    isAnnouncedNow = false
    guard hasFormer else { return }
    let isChanged = isOtherThanDelivered
    discardFormer()
    guard isChanged else {
      if let value = cachedValue { deliverToLate(value) }
      return
    }
    _ = batched?.takeLate()
    if let observers, let value = cachedValue { observers.deliverStored(value) }
  }

  private var isOtherThanDelivered: Bool {
    guard replacements > 1 else { return true }
    if holdsObject { return !formerCache.isSame(as: cache) }
    return !isSame(storage + 2, storage)
  }

  /// Whether it is about to be delivered.
  override var isPending: Bool {
    guard hasObservers else { return false }
    computation?.bringUpToDate(in: ThreadScope.ofThread)
    return hasFormer && isOtherThanDelivered
  }

  override func beforeEach(in context: SubscriptionContext, _ action: @escaping () -> Void) {
    super.beforeEach(in: context, action)
    computation?.announce { [weak self] in
      self?.announce()
      self?.isAnnouncedNow = true
    }
  }

  override var isAnnounced: Bool { isAnnouncedNow }

  override func complete() {
    super.complete()
    errorSubject?.onCompleted()
    releaseValue()
    discardFormer()
  }

  // MARK: Errors

  /// What the rule throws.
  var errors: Observable<any Error> {
    let subject = errorSubject ?? PublishSubject()
    errorSubject = subject
    return subject
  }

  func emit(_ error: any Error) {
    if let errorSubject, errorSubject.hasObservers { return errorSubject.onNext(error) }
    Diagnostics.report(
      .derivedError, "\(error)", type: "\(type(of: object))", property: name)
  }

  /// Evaluates again, whatever has changed (D18).
  func invalidate() { computation?.invalidate() }
}

/// An object that is cached without being retained.
private struct ObjectCache {
  private weak var object: AnyObject?
  private var isNil = false
  /// Whether nothing has been cached.
  private(set) var isEmpty = true

  mutating func set(_ object: AnyObject?) {
    self.object = object
    isNil = object == nil
    isEmpty = false
  }

  func refers(to other: AnyObject?) -> Bool {
    guard let other else { return !isEmpty && isNil }
    return object === other
  }

  func isSame(as other: ObjectCache) -> Bool {
    isNil ? other.isNil : object != nil && object === other.object
  }

  /// As a value that is a reference; nil if there is none, or the object is dead.
  func value<Value>() -> Value? {
    guard !isEmpty, isNil || object != nil else { return nil }
    return Optionals.value(referringTo: object)
  }
}
