/// What takes elements and never a termination: the relays.
public protocol RelayType<Element>: ObservableType {
  /// Takes an element, and delivers it.
  func accept(_ element: Element)
}

extension PublishRelay: RelayType {}
extension BehaviorRelay: RelayType {}
extension ReplayRelay: RelayType {}

extension BindableType {
  /// Delivers every event to `observers`, in order.
  public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element {
    feed(observers) { $0 }
  }

  /// Delivers every event to `observers`, in order.
  public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element? {
    feed(observers) { $0 }
  }

  /// Has `relays` accept every element, in order.
  ///
  /// - Errors: a relay cannot end: an error goes to ``Hooks/defaultErrorHandler``.
  public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable
  where Relay.Element == Element {
    feed(relays) { $0 }
  }

  /// Has `relays` accept every element, in order.
  ///
  /// - Errors: a relay cannot end: an error goes to ``Hooks/defaultErrorHandler``.
  public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable
  where Relay.Element == Element? {
    feed(relays) { $0 }
  }

  /// What `binder` makes of this sequence.
  public func bind<Result>(to binder: (Self) -> Result) -> Result { binder(self) }

  /// What `binder` makes of this sequence, and then of `curriedArgument`.
  public func bind<Argument, Result>(
    to binder: (Self) -> (Argument) -> Result, curriedArgument: Argument
  ) -> Result {
    binder(self)(curriedArgument)
  }

  /// Calls `onNext` with every element.
  ///
  /// - Errors: an error goes to ``Hooks/defaultErrorHandler``.
  public func bind(onNext: @escaping (Element) -> Void) -> any Disposable {
    asObservable().subscribe(onNext: onNext)
  }

  /// Calls `onNext` with `object`, held weakly, and every element, while the object lives.
  ///
  /// - Errors: an error goes to ``Hooks/defaultErrorHandler``.
  public func bind<Object: AnyObject>(
    with object: Object, onNext: @escaping (Object, Element) -> Void
  ) -> any Disposable {
    asObservable().subscribe(with: object, onNext: onNext)
  }
}

extension ObservableConvertibleType {
  /// Delivers every event to `observers`: what binding, driving and emitting have in common.
  func feed<Observer: ObserverType>(
    _ observers: [Observer], _ convert: @escaping (Element) -> Observer.Element
  ) -> any Disposable {
    asObservable().subscribe { event in
      for observer in observers { observer.on(event.map(convert)) }
    }
  }

  /// Has `relays` accept every element.
  func feed<Relay: RelayType>(
    _ relays: [Relay], _ convert: @escaping (Element) -> Relay.Element
  ) -> any Disposable {
    asObservable().subscribe(onNext: { element in
      for relay in relays { relay.accept(convert(element)) }
    })
  }
}
