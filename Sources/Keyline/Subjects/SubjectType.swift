/// An observable that is fed by hand: an observer on one side, an observable on the other.
///
/// Conform with a type of your own that is both; the subjects of Keyline do.
///
/// - SeeAlso: ReactiveX [Subject](https://reactivex.io/documentation/subject.html).
public protocol SubjectType<Element>: ObservableType {
  /// The observer that feeds the subject.
  associatedtype Observer: ObserverType

  /// The side that is fed.
  func asObserver() -> Observer
}
