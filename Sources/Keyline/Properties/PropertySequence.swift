import KeylineCore

/// The values of a property, of a path or of a chain: an observable that cannot fail.
///
/// It converts to every trait with that guarantee without naming a fallback (B10):
///
/// ```swift
/// _ = person.observe(\.name).asDriver()          // Driver<String>
/// _ = person.observe(\.age).asInfallible()       // Infallible<Int>
/// ```
///
/// - SeeAlso: `observe(_:options:)` and its relatives, which return one.
public typealias PropertySequence = UnfailingSequence

extension UnfailingSequence {
  /// - Parameter name: the function that makes it.
  @usableFromInline convenience init(
    named name: StaticString = #function,
    _ start: @escaping (__owned AnyObserver<Element>, SubscriptionContext) -> Void
  ) {
    self.init(named: name, start: start)
  }
}
