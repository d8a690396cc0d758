/// A property of a control, seen from both sides: what the user makes of it, and what it is set to.
///
/// ```swift
/// extension Reactive where Base: Slider {
///   var value: ControlProperty<Double> {
///     ControlProperty(values: base.edits.startWith(base.value),
///       valueSink: Binder(base) { $0.value = $1 })
///   }
/// }
/// ```
///
/// As an observable it never fails, is subscribed to on the main thread, emits the value first and
/// then the user's changes, not those made by the program; whoever makes one keeps these promises.
/// As an observer it sets the property.
///
/// - Errors: an error fed to it is reported to ``Diagnostics/handler`` and changes nothing.
public struct ControlProperty<PropertyType>: ControlPropertyType {
  public typealias Element = PropertyType

  private let values: Observable<PropertyType>
  private let valueSink: AnyObserver<PropertyType>

  /// - Parameters:
  ///   - values: the value and its changes.
  ///   - valueSink: sets the property.
  public init<Values: ObservableType, Sink: ObserverType>(values: Values, valueSink: Sink)
  where Values.Element == PropertyType, Sink.Element == PropertyType {
    self.values = values.asObservable().subscribed(on: ConcurrentMainScheduler.instance)
    self.valueSink = AnyObserver(valueSink)
  }

  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == PropertyType {
    values.subscribe(observer)
  }

  public func asObservable() -> Observable<PropertyType> { values }

  public func asControlProperty() -> ControlProperty<PropertyType> { self }

  /// The user's changes, without the value before them.
  public var changed: ControlEvent<PropertyType> { ControlEvent(events: values.skip(1)) }

  public func on(_ event: Event<PropertyType>) {
    switch event {
    case .next(let value): valueSink.onNext(value)
    case .error(let error): report(failureOfBinding: error)
    case .completed: valueSink.onCompleted()
    }
  }
}

/// Anything that can be seen as a ``ControlProperty``.
public protocol ControlPropertyType<Element>: ObservableType, ObserverType, UnfailingType {
  /// The same property.
  func asControlProperty() -> ControlProperty<Element>
}

extension ControlPropertyType where Element == String? {
  /// The same text, empty where there is none.
  public var orEmpty: ControlProperty<String> {
    let property = asControlProperty()
    return ControlProperty(
      values: property.asObservable().map { $0 ?? "" },
      valueSink: property.mapObserver { $0 })
  }
}

/// Something that happens to a control: a tap, a scroll.
///
/// It never fails, is subscribed to on the main thread, and says nothing on subscription; whoever
/// makes one keeps these promises.
public struct ControlEvent<PropertyType>: ControlEventType {
  public typealias Element = PropertyType

  private let events: Observable<PropertyType>

  /// - Parameter events: what happens.
  public init<Events: ObservableType>(events: Events) where Events.Element == PropertyType {
    self.events = events.asObservable().subscribed(on: ConcurrentMainScheduler.instance)
  }

  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == PropertyType {
    events.subscribe(observer)
  }

  public func asObservable() -> Observable<PropertyType> { events }

  public func asControlEvent() -> ControlEvent<PropertyType> { self }
}

/// Anything that can be seen as a ``ControlEvent``.
public protocol ControlEventType<Element>: ObservableType, UnfailingType {
  /// The same event.
  func asControlEvent() -> ControlEvent<Element>
}
