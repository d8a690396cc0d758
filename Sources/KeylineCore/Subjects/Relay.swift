/// The base of all relays: a subject that never terminates, because it accepts elements only. Relays
/// differ in the elements that a new observer receives.
///
/// - Timing: synchronous, on the thread that calls `accept(_:)` or, while another thread is delivering, on
///   that one; C4 to C7 as for the subject. Of relays that are bound in a row, the 64 next to one that accepts an element deliver it at once. The others take it
///   in at once, and deliver when these have delivered: rows of any length keep the stack flat.
/// - Lifetime: a relay that is released disposes the subscriptions to it, without a termination, also
///   behind operators that keep nothing, such as `map`, `filter` and `scan`. Behind an operator with a
///   subscription of its own, such as `do`, `catch`, `merge`, `debounce` or `share`, a subscription
///   stays until it is disposed.
/// - Isolation: `Sendable` where `Element` is; every member may be used from any thread.
public class Relay<Element>: ObservableWrapperType {
  let subject: Subject<Element>

  init(_ subject: Subject<Element>, _ name: StaticString) {
    self.subject = subject
    subject.record(name)
  }

  /// Whether there are observers now.
  public final var hasObservers: Bool { subject.hasObservers }

  /// Emits `element` to all observers.
  public final func accept(_ element: Element) { subject.onNext(element) }

  /// Emits `element` to all observers, for the sequence that is bound to this relay.
  final func forward(_ element: Element) { subject.broadcaster.forward(element) }

  public final func asObservable() -> Observable<Element> { subject }
}

extension Relay: Inspectable {
  package var inspection: [String] { subject.inspection }
}

// Proof of @unchecked: immutable but for the subject, which is `Sendable` itself.
extension Relay: @unchecked Sendable where Element: Sendable {}
