// Traits: single, maybe, completable, infallible, driver and signal with their operators, the
// control traits, binders, `bind`, `drive` and `emit`.

/// An observable with guarantees, which its type states and its operators preserve.
///
/// There is one such type for all traits; its first parameter names the guarantees:
///
///     Single       one element, or an error           on any thread
///     Maybe        at most one element, or an error   on any thread
///     Completable  no element, perhaps an error       on any thread
///     Infallible   any number, never an error         on any thread
///     Driver       any number, never an error         on the main thread, shared, the latest replayed
///     Signal       any number, never an error         on the main thread, shared
///
/// ```swift
/// func load(_ id: Int) -> Single<Item> { .just(Item(title: "item \(id)")) }
/// let title: Driver<String> = load(7).map(\.title).asDriver(onErrorJustReturn: "—")
/// title.drive(onNext: { label.text = $0 }).disposed(by: bag)
/// ```
///
/// An operator is declared once, for the *capabilities* of the traits that have it: traits with
/// elements (``ElementTrait``), traits that cannot fail (`Failure == Never`) and so on.
/// Three members of each trait hold the differences:
///
/// - `Failure` is the error type of the sequence and of closures: any error, or `Never` for traits that cannot fail.
/// - `Filtered` is the trait of a sequence without some elements: a `Single` becomes a `Maybe`.
/// - `share(_:)` and `deliveryScheduler` are how sharing traits share and deliver each result.
///
/// How sequences of different traits are combined stands in AcrossTraits.swift.
///
/// In an extension name the trait: `extension PrimitiveSequence where Trait == SingleTrait`,
/// `extension InfallibleType`, `extension SharedSequence where SharingStrategy == …`.
/// `extension Infallible` alone, or `extension Driver`, would extend all traits.
///
/// - Complexity: a wrapper without cost per element.
/// - SeeAlso: ``PrimitiveSequence``, ``Infallible``, ``SharedSequence``.
public struct TraitSequence<Trait: TraitType, Element>: TraitSequenceType {
  @usableFromInline let source: Observable<Element>

  /// Wraps a source that satisfies the trait, sharing included.
  @inlinable init(raw source: Observable<Element>) { self.source = source }

  /// Wraps a source that satisfies the trait; sharing is applied here.
  @inlinable init(_ source: Observable<Element>) { self.init(raw: Trait.share(source)) }

  @inlinable public func asObservable() -> Observable<Element> { source }
}

/// Types that convert to a ``TraitSequence``. Operators of traits are declared here, once.
///
/// Public because a program extends it with operators of its own for several traits.
public protocol TraitSequenceType<Trait, Element>: ThreadCrossingSequenceType
where SameSequence == TraitSequence<Trait, Element> {}

extension TraitSequenceType {
  /// The same trait with other elements.
  public typealias SameTrait<Result> = TraitSequence<Trait, Result>

  @usableFromInline var source: Observable<Element> { asObservable() }

  /// The same trait, of the sequence `source`, which keeps its guarantees.
  @inlinable public static func _wrap(_ source: Observable<Element>) -> SameSequence {
    SameSequence(source)
  }
}

extension TraitType {
  /// How sequences of the trait are zipped.
  static var zipMode: CombineMode { Filtered.self == Self.self ? .zip : .zipOfSingles }

  /// `source`, which may emit on any thread, delivered where the trait delivers.
  static func deliver<Element>(_ source: Observable<Element>) -> Observable<Element> {
    deliveryScheduler.map { source.observe(on: $0.unsafelyConfined) } ?? source
  }

  /// `source`, which emits inside `subscribe`, subscribed to where the trait delivers.
  static func start<Element>(_ source: Observable<Element>) -> Observable<Element> {
    deliveryScheduler.map { source.subscribe(on: $0.unsafelyConfined) } ?? source
  }
}

// MARK: Shared bodies of trait operators

extension Observable {
  /// The termination alone.
  func terminationOnly<Result>() -> Observable<Result> { compactMap { _ in nil } }

  /// Emits the only element when the source completes, or the result of `fallback` if there is
  /// none; a second one is an error.
  func onlyElement(or fallback: @escaping () throws -> Element?) -> Observable<Element> {
    fold(into: Element?.none) { only, element in
      if only != nil { throw RxError.moreThanOneElement }
      only = element
    } _: {
      try ($0 ?? fallback()).map { [$0] } ?? []
    }
  }
}
