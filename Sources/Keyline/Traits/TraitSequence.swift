/// A sequence that promises more than an ``Observable`` does, and so offers less to go wrong.
///
/// There is one such type for all traits; its first parameter says what is promised:
///
///     Single       one element, or an error           on any thread
///     Maybe        at most one element, or an error   on any thread
///     Completable  no element, perhaps an error       on any thread
///     Infallible   any number, never an error         on any thread
///     Driver       any number, never an error         on the main thread, shared, the latest replayed
///     Signal       any number, never an error         on the main thread, shared
///
/// ```swift
/// func load(_ id: Int) -> Single<Item> { … }
/// let title: Driver<String> = load(7).map(\.title).asDriver(onErrorJustReturn: "—")
/// title.drive(onNext: { label.text = $0 }).disposed(by: bag)
/// ```
///
/// An operator is declared once, for the *capabilities* of the traits that have it: those with
/// elements (``ElementTrait``), those that cannot fail (``UnfailingTrait``) and so on. What differs
/// between the traits is in three members of theirs:
///
/// - `Failure` is what closures may throw: anything, or for those that cannot fail, nothing.
/// - `Filtered` is the trait that is left when elements are left out: a `Single` becomes a `Maybe`.
/// - `share(_:)` and `deliveryScheduler` are what sharing traits do to each result.
///
/// In an extension name the trait: `extension PrimitiveSequence where Trait == SingleTrait`,
/// `extension InfallibleType`, `extension SharedSequence where SharingStrategy == …`.
/// `extension Infallible` alone, or `extension Driver`, would be one of all traits.
///
/// - Complexity: a wrapper; what it wraps does the work.
/// - SeeAlso: ``PrimitiveSequence``, ``Infallible``, ``SharedSequence``.
public struct TraitSequence<Trait: TraitType, Element>: TraitSequenceType {
  @usableFromInline let source: Observable<Element>

  /// Takes what keeps the promises as it is.
  @inlinable init(raw source: Observable<Element>) { self.source = source }

  /// Takes what keeps the promises but for the sharing.
  @inlinable init(_ source: Observable<Element>) { self.init(raw: Trait.share(source)) }

  public var sequence: TraitSequence { self }

  @inlinable public func asObservable() -> Observable<Element> { source }
}

/// Anything that can be seen as a ``TraitSequence``. Operators of traits are declared here, once.
public protocol TraitSequenceType<Trait, Element>: ObservableConvertibleType {
  /// What is promised.
  associatedtype Trait: TraitType

  /// The sequence of the same elements.
  var sequence: TraitSequence<Trait, Element> { get }
}

extension TraitSequenceType {
  /// This trait with elements of a type of its own: what operators return.
  public typealias Kind<Result> = TraitSequence<Trait, Result>
  /// This trait with the same elements.
  public typealias Same = TraitSequence<Trait, Element>

  @usableFromInline var source: Observable<Element> { sequence.source }

  public func asObservable() -> Observable<Element> { source }
}

// MARK: Capabilities

/// What a trait promises, and what that means for the operators.
public protocol TraitType {
  /// What closures given to operators may throw.
  associatedtype Failure: Error
  /// The trait of what has fewer elements.
  associatedtype Filtered: TraitType = Self

  /// Where every event is delivered; nil for wherever it comes from.
  static var deliveryScheduler: (any SchedulerType)? { get }

  /// The result of an operator, as the trait shares it among its observers.
  static func share<Element>(_ source: Observable<Element>) -> Observable<Element>
}

extension TraitType {
  public static var deliveryScheduler: (any SchedulerType)? { nil }

  @inlinable
  public static func share<Element>(_ source: Observable<Element>) -> Observable<Element> { source }

  /// What comes from elsewhere, delivered where the trait delivers.
  static func deliver<Element>(_ source: Observable<Element>) -> Observable<Element> {
    deliveryScheduler.map { source.handedOver(to: $0) } ?? source
  }

  /// A source that emits inside `subscribe`, made to do so where the trait delivers.
  static func start<Element>(_ source: Observable<Element>) -> Observable<Element> {
    deliveryScheduler.map { source.subscribed(on: $0) } ?? source
  }
}

/// One element, or none, or an error: ``Single``, ``Maybe`` and ``Completable``.
public protocol PrimitiveTrait: UnscheduledTrait where Failure == any Error {}

/// There are elements: all but ``Completable``.
public protocol ElementTrait: TraitType {}

/// It may complete without an element: all but ``Single``.
public protocol EmptyableTrait: TraitType where Filtered == Self {}

/// It never fails: ``Infallible``, ``Driver`` and ``Signal``.
public protocol UnfailingTrait: ElementTrait, EmptyableTrait where Failure == Never {}

/// It does not say where it delivers: all but ``Driver`` and ``Signal``.
public protocol UnscheduledTrait: TraitType {}

// MARK: What traits are made with

extension Observable {
  /// The termination alone.
  func terminationOnly<Result>() -> Observable<Result> { compactMap { _ in nil } }

  /// Emits the only element when the source completes; a second one is an error. If there is none,
  /// `fallback` says what to emit.
  func onlyElement(or fallback: @escaping () throws -> Element?) -> Observable<Element> {
    folded(into: Element?.none) { only, element in
      if only != nil { throw RxError.moreThanOneElement }
      only = element
    } _: {
      try ($0 ?? fallback()).map { [$0] } ?? []
    }
  }
}
