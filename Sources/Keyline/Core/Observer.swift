/// What a sequence can be bound to: observers and relays.
public protocol BindingTarget<Element> {
  associatedtype Element

  /// An observer that stands for this.
  func asObserver() -> AnyObserver<Element>
}

/// Receives the events of a sequence.
public protocol ObserverType<Element>: BindingTarget {
  associatedtype Element

  /// Takes the next event.
  func on(_ event: Event<Element>)

  /// Takes an element: the same as `on(.next(element))`, without the event.
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

  /// An observer of `Source` elements that passes them on transformed; an error thrown by
  /// `transform` is passed on as `error`.
  public func mapObserver<Source>(
    _ transform: @escaping (Source) throws -> Element
  ) -> AnyObserver<Source> {
    AnyObserver(eventHandler: { on($0.map(transform)) })
  }
}

/// An observer as a pair of closures: what every stage of a chain is made of.
///
/// `next` takes an element; `terminate` takes the error that ended the sequence, or nil for
/// completion. Two messages and no enum: an element costs one call per stage.
public struct AnyObserver<Element>: ObserverType {
  @usableFromInline let next: (Element) -> Void
  @usableFromInline let terminate: ((any Error)?) -> Void

  @inlinable init(next: @escaping (Element) -> Void, terminate: @escaping ((any Error)?) -> Void) {
    self.next = next
    self.terminate = terminate
  }

  /// An observer that hands every event to `eventHandler`.
  public init(eventHandler: @escaping (Event<Element>) -> Void) {
    self.init(
      next: { eventHandler(.next($0)) }, terminate: { eventHandler(Event(termination: $0)) })
  }

  /// The observer given, with its type erased.
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

  /// This observer with another way to take elements: what an operator is that leaves terminations
  /// alone.
  @inlinable func withNext<Source>(_ next: @escaping (Source) -> Void) -> AnyObserver<Source> {
    AnyObserver<Source>(next: next, terminate: terminate)
  }

  /// Does `body`, and ends with an error thrown by it. Written into the caller: it may be called for
  /// each element.
  @inlinable @inline(__always)
  func attempt(_ body: () throws -> Void) {
    do { try body() } catch { terminate(error) }
  }

  /// Takes the termination of an upstream whose completion does not matter.
  func fail(_ error: (any Error)?) {
    if error != nil { terminate(error) }
  }
}
