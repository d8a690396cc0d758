/// A property of a control: an observable of the user's changes, and an observer that sets it.
///
/// ```swift
/// extension Reactive where Base: Slider {
///   @MainActor var value: ControlProperty<Double> {
///     ControlProperty(
///       values: base.edits.startWith(base.value), valueSink: Binder(base) { $0.value = $1 })
///   }
/// }
/// ```
///
/// As an observable it never fails, is subscribed to on the main thread, and emits the value first,
/// then the user's changes, but no changes made by the program; its creator guarantees this. As an
/// observer it sets the property.
///
/// - Errors: an error it receives goes to ``Hooks/defaultErrorHandler`` and changes nothing.
public struct ControlProperty<PropertyType>: ControlPropertyType, ObservableWrapperType {
  /// The type of the values.
  public typealias Element = PropertyType

  private let values: Observable<PropertyType>
  private let valueSink: AnyObserver<PropertyType>

  /// - Parameters:
  ///   - values: the value and its changes.
  ///   - valueSink: sets the property.
  public init(values: any ObservableType<PropertyType>, valueSink: any ObserverType<PropertyType>)
  where PropertyType: Sendable {
    self.init(values.asObservable(), valueSink.asObserver())
  }

  /// - Parameters:
  ///   - values: the value and its changes; elements need not be `Sendable`.
  ///   - valueSink: sets the property.
  @MainActor public init(
    values: any ObservableType<PropertyType>, valueSink: any ObserverType<PropertyType>
  ) {
    self.init(values.asObservable(), valueSink.asObserver())
  }

  fileprivate init(_ values: Observable<PropertyType>, _ valueSink: AnyObserver<PropertyType>) {
    self.values = values.subscribe(on: ConcurrentMainScheduler.instance.unsafelyConfined)
    self.valueSink = valueSink
  }

  public func asObservable() -> Observable<PropertyType> { values }

  public func asControlProperty() -> ControlProperty<PropertyType> { self }

  /// The user's changes, without the value before them.
  public var changed: ControlEvent<PropertyType> { ControlEvent(values.skip(1)) }

  public func on(_ event: Event<PropertyType>) {
    switch event {
    case .next(let value): valueSink.onNext(value)
    case .error(let error): Hooks.report(unhandled: error)
    case .completed: valueSink.onCompleted()
    }
  }
}

/// Types that convert to a ``ControlProperty``: for extensions by a program.
public protocol ControlPropertyType<Element>: ObservableType, ObserverType, UnfailingType {
  /// The same property.
  func asControlProperty() -> ControlProperty<Element>
}

extension ControlPropertyType where Element == String? {
  /// The same text, empty where there is none.
  public var orEmpty: ControlProperty<String> {
    let property = asControlProperty()
    return ControlProperty(
      property.asObservable().map { $0 ?? "" }, property.mapObserver { $0 })
  }
}

/// An event of a control: a tap, a scroll.
///
/// It never fails, is subscribed to on the main thread, and emits nothing on subscription; its
/// creator guarantees this.
public struct ControlEvent<PropertyType>: ControlEventType, ObservableWrapperType {
  /// The type of the events.
  public typealias Element = PropertyType

  private let events: Observable<PropertyType>

  /// - Parameter events: the events of the control.
  public init(events: any ObservableType<PropertyType>) where PropertyType: Sendable {
    self.init(events.asObservable())
  }

  /// - Parameter events: the events of the control, which need not be `Sendable`.
  @MainActor public init(events: any ObservableType<PropertyType>) {
    self.init(events.asObservable())
  }

  fileprivate init(_ events: Observable<PropertyType>) {
    self.events = events.subscribe(on: ConcurrentMainScheduler.instance.unsafelyConfined)
  }

  public func asObservable() -> Observable<PropertyType> { events }

  public func asControlEvent() -> ControlEvent<PropertyType> { self }
}

/// Types that convert to a ``ControlEvent``: for extensions by a program.
public protocol ControlEventType<Element>: ObservableType, UnfailingType {
  /// The same event.
  func asControlEvent() -> ControlEvent<Element>
}
