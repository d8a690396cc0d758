/// Any number of elements and never an error, shared by its observers, delivered on the scheduler
/// of the strategy: the family of ``Driver`` and ``Signal``.
public typealias SharedSequence<SharingStrategy: SharingStrategyProtocol, Element> =
  TraitSequence<SharingStrategy, Element>

/// State for a user interface: on the main thread, shared, the latest element replayed to new
/// observers.
///
/// ```swift
/// let results: Driver<[Item]> = query.asDriver()
///   .debounce(.milliseconds(300))
///   .flatMapLatest { search($0).asDriver(onErrorJustReturn: []) }
/// results.map(\.count).drive(onNext: { label.text = "\($0) found" }).disposed(by: bag)
/// results.drive(onNext: table.show).disposed(by: bag)   // one search for both
/// ```
///
/// - Timing: delivered synchronously when emitted on the main thread with no action pending, else
///   in the next turn of its loop.
/// - Lifetime: keeps the latest element, and an object in it, alive until the next one, while there are
///   observers. A subscription retains the shared sequence and its sources. As in RxSwift, a
///   subscription that is never disposed stays until the sequence completes. It retains a relay at the
///   source, so releasing the relay elsewhere does not end the subscription.
/// - SeeAlso: ``Signal``, for events.
public typealias Driver<Element> = SharedSequence<DriverSharingStrategy, Element>

/// Events for a user interface: on the main thread, shared, nothing replayed to new observers.
///
/// - Timing: as ``Driver``.
/// - Lifetime: as ``Driver``.
public typealias Signal<Element> = SharedSequence<SignalSharingStrategy, Element>

/// How the observers of a ``SharedSequence`` share it, and where it delivers. A program's own strategies
/// conform.
public protocol SharingStrategyProtocol: MultiElementTrait
where Failure == Never, Filtered == Self {
  /// Where every event is delivered. Evaluated when a sequence is built.
  static var scheduler: any SchedulerType { get }
}

extension SharingStrategyProtocol {
  public static var scheduler: any SchedulerType { SharingScheduler.make() }
  public static var deliveryScheduler: (any SchedulerType)? { scheduler }
}

/// The guarantees of a ``Driver``.
public struct DriverSharingStrategy: SharingStrategyProtocol {
  public static func share<Element>(_ source: Observable<Element>) -> Observable<Element> {
    source.share(replay: 1, scope: .whileConnected)
  }
}

/// The guarantees of a ``Signal``.
public struct SignalSharingStrategy: SharingStrategyProtocol {
  public static func share<Element>(_ source: Observable<Element>) -> Observable<Element> {
    source.share(replay: 0, scope: .whileConnected)
  }
}

/// Types that convert to a ``SharedSequence``: for extensions by a program.
public protocol SharedSequenceConvertibleType<SharingStrategy, Element>: TraitSequenceType,
  UnfailingType
where Trait: SharingStrategyProtocol {
  /// The strategy, which is the trait.
  associatedtype SharingStrategy = Trait where SharingStrategy == Trait

  /// The sequence of the same elements.
  func asSharedSequence() -> SharedSequence<SharingStrategy, Element>
}

extension SharedSequenceConvertibleType {
  public func asObservable() -> Observable<Element> { asSharedSequence().source }
}

extension TraitSequence: SharedSequenceConvertibleType where Trait: SharingStrategyProtocol {
  public typealias SharingStrategy = Trait

  public func asSharedSequence() -> TraitSequence { self }
}

/// Where drivers and signals deliver: the main thread, unless a test replaces it.
public enum SharingScheduler {
  private final class Mock {
    let make: () -> any SchedulerType

    init(_ make: @escaping () -> any SchedulerType) { self.make = make }
  }

  private static let mocked = ThreadLocal<Mock>()

  /// Makes the scheduler of a driver or signal that is being built.
  public static var make: () -> any SchedulerType { mocked.value?.make ?? { MainScheduler() } }

  /// Makes drivers and signals that are built inside `action` deliver on `scheduler`.
  ///
  /// - Isolation: for this thread only, so that tests may run side by side.
  public static func mock(scheduler: any SchedulerType, action: () throws -> Void) rethrows {
    try mock(makeScheduler: { scheduler }, action: action)
  }

  /// Makes drivers and signals that are built inside `action` deliver on the scheduler that
  /// `makeScheduler` returns.
  public static func mock(
    makeScheduler: @escaping () -> any SchedulerType, action: () throws -> Void
  ) rethrows {
    let former = mocked.value
    mocked.value = Mock(makeScheduler)
    defer { mocked.value = former }
    try action()
  }
}

extension ObservableConvertibleType {
  /// The same elements, shared; instead of an error, `last` and completion.
  ///
  /// - Parameter sharingStrategy: how the result is shared, and where it delivers.
  public func asSharedSequence<Strategy: SharingStrategyProtocol>(
    sharingStrategy: Strategy.Type = Strategy.self, onErrorJustReturn last: Element
  ) -> SharedSequence<Strategy, Element> {
    recover { _ in .just(last) }
  }

  /// The same elements, shared; after an error, continues with the elements of `other`.
  public func asSharedSequence<Strategy: SharingStrategyProtocol>(
    sharingStrategy: Strategy.Type = Strategy.self,
    onErrorDriveWith other: SharedSequence<Strategy, Element>
  ) -> SharedSequence<Strategy, Element> {
    recover { _ in other.source }
  }

  /// The same elements, shared; after an error, continues with the elements of the sequence that
  /// `onErrorRecover` returns.
  public func asSharedSequence<Strategy: SharingStrategyProtocol>(
    sharingStrategy: Strategy.Type = Strategy.self,
    onErrorRecover: @escaping (any Error) -> SharedSequence<Strategy, Element>
  ) -> SharedSequence<Strategy, Element> {
    recover { onErrorRecover($0).source }
  }

  /// As a driver; instead of an error, `onErrorJustReturn` and completion.
  public func asDriver(onErrorJustReturn last: Element) -> Driver<Element> {
    recover { _ in .just(last) }
  }

  /// As a driver; instead of an error, the elements of `onErrorDriveWith`.
  public func asDriver(onErrorDriveWith other: Driver<Element>) -> Driver<Element> {
    recover { _ in other.source }
  }

  /// As a driver; instead of an error, the elements of the driver that `onErrorRecover`
  /// returns.
  public func asDriver(onErrorRecover: @escaping (any Error) -> Driver<Element>) -> Driver<Element>
  {
    recover { onErrorRecover($0).source }
  }

  /// As a signal; instead of an error, `onErrorJustReturn` and completion.
  public func asSignal(onErrorJustReturn last: Element) -> Signal<Element> {
    recover { _ in .just(last) }
  }

  /// As a signal; instead of an error, the elements of `onErrorSignalWith`.
  public func asSignal(onErrorSignalWith other: Signal<Element>) -> Signal<Element> {
    recover { _ in other.source }
  }

  /// As a signal; instead of an error, the elements of the signal that `onErrorRecover`
  /// returns.
  public func asSignal(onErrorRecover: @escaping (any Error) -> Signal<Element>) -> Signal<Element>
  {
    recover { onErrorRecover($0).source }
  }
}

// MARK: Driver

extension TraitSequenceType where Trait == DriverSharingStrategy {
  /// Delivers the driver, on the main thread, to the arguments of the call: see ``Delivery``. Its elements need
  /// not be `Sendable`.
  @MainActor public var drive: Delivery<Trait, Element> { delivery(#function) }
}

extension TraitSequenceType where Trait == DriverSharingStrategy, Element: Sendable {
  /// Delivers the driver, on the main thread, to the arguments of the call: see ``Delivery``.
  ///
  /// - Isolation: to be called on the main thread; debug builds report it elsewhere.
  public var drive: Delivery<Trait, Element> { delivery(#function) }
}

// MARK: Signal

extension TraitSequenceType where Trait == SignalSharingStrategy {
  /// Delivers the signal, on the main thread, to the arguments of the call: see ``Delivery``. Its elements need
  /// not be `Sendable`.
  @MainActor public var emit: Delivery<Trait, Element> { delivery(#function) }
}

extension TraitSequenceType where Trait == SignalSharingStrategy, Element: Sendable {
  /// Delivers the signal, on the main thread, to the arguments of the call: see ``Delivery``.
  ///
  /// - Isolation: to be called on the main thread; debug builds report it elsewhere.
  public var emit: Delivery<Trait, Element> { delivery(#function) }
}

// MARK: Drive and emit

extension TraitSequenceType where Trait: SharingStrategyProtocol {
  fileprivate func delivery(_ name: StaticString) -> Delivery<Trait, Element> {
    MainScheduler.ensureExecutingOnScheduler(
      errorMessage: "a driver or signal was subscribed to off the main thread")
    return Delivery(source: source, name: name)
  }
}

/// The value of `drive` and `emit`. Calling it subscribes.
///
/// Only code of the main actor delivers elements that are not `Sendable`. So `drive` and `emit` are
/// declared twice, with different isolation. The calls are declared once.
public struct Delivery<SharingStrategy: SharingStrategyProtocol, Element> {
  fileprivate let source: Observable<Element>
  /// For traces.
  fileprivate let name: StaticString

  /// Delivers elements and completion to the handlers given, on the main thread.
  ///
  /// - Timing: `onDisposed` runs once, as in `subscribe` of an ``Observable``.
  public func callAsFunction(
    onNext: ((Element) -> Void)? = nil, onCompleted: (() -> Void)? = nil,
    onDisposed: (() -> Void)? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable {
    source.subscribe(onNext, nil, onCompleted, onDisposed, at: CallSite(file, line, name))
  }

  /// The same; the handlers receive `object`, referenced weakly, while it is alive and are not called
  /// after its death.
  public func callAsFunction<Object: AnyObject>(
    with object: Object, onNext: ((Object, Element) -> Void)? = nil,
    onCompleted: ((Object) -> Void)? = nil, onDisposed: ((Object) -> Void)? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable {
    source.subscribe(
      weakly(object, onNext), nil, weakly(object, onCompleted), weakly(object, onDisposed),
      at: CallSite(file, line, name))
  }
}

extension Delivery where SharingStrategy == DriverSharingStrategy {
  /// Delivers every event to `targets`, observers or relays, in order.
  public func callAsFunction<Target: BindingTarget<Element>>(
    _ targets: Target..., file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable { source.feed(targets, at: CallSite(file, line, name)) { $0 } }

  /// Delivers every event to `targets`, observers or relays, in order.
  public func callAsFunction<Target: BindingTarget<Element?>>(
    _ targets: Target..., file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable { source.feed(targets, at: CallSite(file, line, name)) { $0 } }

  /// The result of `transformation` for the observable of the driver.
  public func callAsFunction<Result>(_ transformation: (Observable<Element>) -> Result) -> Result {
    transformation(source)
  }
}

extension Delivery where SharingStrategy == SignalSharingStrategy {
  /// Delivers every event to `targets`, observers or relays, in order.
  public func callAsFunction<Target: BindingTarget<Element>>(
    to targets: Target..., file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable { source.feed(targets, at: CallSite(file, line, name)) { $0 } }

  /// Delivers every event to `targets`, observers or relays, in order.
  public func callAsFunction<Target: BindingTarget<Element?>>(
    to targets: Target..., file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable { source.feed(targets, at: CallSite(file, line, name)) { $0 } }
}
