/// An observer on one side, an observable on the other.
///
/// The subjects of Keyline conform; so can a type of your own that is both.
///
/// - SeeAlso: ReactiveX [Subject](https://reactivex.io/documentation/subject.html).
public protocol SubjectType<Element>: ObservableType {
  /// The observer that feeds the subject.
  associatedtype Observer: ObserverType

  /// The observer side.
  func asObserver() -> Observer
}
