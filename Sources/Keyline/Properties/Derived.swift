/// A property that a rule computes from other properties. It is cached, and observable like any
/// property.
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
/// `self` is the name of the closure's parameter. Its type is the declaring class, and must be
/// written out. The rule may read any observable property of any object in its isolation domain.
///
/// Laws of derived values, tested under these numbers:
/// - D1. The rule does not run before the first read or observation.
/// - D2. The value is cached, whether it is observed or not.
/// - D3. Setting a property that the rule has read only marks the value; the next read evaluates
///   it.
/// - D4. While it is observed, it is evaluated once for each outermost set, and emitted if it has
///   changed.
/// - D5. An equal result (`==`, objects by identity, `equals:`) is not emitted, nothing that
///   depends on it is evaluated, and reads keep returning the previous value. Values that cannot be
///   compared count as different each time.
/// - D6. After the last observer has left, sets evaluate nothing; reads stay correct.
/// - D7. It is never computed from a mix of old and new values, and only once each time that a
///   scope settles, whatever paths lead to it.
/// - D8. The dependencies are the properties that the last run has read.
/// - D9. Dependencies are checked in the order of reading, up to the first that has changed. A
///   dependency that the rule no longer reaches is not evaluated.
/// - D10. Reads inside `untracked` create no dependencies, and neither do reads by observers and
///   subscriptions that a rule has triggered. Inside a rule, the standard library's Observation does
///   not register these reads either.
/// - D11. A read is fresh anywhere: in observers, and in a batch.
/// - D12. When a scope closes, computed values are evaluated in the order of subscription. A
///   derived value is evaluated in the turn of its first observer; all its observers are called
///   then, in order.
/// - D13. It follows the objects that the rule currently reads, and the death of weakly referenced
///   ones. The death of any other object that was read does not count.
/// - D14. It retains neither its owner nor the objects that the rule has read. A value that is an
///   object is referenced weakly, and computed again once the object is dead; any other value is
///   retained while the owner lives, but a collection of objects is released once it is outdated
///   and unobserved.
/// - D15. A rule that reads its own value, directly, through other rules, or by observing a value
///   that depends on its own, is reported with all members of the cycle. The read returns the fallback, else the last value, else nil; the
///   program stops if there is none of these.
/// - D16. The error of a rule that throws is emitted once by `$name.errors`, or reported; the value
///   is the fallback.
/// - D17. A set by a rule is stored at once, delivered after the evaluation, as in a batch, and
///   reported once. A rule that changes a property it has read runs again until nothing changes any
///   more, within the feedback limit.
/// - D18. `$name.invalidate()` evaluates the rule again.
/// - D19. Derived values that depend on each other, however many, do not need more of the thread's
///   stack, except for the first read, which recurses through the rules: some 2,000 of them fit a
///   thread of 8 MB in a debug build.
/// - D20. Owners are classes of any kind: final, open, generic, `@MainActor`, and conformers to
///   ``PropertyObservable``.
/// - D21. In a class that is `Observation.Observable`, reads are also registered with Observation,
///   even if the value is cached. If an outermost set changes something that the rule has read,
///   Observation is notified when that set closes, even if the result turns out to be equal: the
///   rule is not evaluated for this.
/// - D22. By name it is read-only.
/// - D23. The owner, and weak objects that the rule has read, may die on any thread. On another
///   thread than the owner's, the death takes effect with the next operation on the object whose
///   weak property has become nil: a subscription, a read of a derived value that depends on it, or
///   a set of a property that was observed or read by a rule.
///
/// - Note: changes of an object of the standard library's Observation do not evaluate a rule that
///   reads it; see `Observable.tracking(isolation:_:)`.
/// - Note: if the type of `self` is missing, or is not the class that declares the property, the
///   compiler reports an error without a line: `Owner` has no member of that name, or a key path
///   cannot be converted.
/// - Complexity: reading an up-to-date value is a few loads. The wrapper takes one word and a rule
///   for each object; the first read makes the cache.
/// - SeeAlso: `computed` of MobX and the signal libraries; JavaFX's bindings; KVO's
///   `keyPathsForValuesAffectingValue(forKey:)`.
@propertyWrapper public struct Derived<Owner: PropertyObservable, Value> {
  /// The rule of the node. The closure captures only the closures that `init` receives, so that the
  /// optimiser turns it into a plain function and the wrapper allocates nothing.
  @usableFromInline let rule: ComputedNode<Value>.Rule
  @usableFromInline var node: ComputedNode<Value>?

  /// A value that counts as unchanged while it is equal.
  @inlinable @inline(__always)
  public init(_ rule: @escaping (Owner) -> Value) where Value: Equatable {
    self.rule = { Self.step($1, $0, rule, { $0 == $1 }) }
  }

  /// - Parameter equals: whether two values are the same. If it is omitted, objects are compared by
  ///   identity, and other values always count as different.
  @_disfavoredOverload @inlinable @inline(__always)
  public init(_ rule: @escaping (Owner) -> Value, equals: ((Value, Value) -> Bool)? = nil) {
    self.rule = { Self.step($1, $0, rule, equals, comparesObjects: equals != nil) }
  }

  /// A value that counts as unchanged while it is equal, computed by a rule that may throw.
  ///
  /// - Parameter fallback: the value if the rule throws, or reads itself.
  @inlinable @inline(__always) public init(
    or fallback: @autoclosure @escaping () -> Value, _ rule: @escaping (Owner) throws -> Value
  ) where Value: Equatable { self.rule = { Self.step($1, $0, rule, { $0 == $1 }, fallback) } }

  /// A value computed by a rule that may throw.
  ///
  /// - Parameters:
  ///   - fallback: the value if the rule throws, or reads itself.
  ///   - equals: whether two values are the same. If it is omitted, objects are compared by
  ///     identity, and other values always count as different.
  @_disfavoredOverload @inlinable @inline(__always) public init(
    or fallback: @autoclosure @escaping () -> Value, _ rule: @escaping (Owner) throws -> Value,
    equals: ((Value, Value) -> Bool)? = nil
  ) { self.rule = { Self.step($1, $0, rule, equals, fallback, comparesObjects: equals != nil) } }

  /// Carries out a step of the rule, in the client, where the types are known.
  ///
  /// - Parameter comparesObjects: whether `areEqual` also compares objects.
  @inlinable static func step(
    _ step: ComputedNode<Value>.Step, _ node: ComputedNode<Value>, _ rule: (Owner) throws -> Value,
    _ areEqual: ((Value, Value) -> Bool)?, _ fallback: (() -> Value)? = nil,
    comparesObjects: Bool = false
  ) {
    let areEqual = comparesObjects || !node.isReference ? areEqual : nil
    switch step {
    case .evaluate(let owner, let transaction):
      do {
        // Proof of the cast: the accessor passes an Owner, and the node belongs to it.
        try node.commit(rule(cast(owner, to: Owner.self)), areEqual, in: transaction)
      } catch {
        if let fallback { node.commit(fallback(), areEqual, in: transaction) }
        node.fail(error, in: transaction)
      }
    case .deliver(let transaction): node.deliver(areEqual, in: transaction)
    case .fallBack(let use): if let fallback { use(fallback()) }
    }
  }

  @available(*, unavailable, message: "@Derived belongs in a class that is PropertyObservable")
  public var wrappedValue: Value { fatalError("unavailable") }

  @available(*, unavailable, message: "@Derived belongs in a class that is PropertyObservable")
  public var projectedValue: DerivedProperty { fatalError("unavailable") }

  @inlinable
  public static subscript(
    _enclosingInstance owner: Owner, wrapped property: @autoclosure () -> KeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    @inline(__always) get {
      if let value = owner[keyPath: storage].node?.cleanValue(of: owner) { return value }
      return read(of: owner, stableAddress(of: &owner[keyPath: storage])) { property() }
    }
  }

  /// - Parameter property: unused; it is the key path of the projection itself.
  public static subscript(
    _enclosingInstance owner: Owner, projected property: KeyPath<Owner, DerivedProperty>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> DerivedProperty {
    let storage = stableAddress(of: &owner[keyPath: storage])
    return DerivedProperty(node: Keyline.node(of: owner, storage) { nil })
  }
}

/// The projection of a derived property, `$name`: its errors and its invalidation.
public struct DerivedProperty {
  package let node: Node?

  /// The errors of the rule: one for each run that fails. Completes when the owner dies.
  ///
  /// - Timing: when the outermost set returns; in a batch, at its end.
  public var errors: Observable<any Error> { node?.errors ?? .empty() }

  /// Evaluates the rule again: with the next read or, if the property is observed, before this
  /// method returns. For a rule that reads state that cannot be observed.
  public func invalidate() {
    guard let node else { return }
    let transaction = Transaction.current
    transaction.perform { transaction.markOutdated(node) }
  }
}
