/// The guarantees of a sequence, and their consequences for the operators.
///
/// Public because it constrains the first parameter of ``TraitSequence``.
public protocol TraitType: SendableMetatype {
  /// The errors that the sequence may fail with, and that closures given to its operators may throw: any
  /// error, or `Never`.
  associatedtype Failure: Error = any Error
  /// The trait of a sequence without some of the elements.
  associatedtype Filtered: TraitType = Self

  /// Where every event is delivered; nil for the thread that emits it.
  static var deliveryScheduler: (any SchedulerType)? { get }

  /// `source`, the result of an operator, shared among its observers as the trait requires.
  static func share<Element>(_ source: Observable<Element>) -> Observable<Element>
}

extension TraitType {
  public static var deliveryScheduler: (any SchedulerType)? { nil }

  @inlinable
  public static func share<Element>(_ source: Observable<Element>) -> Observable<Element> { source }
}

// Capabilities that operators are declared for. Two need no protocol. Traits that may complete without an
// element, all but ``Single``: leaving out elements does not change them (`Filtered == Self`). Traits that
// cannot fail: `Failure == Never`.

/// Traits with elements: all but ``Completable``.
///
/// Public because it constrains the operators of such traits, as the following two do.
public protocol ElementTrait: TraitType {}

/// Traits with any number of elements: observables, infallibles, drivers and signals.
public protocol MultiElementTrait: ElementTrait {}

/// Traits without a scheduler of their own: all but ``Driver`` and ``Signal``. The type of such a sequence does
/// not change when a scheduler delivers its events elsewhere, or later.
public protocol UnscheduledTrait: TraitType {}

/// The trait of an ``Observable``, which guarantees nothing but C1.
public enum ObservableTrait: MultiElementTrait, UnscheduledTrait {}
