/// The base of all subjects: an observer on one side, an observable of the same elements on the
/// other. Subjects differ in the elements that a new observer receives.
///
/// - Lifetime: a subject that is released disposes the subscriptions to it, without a termination.
///   For subscriptions behind operators, see ``Relay``.
/// - Isolation: `Sendable` where `Element` is; every member may be used from any thread.
public class Subject<Element>: Observable<Element>, SubjectType, ObserverType {
  let broadcaster: Broadcaster<Element>

  @usableFromInline init(_ broadcaster: Broadcaster<Element>, _ name: StaticString) {
    self.broadcaster = broadcaster
    super.init()
    record(name)
  }

  /// Records the name of its type, or of the relay that it is the subject of.
  final func record(_ name: StaticString) {
    Instrumentation.report(.called(broadcaster, CallSite("", 0, name)))
  }

  /// Whether there are observers now.
  public final var hasObservers: Bool { broadcaster.observerCount > 0 }

  public final func onNext(_ element: Element) { broadcaster.next(element) }

  public final func on(_ event: Event<Element>) { input.on(event) }

  /// The observer alone, which does not retain the subject.
  final var input: AnyObserver<Element> {
    AnyObserver(next: broadcaster.next, terminate: broadcaster.terminate)
  }

  /// Whether a termination has a place in the order of its events, though perhaps it is not delivered yet.
  final var hasTerminated: Bool { broadcaster.hasTerminated }

  /// Whether `dispose()` has been called.
  public final var isDisposed: Bool { broadcaster.isDisposed }

  /// Disposes all subscriptions without a termination; later subscriptions fail with `RxError.disposed`.
  ///
  /// The disposal waits for its turn. If called inside a delivery, it takes effect after that delivery
  /// and all queued events; inside the replay to a new observer, after the whole replay.
  public final func dispose() { broadcaster.dispose() }

  public func asObserver() -> Subject<Element> { self }

  override final var guardsObservers: Bool { true }

  override package final func run(
    _ observer: consuming AnyObserver<Element>, in context: SubscriptionContext
  ) {
    Instrumentation.report(.passed(ObjectIdentifier(context), "subject"))
    if isDisposed { return context.finish(observer.terminate, RxError.disposed(object: self)) }
    broadcaster.subscribe(observer, in: context)
  }

  override package var inspectedName: String { String("\(type(of: self))".prefix { $0 != "<" }) }

  override package var inspection: [String] {
    [.count(broadcaster.observerCount, "observer")] + (isDisposed ? ["disposed"] : [])
  }

  deinit { broadcaster.subjectDied() }
}

// Proof of @unchecked: immutable but for the broadcaster, which serialises all access to it.
extension Subject: @unchecked Sendable where Element: Sendable {}
