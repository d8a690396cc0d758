/// Passes on what it is fed, to whoever is subscribed at that moment.
///
/// ```swift
/// let clicks = PublishSubject<String>()
/// clicks.onNext("lost")                                 // nobody listens
/// clicks.subscribe(onNext: { print($0) }).disposed(by: bag)
/// clicks.onNext("heard")                                // heard
/// ```
///
///     fed        --1-----2-----3--|
///     observer 1 ^-1-----2-----3--|
///     observer 2     ^---2-----3--|
///     observer 3                     ^|
///
/// Laws: observers are called in the order they subscribed, any number of them (4); threads that
/// feed at once are put in one order, the same for all observers (5); an element fed by an observer
/// waits until the current one has reached everyone (6); observers may subscribe and dispose at any
/// moment (7); the termination, which latecomers get too, releases everyone (8).
///
/// - Timing: synchronous, on the thread that feeds; while another thread is delivering, on that one.
/// - Lifetime: a subject that dies disposes the subscriptions to it, without a termination.
/// - Complexity: O(observers) per element, without allocating; O(1) amortised to subscribe and leave.
/// - SeeAlso: ReactiveX [Subject](https://reactivex.io/documentation/subject.html).
public final class PublishSubject<Element>: Observable<Element>, SubjectType, ObserverType {
  private let broadcaster = Broadcaster<Element>()

  public override init() {}

  /// Whether anybody is subscribed now.
  public var hasObservers: Bool { broadcaster.hasObservers }

  public func onNext(_ element: Element) { broadcaster.next(element) }

  public func on(_ event: Event<Element>) {
    switch event {
    case .next(let element): broadcaster.next(element)
    case .error(let error): broadcaster.terminate(error)
    case .completed: broadcaster.terminate(nil)
    }
  }

  /// Whether `dispose()` has been called.
  public var isDisposed: Bool { broadcaster.isDisposed }

  /// Ends all subscriptions without a termination; who subscribes later gets `RxError.disposed`.
  public func dispose() { broadcaster.dispose() }

  public func asObserver() -> PublishSubject<Element> { self }

  override var isSubject: Bool { true }

  override func run(_ observer: AnyObserver<Element>, in context: SubscriptionContext) {
    if isDisposed { return observer.terminate(RxError.disposed(object: self)) }
    broadcaster.subscribe(observer, in: context)
  }

  deinit { broadcaster.abandon() }
}

// Proof of @unchecked: immutable but for the broadcaster, which orders all that is done to it.
extension PublishSubject: @unchecked Sendable where Element: Sendable {}
