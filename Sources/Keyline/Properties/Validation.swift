/// The verdict of a rule on a value that is being set.
public enum Validation<Value> {
  /// The value may be stored.
  case valid
  /// The associated value is stored instead.
  case coerced(Value)
  /// Nothing is stored: the property keeps its value. Its `didSet` still runs.
  case rejected(any Error)

  /// Why the value was rejected; nil if it was not.
  public var error: (any Error)? {
    if case .rejected(let error) = self { error } else { nil }
  }
}

extension Validation: Sendable where Value: Sendable {}

/// A rule on a property, active until it is disposed or the object dies.
public final class PropertyValidation<Value>: Cancelable, @unchecked Sendable {
  // Proof of @unchecked: the context and the relay are internally synchronised; `results` hands out
  // values of another thread's objects only where it is observed.
  let context = SubscriptionContext()
  fileprivate let latest = ReplayRelay<Validation<Value>>.create(bufferSize: 1)

  fileprivate init() {}

  /// The latest result of the rule, and every later one: for each set, and for the current value
  /// when another property that the rule reads changes.
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
  /// A rule applies to every set of the property. If a binding sets it, the binding sends a coerced
  /// value back to its other end, and a rejected value arrives on ``PropertyBinding/errors``. The
  /// rule is also evaluated for the current value: at once, and when another property that it reads
  /// changes. A coerced value is then set; a rejected value stays and is emitted by `results`. A
  /// rule may coerce every value, and return an acceptable value itself. Several rules are
  /// evaluated in the order in which they were added; if one coerces the value, the rules before it
  /// may reject the result.
  ///
  /// - Timing: before the store, on the mutating thread; once more after it.
  /// - Lifetime: retains neither the object nor its values. The validation need not be retained.
  /// - Parameters:
  ///   - keyPath: a stored, observed property of the object. A property computed from exactly one
  ///     stored property of the same type counts as that stored property, and the rule then
  ///     receives the stored values.
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
      // A registry that is made anew each time has been reported already.
      if properties === properties {
        Diagnostics.report(
          .misuse, "only a stored, observed property can be validated", type: "\(Self.self)")
      }
      context.dispose()
      return validation
    }
    properties.contents.when(.dead, in: context, context.dispose)
    // The number of changes on this thread when a value last passed the rule, before its store.
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
      // A value that was just set has already passed the rule, and is not coerced again here unless
      // another property has changed since.
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
