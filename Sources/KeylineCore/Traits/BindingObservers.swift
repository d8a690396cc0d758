extension Relay: BindingTarget, UnfailingType {
  public func asObserver() -> AnyObserver<Element> {
    let onError = Hooks.errorHandler()
    return AnyObserver(next: forward) { error in if let error { onError(error) } }
  }
}

extension ObservableSequenceType where Trait: MultiElementTrait & UnscheduledTrait {
  /// Delivers every event to `targets`, observers or relays, in order.
  ///
  /// - Errors: a relay cannot fail: an error is forwarded to ``Hooks/defaultErrorHandler``.
  public func bind<Target: BindingTarget<Element>>(
    to targets: Target..., file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable { feed(targets, at: CallSite(file, line)) { $0 } }

  /// Delivers every event to `targets`, observers or relays, in order.
  ///
  /// - Errors: a relay cannot fail: an error is forwarded to ``Hooks/defaultErrorHandler``.
  public func bind<Target: BindingTarget<Element?>>(
    to targets: Target..., file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable { feed(targets, at: CallSite(file, line)) { $0 } }

  /// The result of `binder` for this sequence.
  public func bind<Result>(to binder: (Self) -> Result) -> Result { binder(self) }

  /// Calls `onNext` with every element.
  ///
  /// - Errors: an error is forwarded to ``Hooks/defaultErrorHandler``.
  public func bind(
    onNext: @escaping (Element) -> Void, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable { asObservable().subscribe(onNext, at: CallSite(file, line)) }

  /// Calls `onNext` with `object`, referenced weakly, and every element, while the object is alive.
  ///
  /// - Errors: an error is forwarded to ``Hooks/defaultErrorHandler``.
  public func bind<Object: AnyObject>(
    with object: Object, onNext: @escaping (Object, Element) -> Void,
    file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable {
    asObservable().subscribe(weakly(object, onNext), at: CallSite(file, line))
  }
}

extension ObservableConvertibleType {
  /// Delivers every event to `targets`: the common body of `bind`, `drive` and `emit`.
  func feed<Target: BindingTarget>(
    _ targets: [Target], at call: CallSite, _ convert: @escaping (Element) -> Target.Element
  ) -> any Disposable {
    let observers = targets.map { $0.asObserver() }
    return asObservable().subscribe(
      AnyObserver(
        next: { element in for observer in observers { observer.next(convert(element)) } },
        terminate: { error in for observer in observers { observer.terminate(error) } }),
      onDisposed: nil, at: call)
  }
}
