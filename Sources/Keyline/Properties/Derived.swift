import KeylineCore

/// A property that is computed by a rule from other properties, cached, and observable like any.
///
/// ```swift
/// final class Invoice: ReactiveObject {
///   @Observed var lines: [Line] = []
///   @Observed var rateText = "20"
///   @Derived({ (self: Invoice) in self.lines.reduce(0) { $0 + $1.price } }) var net: Int
///   @Derived(or: 0, { (self: Invoice) in try parse(self.rateText) }) var rate: Int
/// }
/// let invoice = Invoice()
/// _ = invoice.observe(\.net)   // and observeChanges, chains, bindings, values(of:), by name
/// _ = invoice.$rate.errors     // what the rule has thrown
/// invoice.$net.invalidate()    // evaluates again, after a change that is not observed
/// ```
///
/// `self` is the name of the closure's parameter, of the class's own type; it must be written out.
/// The rule may read anything that is observable, of any objects of its isolation domain.
///
/// Laws of derived values, tested under these numbers:
/// - D1. The rule does not run before the first read or observation.
/// - D2. The value is cached, whether it is observed or not.
/// - D3. A set of something that the rule has read only marks the value; the next read evaluates it.
/// - D4. Observed, it is evaluated once for each outermost set, and emitted if it has changed.
/// - D5. An equal result (`==`, objects by identity, `equals:`) is not emitted, and nothing that
///   depends on it is evaluated: the value stays the one before, for reads as well. Values that cannot
///   be compared are different each time.
/// - D6. When the last observer has left, sets evaluate nothing; reads stay right.
/// - D7. It is never computed from a mix of old and new, and once per scope, whatever paths lead to it.
/// - D8. Dependencies are those of the last run.
/// - D9. They are checked in the order of reading, up to the first that has changed: what is not
///   reached any more is not evaluated.
/// - D10. What is read inside `untracked` is no dependency, nor what observers and subscriptions read
///   that a rule has caused.
/// - D11. A read is fresh anywhere: in observers, and in a batch.
/// - D12. When a scope closes, what is computed is evaluated in the order of subscription; the
///   observers of a derived value are called together, in the place of the first.
/// - D13. It follows the objects that are on the way at the time, and the death of weak ones.
/// - D14. It retains neither its owner nor what the rule has read. A value that is an object is
///   referenced weakly, and computed again once that is dead; any other value is retained while the
///   owner lives, a collection of objects only until it is outdated and unobserved.
/// - D15. A rule that reads its own value, by way of others too, is reported with all members. It
///   receives the fallback, else the last value, else nil; the program stops if there is none of these.
/// - D16. The error of a rule that throws is emitted once by `$name.errors`, or reported; the value is
///   the fallback.
/// - D17. What a rule sets is stored at once, delivered after the evaluation, and reported once. A
///   rule that changes what it has read runs until that stands still, within the feedback limit.
/// - D18. `$name.invalidate()` evaluates again.
/// - D19. Rows of derived values of any length do not need more of the thread's stack, except for the
///   first read of a row, which recurses through its rules.
/// - D20. Owners are classes of any kind: final, open, generic, `@MainActor`, and conformers to
///   ``PropertyObservable``.
/// - D21. In a class that is `Observation.Observable`, too, see ``DoublyDerived``.
/// - D22. By name it is read-only.
/// - D23. The owner, and weak objects that the rule has read, may die on any thread.
///
/// - Note: a rule that reads an object of the standard library's Observation is not evaluated when
///   that changes; see `Observable.tracking(isolation:_:)`.
/// - Note: the compiler reports a rule whose `self` is not of the class that declares the property, or
///   of none, without a line: that `Owner` has no member of that name, or that a key path cannot be
///   converted.
/// - Complexity: a read of a value that is up to date is a few loads. One word and a closure for each
///   object; the cache is made by the first read.
/// - SeeAlso: `computed` of MobX and the signal libraries; JavaFX's bindings; KVO's
///   `keyPathsForValuesAffectingValue(forKey:)`.
@propertyWrapper public struct Derived<Owner: PropertyObservable, Value> {
  @usableFromInline let rule: DerivedRule<Value>
  @usableFromInline var slot: UnsafeMutablePointer<PropertySlot>?

  // Each closure captures nothing but the rule: then the optimiser makes a plain function of it, and
  // the wrapper allocates nothing.

  /// A value that is the same as long as it is equal.
  @inlinable @inline(__always)
  public init(_ rule: @escaping (Owner) -> Value) where Value: Equatable {
    self.rule = { step in Self.perform(step, rule, { $0 == $1 }) }
  }

  /// - Parameter equals: whether two values are the same; if it is not given, objects are by
  ///   identity, and other values never.
  @_disfavoredOverload @inlinable @inline(__always)
  public init(_ rule: @escaping (Owner) -> Value, equals: ((Value, Value) -> Bool)? = nil) {
    self.rule = { step in
      Self.perform(step, rule, { equals?($0, $1) ?? false }, comparesObjects: equals != nil)
    }
  }

  /// A value that is the same as long as it is equal, of a rule that may throw.
  ///
  /// - Parameter fallback: the value when the rule throws, or reads itself.
  @inlinable @inline(__always)
  public init(
    or fallback: @autoclosure @escaping () -> Value, _ rule: @escaping (Owner) throws -> Value
  ) where Value: Equatable {
    self.rule = { step in Self.perform(step, rule, { $0 == $1 }, fallback: fallback) }
  }

  /// A value of a rule that may throw.
  ///
  /// - Parameters:
  ///   - fallback: the value when the rule throws, or reads itself.
  ///   - equals: whether two values are the same; if it is not given, objects are by identity, and
  ///     other values never.
  @_disfavoredOverload @inlinable @inline(__always)
  public init(
    or fallback: @autoclosure @escaping () -> Value, _ rule: @escaping (Owner) throws -> Value,
    equals: ((Value, Value) -> Bool)? = nil
  ) {
    self.rule = { step in
      Self.perform(
        step, rule, { equals?($0, $1) ?? false }, comparesObjects: equals != nil,
        fallback: fallback)
    }
  }

  @inlinable @inline(__always) static func perform(
    _ step: DerivedStep<Value>, _ rule: (Owner) throws -> Value, _ areSame: (Value, Value) -> Bool,
    comparesObjects: Bool = false, fallback: () -> Value? = { nil }
  ) -> DerivedOutcome {
    switch step {
    case .evaluate(let owner, let place):
      do {
        // Proof of unsafeDowncast: the accessor passes an Owner.
        place.initialize(to: try rule(unsafeDowncast(owner, to: Owner.self)))
        return .yes
      } catch {
        // Proof of unsafelyUnwrapped: a rule that may throw has a fallback.
        place.initialize(to: fallback().unsafelyUnwrapped)
        return .failed(error)
      }
    case .compare(let one, let other):
      return areSame(one.pointee, other.pointee) ? .yes : .no
    case .comparesObjects:
      return comparesObjects ? .yes : .no
    case .fallback(let place):
      guard let value = fallback() else { return .no }
      place.initialize(to: value)
      return .yes
    }
  }

  @available(*, unavailable, message: "@Derived belongs in a class that is PropertyObservable")
  public var wrappedValue: Value { fatalError("unavailable") }

  @available(*, unavailable, message: "@Derived belongs in a class that is PropertyObservable")
  public var projectedValue: DerivedProperty { fatalError("unavailable") }

  @inlinable
  public static subscript(
    _enclosingInstance owner: Owner,
    wrapped property: @autoclosure () -> KeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    @inline(__always) get {
      let slot = owner[keyPath: storage].slot
      // Two loads: one, after what may release something, would be bracketed by a retain and a release.
      if isClean(slot, in: owner, Value.self) {
        // Proof of unsafelyUnwrapped: a slot that is clean has a value.
        return slot.unsafelyUnwrapped.clean.pointee.value.unsafelyUnwrapped
          .assumingMemoryBound(to: Value.self).pointee
      }
      if let value = currentValue(of: slot, in: owner, Value.self) {
        return value.assumingMemoryBound(to: Value.self).pointee
      }
      return firstValue(
        owner, { property() }, at: withUnsafeMutablePointer(to: &owner[keyPath: storage]) { $0 })
    }
  }

  /// As `read(_:_:at:)`. Compiled for the client's types, and the last thing that an accessor does:
  /// then that saves no registers for it.
  @inlinable @inline(never) static func firstValue(
    _ owner: Owner, _ property: () -> AnyKeyPath?, at storage: UnsafeMutablePointer<Self>
  ) -> Value { read(owner, property, at: storage) }

  /// - Parameter property: not used: the key path of the projection itself.
  public static subscript(
    _enclosingInstance owner: Owner,
    projected property: KeyPath<Owner, DerivedProperty>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> DerivedProperty {
    let storage = withUnsafeMutablePointer(to: &owner[keyPath: storage]) { $0 }
    let cell = cell(of: owner, { nil }, at: storage)
    return DerivedProperty(
      of: cell, errors: { cell?.errors ?? .empty() }, invalidate: { cell?.invalidate() })
  }

  /// - Parameter storage: where the wrapper is in the owner.
  @inline(never) @usableFromInline static func read(
    _ owner: Owner, _ property: () -> AnyKeyPath?, at storage: UnsafeMutablePointer<Self>
  ) -> Value {
    guard let cell = cell(of: owner, property, at: storage) else {
      // Nothing of the object can be observed, nor cached, which has been reported.
      let place = UnsafeMutablePointer<Value>.allocate(capacity: 1)
      defer { place.deallocate() }
      _ = storage.pointee.rule(.evaluate(owner, into: place))
      return place.move()
    }
    let scope = ThreadScope.ofThread
    let value = cell.read(of: owner, in: scope)
    scope.pointee.evaluation?.pointee.append(cell.property)
    return value
  }

  /// The cell of the wrapper, made if there is none yet.
  private static func cell(
    of owner: Owner, _ property: () -> AnyKeyPath?, at storage: UnsafeMutablePointer<Self>
  ) -> DerivedCell<Value>? {
    guard let registry = PropertyRegistry.retained(by: owner) else { return nil }
    let slot = storage.pointee.slot
    if let slot = slot?.pointee.address == UInt(bitPattern: storage)
      ? slot : registry.slot(at: storage),
      let node = slot.node(at: storage, of: Value.self)?.takeUnretainedValue(),
      let derivation = node.derivation?.takeUnretainedValue()
    {
      if !node.isIdentified { node.identify(property()) }
      // Proof of unsafeDowncast: a wrapper of this type has put a cell of its own type there.
      let cell = unsafeDowncast(derivation, to: DerivedCell<Value>.self)
      if storage.pointee.slot != slot {
        // The wrapper has been replaced.
        storage.pointee.slot = slot
        cell.replaceRule(by: storage.pointee.rule)
      }
      return cell
    }
    let node = PropertyNode<Value>(owner)
    node.identify(property())
    let cell = DerivedCell(node, of: owner, storage.pointee.rule)
    storage.pointee.slot = registry.adopt(node, at: storage)
    return cell
  }
}

/// Whether a slot has the value of a derived property, which is up to date, and a read of it is not
/// to be recorded: nothing is being evaluated, or the evaluation under way has read it already. Not
/// an object, which is cached weakly.
@inlinable @inline(__always)
func isClean(
  _ slot: UnsafeMutablePointer<PropertySlot>?, in owner: AnyObject, _ type: Any.Type
) -> Bool {
  guard let slot,
    slot.pointee.owner == UInt(bitPattern: Unmanaged.passUnretained(owner).toOpaque()),
    slot.clean.pointee.type == ObjectIdentifier(type)
  else { return false }
  let counts = sharedCounts()
  let known = slot.clean.pointee.deaths
  // While any thread is evaluating something, the first two differ.
  return known == counts || known == deaths(in: counts) && slot.pointee.isRecorded
}

/// The value of a derived property, brought up to date if it is not, and reported to the evaluation
/// under way; nil if the wrapper has to read it.
@inline(never) @usableFromInline
func currentValue(
  of slot: UnsafeMutablePointer<PropertySlot>?, in owner: AnyObject, _ type: Any.Type
) -> UnsafeRawPointer? {
  if let slot, slot.pointee.isSlot(in: owner), slot.clean.pointee.deaths == deathsElsewhere(),
    slot.clean.pointee.type == ObjectIdentifier(type), slot.pointee.recordRead()
  {
    return slot.clean.pointee.value
  }
  return settledValue(of: slot, in: owner, type)
}

@inline(never) private func settledValue(
  of slot: UnsafeMutablePointer<PropertySlot>?, in owner: AnyObject, _ type: Any.Type
) -> UnsafeRawPointer? {
  guard let slot, slot.pointee.isSlot(in: owner), let node = slot.pointee.node,
    let derivation = node._withUnsafeGuaranteedRef({ $0.derivation }),
    // Without a value, or in a cycle: the wrapper reads it.
    derivation._withUnsafeGuaranteedRef({
      $0.value != nil && !$0.isEvaluating && $0.valueType == ObjectIdentifier(type)
    }), node._withUnsafeGuaranteedRef({ $0.isIdentified })
  else { return nil }
  let scope = ThreadScope.ofThread
  if derivation._withUnsafeGuaranteedRef({ $0.isSuspect }) {
    scope.open()
    derivation._withUnsafeGuaranteedRef { $0.bringUpToDate(of: owner, in: scope) }
    scope.close()
  }
  if let evaluation = scope.pointee.evaluation {
    node._withUnsafeGuaranteedRef { evaluation.pointee.append($0) }
  }
  return derivation._withUnsafeGuaranteedRef { $0.value }
}

/// What a derived property has beside its value: `$name`.
public struct DerivedProperty {
  let derivation: DerivedComputation?
  private let makeErrors: () -> Observable<any Error>
  private let markOutdated: () -> Void

  init(
    of derivation: DerivedComputation?, errors: @escaping () -> Observable<any Error>,
    invalidate: @escaping () -> Void
  ) {
    self.derivation = derivation
    makeErrors = errors
    markOutdated = invalidate
  }

  /// What the rule throws: the error of each run that fails, once. Completes when the owner dies.
  ///
  /// - Timing: after the evaluation; in a batch, at its end.
  public var errors: Observable<any Error> { makeErrors() }

  /// Evaluates the rule again: with the next read or, if the property is observed, before this
  /// returns. For a rule that reads something that is not observable.
  public func invalidate() { markOutdated() }
}

extension Derived: DerivedStorage {
  static func read(_ owner: AnyObject, at storage: UnsafeMutablePointer<Self>) -> Value {
    // Proof of unsafeDowncast: the storage is that of a wrapper in the owner, whose class is Owner.
    read(unsafeDowncast(owner, to: Owner.self), { nil }, at: storage)
  }
}
