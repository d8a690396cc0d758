/// A type that a sequence can be bound to: observers and relays.
///
/// Public because types of a program that accept values conform, to be arguments of `bind(to:)`.
///
/// - Isolation: a conformance cannot be isolated to an actor, because operators use it on any thread. In a module
///   that is isolated to the main actor by default, a conforming type is `nonisolated`.
public protocol BindingTarget<Element>: SendableMetatype {
  /// The type of the elements that the observer receives.
  associatedtype Element

  /// An observer that feeds this target.
  func asObserver() -> AnyObserver<Element>
}

/// Receives the events of a sequence. A program's own observers conform.
public protocol ObserverType<Element>: BindingTarget {
  /// The type of the elements that the observer receives.
  associatedtype Element

  /// Receives the next event.
  func on(_ event: Event<Element>)

  /// Receives an element: the same as `on(.next(element))`, without the event.
  func onNext(_ element: Element)
}

extension ObserverType {
  public func onNext(_ element: Element) { on(.next(element)) }

  /// Ends the sequence with an error: `on(.error(error))`.
  public func onError(_ error: any Error) { on(.error(error)) }

  /// Ends the sequence: `on(.completed)`.
  public func onCompleted() { on(.completed) }

  /// This observer with its type erased.
  public func asObserver() -> AnyObserver<Element> { AnyObserver(self) }

  /// An observer of `Source` elements that forwards them transformed; an error thrown by
  /// `transform` is forwarded as `error`.
  public func mapObserver<Source>(
    _ transform: @escaping (Source) throws -> Element
  ) -> AnyObserver<Source> {
    AnyObserver(eventHandler: { on($0.map(transform)) })
  }
}

/// An observer as a pair of closures: the form in which all stages of a chain are connected.
///
/// `next` receives an element; `terminate` receives the error that ended the sequence, or nil for
/// completion. Two messages and no enum: an element costs one call per stage.
///
/// - Isolation: `Sendable` if the elements are. The observers that `create` hands out are
///   synchronised; an observer made of a closure, or of another observer, calls it on the thread that emits.
///   The compiler checks the closure for that only if it is marked `@Sendable`, and the other observer never.
public struct AnyObserver<Element>: ObserverType {
  /// Receives every event.
  public typealias EventHandler = (Event<Element>) -> Void

  @usableFromInline package let next: (Element) -> Void
  @usableFromInline package let terminate: ((any Error)?) -> Void

  @inlinable package init(
    next: @escaping (Element) -> Void, terminate: @escaping ((any Error)?) -> Void
  ) {
    self.next = next
    self.terminate = terminate
  }

  /// An observer that calls `eventHandler` with every event.
  public init(eventHandler: @escaping EventHandler) {
    self.init(
      next: { eventHandler(.next($0)) }, terminate: { eventHandler(Event(termination: $0)) })
  }

  /// `observer` with its type erased.
  public init<Observer: ObserverType>(_ observer: Observer) where Observer.Element == Element {
    self =
      observer as? AnyObserver<Element>
      ?? AnyObserver(
        next: { observer.onNext($0) }, terminate: { observer.on(Event(termination: $0)) })
  }

  public func on(_ event: Event<Element>) {
    switch event {
    case .next(let element): next(element)
    case .error(let error): terminate(error)
    case .completed: terminate(nil)
    }
  }

  @inlinable public func onNext(_ element: Element) { next(element) }

  public func asObserver() -> AnyObserver<Element> { self }

  /// This observer with another `next`: for operators that forward terminations unchanged.
  @inlinable
  package func withNext<Source>(_ next: @escaping (Source) -> Void) -> AnyObserver<Source> {
    AnyObserver<Source>(next: next, terminate: terminate)
  }

  /// Calls `body`, and terminates with an error thrown by it. Always inlined: it may be called for
  /// each element.
  @inlinable @inline(__always)
  func attempt(_ body: () throws -> Void) {
    do { try body() } catch { terminate(error) }
  }

  /// Emits `element`, or terminates with an error thrown by it.
  @inlinable @inline(__always)
  func attemptNext(_ element: () throws -> Element) { attempt { next(try element()) } }

  /// Forwards an error and ignores completion: for an upstream that does not end the output by
  /// completing.
  func terminateOnError(_ error: (any Error)?) { if error != nil { terminate(error) } }
}

// Proof of @unchecked: two immutable closures, which run where elements are emitted, as all handlers of a
// subscription do. The observers of `create`, subjects and relays are synchronised. A closure or
// an observer of the program is confined to its thread, unless the program marks it `@Sendable`.
extension AnyObserver: @unchecked Sendable where Element: Sendable {}
