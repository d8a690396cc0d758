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
public final class PublishSubject<Element>: Subject<Element> {
  public init() { super.init(Broadcaster()) }

  public override func asObserver() -> PublishSubject<Element> { self }
}

// Proof of @unchecked: adds nothing that changes to its superclass.
extension PublishSubject: @unchecked Sendable where Element: Sendable {}
