// Properties where users of RxCocoa expect them: under `.rx`, with RxCocoa's spellings, defaults
// and emissions.

extension Reactive where Base: PropertyObservable {
  /// Emits the current value of `keyPath`, and its value after every change of a property it reads.
  ///
  /// ```swift
  /// _ = person.rx.observe(\.name).subscribe(onNext: { print($0) })
  /// ```
  /// ```text
  /// Ada
  /// ```
  ///
  /// - SeeAlso: ``PropertyObservable/observe(_:options:)``, which does the same.
  @inlinable @inline(__always) public func observe<Value>(
    @_eagerMove _ keyPath: __owned KeyPath<Base, Value>,
    options: KeyValueObservingOptions = [.initial, .new]
  ) -> PropertySequence<Value> { base.observe(keyPath, options: options) }

  /// Emits the current value of the property named `keyPath`, and its value after every change.
  ///
  /// ```swift
  /// _ = person.rx.observe(String.self, "name")           // Observable<String?>
  /// _ = person.rx.observe(String.self, "address.city")   // nil while there is no address
  /// ```
  ///
  /// - Errors: the errors that `observe(_:_:options:)` throws are emitted:
  ///   `PropertyError.undefinedKey` and `typeMismatch`.
  /// - Lifetime: with `retainSelf`, the sequence retains the object, and so does each subscription
  ///   until it ends. An object that holds such a subscription is never released. Without
  ///   `retainSelf`, the sequence completes when the object dies.
  /// - Parameters:
  ///   - type: the type of the property, or the type that an optional property wraps.
  ///   - keyPath: the name of a property, or several names separated by dots.
  ///   - options: whether to emit the current value (`.initial`) and the changes (`.new`).
  ///   - retainSelf: whether to retain the object.
  /// - SeeAlso: `observeWeakly(_:_:options:)`, which retains nothing.
  public func observe<Value>(
    _ type: Value.Type, _ keyPath: String, options: KeyValueObservingOptions = [.initial, .new],
    retainSelf: Bool = true
  ) -> Observable<Value?> {
    observed { base in
      let values =
        try keyPath.contains(".")
        ? base.observeWeakly(type, keyPath, options: options)
        : base.observe(Value?.self, keyPath, options: options)
      return retainSelf ? values.map { value in withExtendedLifetime(base) { value } } : values
    }
  }

  /// Follows a chain of properties by their names, separated by dots, without retaining any object
  /// on the chain.
  ///
  /// - Errors: the errors that ``PropertyObservable/observeWeakly(_:_:options:)`` throws are
  ///   emitted.
  /// - SeeAlso: ``PropertyObservable/observeWeakly(_:_:options:)``, for its events.
  public func observeWeakly<Value>(
    _ type: Value.Type, _ keyPath: String, options: KeyValueObservingOptions = [.initial, .new]
  ) -> Observable<Value?> { observed { try $0.observeWeakly(type, keyPath, options: options) } }

  /// Emits one element and completes when the object has died.
  ///
  /// - SeeAlso: ``PropertyObservable/deallocated``.
  public var deallocated: Observable<Void> { base.deallocated }

  /// Emits one element and completes when the object begins to die.
  ///
  /// - SeeAlso: ``PropertyObservable/deallocating``.
  public var deallocating: Observable<Void> { base.deallocating }

  /// The sequence that `observe` returns; if `observe` throws, a sequence that fails with the
  /// error.
  private func observed<Value>(
    _ observe: (Base) throws -> Observable<Value?>
  ) -> Observable<Value?> { do { return try observe(base) } catch { return .error(error) } }
}
