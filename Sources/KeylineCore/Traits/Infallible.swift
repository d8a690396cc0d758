/// Any number of elements and never an error, on any thread.
public typealias Infallible<Element> = TraitSequence<InfallibleTrait, Element>

/// The guarantees of an ``Infallible``.
public enum InfallibleTrait: MultiElementTrait, UnscheduledTrait {
  public typealias Failure = Never
}

/// Types that convert to an ``Infallible``: for extensions by a program.
public protocol InfallibleType<Element>: TraitSequenceType, UnfailingType
where Trait == InfallibleTrait {}

extension TraitSequence: InfallibleType where Trait == InfallibleTrait {}

/// An event of an ``Infallible``.
@frozen
public enum InfallibleEvent<Element> {
  /// The next element.
  case next(Element)
  /// The sequence has completed.
  case completed
}

extension InfallibleEvent: Sendable where Element: Sendable {}

extension InfallibleType {
  /// Receives the events of an ``Infallible``.
  public typealias InfallibleObserver = (InfallibleEvent<Element>) -> Void

  /// An infallible defined by a closure: `subscribe` feeds each observer and returns a
  /// disposable that stops it.
  ///
  /// - Parameter subscribe: called once per subscription. It must feed its observer serially.
  /// - SeeAlso: ReactiveX [Create](https://reactivex.io/documentation/operators/create.html).
  public static func create(
    subscribe: @escaping (@escaping InfallibleObserver) -> any Disposable
  ) -> Infallible<Element> {
    Infallible(
      .create { observer in
        subscribe { event in
          guard case .next(let element) = event else { return observer.terminate(nil) }
          observer.next(element)
        }
      })
  }
}

// MARK: Converting to a trait that cannot fail

extension ObservableConvertibleType {
  /// This sequence as a `Trait`; an error is replaced by the observable that `handler` returns.
  func recover<Trait: TraitType>(
    _ handler: @escaping (any Error) -> Observable<Element>
  ) -> TraitSequence<Trait, Element> {
    TraitSequence(Trait.deliver(asObservable()).catch(handler))
  }

  /// The same elements; instead of an error, `last` and completion.
  public func asInfallible(onErrorJustReturn last: Element) -> Infallible<Element> {
    recover { _ in .just(last) }
  }

  /// The same elements; after an error, continues with the elements of `other`.
  public func asInfallible(onErrorFallbackTo other: Infallible<Element>) -> Infallible<Element> {
    recover { _ in other.source }
  }

  /// The same elements; after an error, continues with the infallible that `onErrorRecover`
  /// returns.
  public func asInfallible(
    onErrorRecover: @escaping (any Error) -> Infallible<Element>
  ) -> Infallible<Element> {
    recover { onErrorRecover($0).source }
  }
}

/// Sequences that cannot fail, which convert to every trait with that guarantee.
///
/// Public because functions take any of them as an argument, as `combineLatest` of drivers does.
public protocol UnfailingType<Element>: ObservableConvertibleType {}

extension TraitSequence: UnfailingType where Trait.Failure == Never {}

extension UnfailingType {
  /// As a driver.
  public func asDriver() -> Driver<Element> { delivered() }

  /// As a signal.
  public func asSignal() -> Signal<Element> { delivered() }

  /// As an infallible.
  public func asInfallible() -> Infallible<Element> { delivered() }

  private func delivered<Trait: TraitType>() -> TraitSequence<Trait, Element> {
    TraitSequence(Trait.deliver(asObservable()))
  }
}
