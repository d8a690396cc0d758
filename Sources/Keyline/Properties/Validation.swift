/// The result of a rule for a value that is being set.
public enum Validation<Value> {
  /// It may be stored.
  case valid
  /// This is stored in its place.
  case coerced(Value)
  /// Nothing is stored: the property keeps its value. Its `didSet` runs all the same.
  case rejected(any Error)

  /// Why the value is not acceptable.
  public var error: (any Error)? {
    if case .rejected(let error) = self { error } else { nil }
  }
}

extension Validation: Sendable where Value: Sendable {}

/// A rule on a property, in force until it is disposed or the object dies.
public final class PropertyValidation<Value>: Cancelable, @unchecked Sendable {
  // Proof of @unchecked: the context and the relay are internally synchronised; values of other
  // threads' objects come out of `results` only where they are observed.
  let context = SubscriptionContext()
  fileprivate let latest = ReplayRelay<Validation<Value>>.create(bufferSize: 1)

  fileprivate init() {}

  /// The latest result of the rule, and every further one: for each set, and for the current value
  /// when something else changes that the rule reads.
  public var results: Observable<Validation<Value>> { latest.asObservable() }

  public var isDisposed: Bool { context.isDisposed }

  public func dispose() { context.dispose() }
}

extension PropertyObservable {
  /// Passes every value of `keyPath` through `rule` before it is stored.
  ///
  /// ```swift
  /// let validation = range.validate(\.value) { range, value in
  ///   value > range.maximum ? .coerced(range.maximum) : .valid
  /// }
  /// form.validate(\.name) { _, name in name.isEmpty ? .rejected(Empty()) : .valid }
  /// _ = validation.results.subscribe(onNext: { warning.isHidden = $0.error == nil })
  /// ```
  ///
  /// A rule holds for every set of the property, those of bindings included: they send a coerced
  /// value back, and a rejected one arrives on ``PropertyBinding/errors``. At once, and when
  /// something else changes that the rule reads, it is evaluated for the current value: a coerced
  /// one is set then, a rejected one stays and is emitted by `results`. A rule may coerce every value,
  /// acceptable ones to themselves. Several rules are evaluated in the order in which they were
  /// made; those before one that coerces the value may reject the result.
  ///
  /// - Timing: before the store, on the mutating thread; once more after it.
  /// - Lifetime: retains neither the object nor its values. The validation need not be retained.
  /// - Parameters:
  ///   - keyPath: a stored, observed property of the object. One that is computed from one stored
  ///     property alone, of its own type, counts as that one, whose values the rule then receives.
  ///   - rule: receives the object and the value, and must not set anything.
  @discardableResult
  public func validate<Value>(
    _ keyPath: ReferenceWritableKeyPath<Self, Value>,
    file: StaticString = #fileID, line: UInt = #line,
    _ rule: @escaping (Self, Value) -> Validation<Value>
  ) -> PropertyValidation<Value> {
    let validation = PropertyValidation<Value>()
    let (context, latest) = (validation.context, validation.latest)
    Instrumentation.report(.called(context, CallSite(file, line)))
    guard let property = PropertyPath(keyPath).property(of: self, isLenient: true) else {
      // A registry that is made anew each time has been reported as such.
      if properties === properties {
        Diagnostics.report(
          .misuse, "only a stored, observed property can be validated", type: "\(Self.self)")
      }
      context.dispose()
      return validation
    }
    properties.death.whenEnded(in: context, context.dispose)
    // What had changed on this thread when a value last passed the rule, before it was stored.
    var changes: UInt = 0
    property.validate(in: context) { [weak self, unowned property] value, _ in
      guard let self else { return nil }
      changes = Transaction.current.changes
      switch property.validators?.asking({ [value] in rule(self, value) }) ?? .valid {
      case .valid: return nil
      case .coerced(let other):
        latest.accept(.coerced(other))
        value = other
        return .coerced
      case .rejected(let error):
        latest.accept(.rejected(error))
        return .refused(error)
      }
    }
    var version = property.version
    let areEqual = Equality<Value>.of
    let results = PropertyPath<Validation<Value>>(read: { root in
      // Proof of the cast: the path is used with this object only.
      let root = cast(root, to: Self.self)
      let value = root[keyPath: keyPath]
      return property.validators?.asking { rule(root, value) } ?? .valid
    })
    let receive: (Validation<Value>) -> Void = { [weak self] result in
      latest.accept(result)
      // A value that has been set has passed the rule on its way, and is not coerced again here
      // unless something else has changed since.
      let hasPassed =
        property.version != version && Transaction.current.changes == changes &+ 1
      version = property.version
      guard !hasPassed, let self else { return }
      if case .coerced(let value) = result, areEqual(self[keyPath: keyPath], value) != true {
        // On behalf of the binding that owns the property exclusively, if there is one.
        _ = Transaction.current.write(
          to: { $0 === property }, by: property.validators?.exclusiveOwner ?? property
        ) { self[keyPath: keyPath] = value }
      }
    }
    results.attach(
      to: self, in: context,
      .init(next: receive, terminate: { _ in }), first: { value, _ in receive(value) })
    return validation
  }
}
