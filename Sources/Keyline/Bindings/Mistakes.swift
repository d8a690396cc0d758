// Calls that do not compile, each with its reason: bindings, and spellings that are tried first. The
// compiler's own message would list all forms of a method, or name an internal type. These methods are
// never called.

extension PropertyObservable {
  @available(*, unavailable, message: "the types differ: pass a converter, as .placeholder(…)")
  @_disfavoredOverload public func bind<Source, Bound, Target: PropertyObservable>(
    _ source: KeyPath<Self, Source>, to target: Target,
    _ property: ReferenceWritableKeyPath<Target, Bound>, mode: BindingMode = .oneWay
  ) -> PropertyBinding { fatalError("unavailable") }

  @available(*, unavailable, message: "a written end cannot be set here: get-only, or private(set)")
  @_disfavoredOverload public func bind<Source, Bound, Target: PropertyObservable>(
    _ source: KeyPath<Self, Source>, to target: Target, _ property: KeyPath<Target, Bound>,
    mode: BindingMode = .oneWay, converter: BindingConverter<Source, Bound>? = nil
  ) -> PropertyBinding { fatalError("unavailable") }

  @available(*, unavailable, message: "a mode needs a source that can be set; this one is get-only")
  @_disfavoredOverload public func bind<Value, Target: PropertyObservable>(
    _ source: KeyPath<Self, Value>, to target: Target,
    _ property: ReferenceWritableKeyPath<Target, Value>, mode: BindingMode
  ) -> PropertyBinding { fatalError("unavailable") }

  @available(*, unavailable, message: "a closure is no converter: BindingConverter { … } is")
  @_disfavoredOverload public func bind<Source, Bound, Target: PropertyObservable>(
    _ source: KeyPath<Self, Source>, to target: Target,
    _ property: ReferenceWritableKeyPath<Target, Bound>, _ converter: (Source) -> Bound
  ) -> PropertyBinding { fatalError("unavailable") }

  @available(*, unavailable, message: "this closure is no chain: bind Observable.tracking { … }")
  @_disfavoredOverload public func bind<Value, Target: PropertyObservable>(
    _ source: (Self) -> Value, to target: Target,
    _ property: ReferenceWritableKeyPath<Target, Value>
  ) -> PropertyBinding { fatalError("unavailable") }

  @available(*, unavailable, message: "two chains need a converter: pass converter: .identity")
  @_disfavoredOverload
  public func bind<Value, End: ChainEnd<Self, Value>, Target: PropertyObservable>(
    _ source: (inout ChainStart<Self>) -> End, to target: Target,
    _ property: (inout ChainStart<Target>) -> WritableKeyPathChain<Target, Value>
  ) -> PropertyBinding { fatalError("unavailable") }

  @available(*, unavailable, message: "a chain is a closure without `?`: { $0.address.city }")
  @_disfavoredOverload public func observeWeakly<Value>(
    _ path: KeyPath<Self, Value>, onNext: ((Value) -> Void)? = nil
  ) -> PropertySequence<Value> { fatalError("unavailable") }

  @available(*, unavailable, message: "a chain is observed with observeWeakly { … }")
  @_disfavoredOverload public func observe<Leaf>(
    _ chain: (inout ChainRoot<Self>) -> KeyPathChain<Self, Leaf>, onNext: ((Leaf?) -> Void)? = nil
  ) -> PropertySequence<Leaf> { fatalError("unavailable") }
}

extension ObservableConvertibleType {
  @available(*, unavailable, message: "observe a sequence with subscribe(onNext:)")
  public func observe(_ onNext: (Element) -> Void) {}

  @available(*, unavailable, message: "the types of the elements and of the target differ: use map")
  @_disfavoredOverload public func bind<Target: PropertyObservable, Value>(
    to target: Target, _ property: ReferenceWritableKeyPath<Target, Value>
  ) -> PropertyBinding { fatalError("unavailable") }

  @available(*, unavailable, message: "the target cannot be set here: get-only, or private(set)")
  @_disfavoredOverload public func bind<Target: PropertyObservable, Value>(
    to target: Target, _ property: KeyPath<Target, Value>
  ) -> PropertyBinding { fatalError("unavailable") }
}
