/// A rule on a property, active until it is disposed or the object dies.
public final class PropertyValidation<Value>: Cancelable, @unchecked Sendable {
  // Proof of @unchecked: the context and the subject are internally synchronised; `results` hands out
  // values of another thread's objects only where it is observed.
  let context = SubscriptionContext()
  fileprivate let latest = BehaviorSubject<Validation<Value>?>(value: nil)

  /// The latest result of the rule, and every later one: for each set, and for the current value
  /// when another property that the rule reads changes. A batch in which the rule has accepted a
  /// value ends with the result for the current value. Completes with the rule.
  public var results: Observable<Validation<Value>> { latest.compactMap(\.self) }

  public var isDisposed: Bool { context.isDisposed }

  public func dispose() { context.dispose() }

  public func _end() -> [any Disposable] { [context] }
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
  /// A rule applies to every set of the property, except that undo and redo of a ``ChangeSet`` restore
  /// former values without it. If a binding sets it, the binding sends a coerced value back to its
  /// other end, and a rejected value arrives on ``PropertyBinding/errors``. The rule is also evaluated
  /// for the current value: at once, and when another property that it reads changes. A coerced value
  /// is then set; a rejected value stays and is emitted by `results`. So after every outermost set of the
  /// property, or of another one that the rule reads, the rule accepts the value, rejects it as the current
  /// value, or has coerced it to a value that other rules reject or change. A rule may coerce every value, and return an acceptable value itself.
  /// Several rules are evaluated in the order in which they were added; if one coerces the value, the
  /// rules before it may reject the result.
  ///
  /// - Timing: before the store, on the mutating thread; once more after it.
  /// - Errors: a refused set is reported as `refusedWrite`, once for each error, if nothing observes
  ///   `results`; a set by name throws the error instead.
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
    let context = validation.context
    Instrumentation.report(.called(context, CallSite(file, line)))
    guard let property = PropertyPath(keyPath).property(of: self, isLenient: true) else {
      // A registry that is made anew each time has been reported already.
      if PropertyRegistry.contents(of: self) != nil {
        Diagnostics.report(
          .misuse, "only a stored, observed property can be validated", type: "\(Self.self)")
      }
      context.dispose()
      return validation
    }
    let validators = property.makeValidators()
    let results = PropertyPath<Validation<Value>>({ root, _ in
      // Proof of the cast: the path is used with this object only.
      let root = cast(root, to: Self.self)
      return validators.asking { rule(root, root[keyPath: keyPath]) }
    })
    results.attach(
      to: self, in: context, { _ in context.dispose() }, first: { $1?.receive($0) }
    ) { node in
      validators.nodes.append(node)
      return Rule(node, keyPath, of: property, rule, validation)
    }
    return validation
  }

  @available(*, unavailable, message: "a rule needs a stored property that can be set")
  @_disfavoredOverload @discardableResult public func validate<Value>(
    _ keyPath: KeyPath<Self, Value>, _ rule: (Self, Value) -> Validation<Value>
  ) -> PropertyValidation<Value> { fatalError("unavailable") }
}

/// Applies one rule: to each value that is set, and to the stored value when something else that the rule
/// reads has changed.
private final class Rule<Object: PropertyObservable, Value>: SetRule<Value>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.
  private let keyPath: ReferenceWritableKeyPath<Object, Value>
  private let property: PropertyNode<Value>
  private let rule: (Object, Value) -> Validation<Value>
  private let validation: PropertyValidation<Value>
  /// The other properties that the last evaluation has read.
  private var others: [Dependency]?

  init(
    _ node: Node, _ keyPath: ReferenceWritableKeyPath<Object, Value>,
    of property: PropertyNode<Value>, _ rule: @escaping (Object, Value) -> Validation<Value>,
    _ validation: PropertyValidation<Value>
  ) {
    (self.keyPath, self.property, self.rule) = (keyPath, property, rule)
    self.validation = validation
    super.init(node, validation.context)
  }

  // Proof of the cast: the node belongs to the object.
  /// The object; nil once it begins to die.
  private var object: Object? { node.owner.object.map { cast($0, to: Object.self) } }

  override func validate(_ value: Value, by writer: AnyObject?) -> Validation<Value> {
    guard let object else { return .valid }
    Instrumentation.enter(.validate(property, value))
    defer { Instrumentation.leave() }
    let result = property.validators?.asking { rule(object, value) } ?? .valid
    // If a batch ends with the former value, nothing has changed (D31), but the last result may be the
    // rejection of another value.
    let transaction = Transaction.current
    if transaction.batch.level > 0, result.error == nil { transaction.markOutdated(node) }
    switch result {
    case .rejected(let error):
      // A binding, and a set by name, pass the error on.
      if writer == nil, !validation.latest.hasObservers {
        property.report(
          .refusedWrite, "a rule refuses the value: \(error)",
          once: "\(property.description) \(error)")
      }
      Instrumentation.note(.refuse(error))
    case .coerced(let other): Instrumentation.note(.coerce(other))
    case .valid: return result
    }
    validation.latest.onNext(result)
    return result
  }

  /// Receives the result for the stored value.
  override func receive(_ result: Validation<Value>) {
    let read = node.dependencies.filter { $0.node !== property }
    // If none of them has changed, the stored value has passed the rule as it would pass it now, and
    // is not coerced again: a rule may coerce every value.
    let hasPassed = others?.elementsEqual(read) { $0.node === $1.node && $0.version == $1.version }
    others = read
    let version = property.version
    validation.latest.onNext(result)
    // An observer of the results may have set the property.
    guard hasPassed != true, property.version == version, let object else { return }
    if case .coerced(let new) = result, Equality<Value>.of(object[keyPath: keyPath], new) != true {
      // On behalf of the binding that owns the property exclusively, if there is one.
      _ = Transaction.current.write(
        to: { [property] in $0 === property }, by: property.validators?.exclusiveOwner ?? property
      ) { object[keyPath: keyPath] = new }
    }
  }

  override func complete() { context.dispose() }

  override func dispose() {
    super.dispose()
    validation.latest.onCompleted()
  }
}
