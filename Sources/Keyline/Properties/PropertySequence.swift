/// The values of a property, of a path or of a chain: an observable that cannot fail.
///
/// It converts to every trait with that guarantee without naming a fallback (B10):
///
/// ```swift
/// person.observe(\.name).asDriver()          // Driver<String>
/// person.observe(\.age).asInfallible()       // Infallible<Int>
/// ```
///
/// - SeeAlso: `observe(_:options:)` and its relatives, which return one.
public final class PropertySequence<Element>: Observable<Element>, UnfailingType {
  private let name: StaticString
  private let start: (AnyObserver<Element>, SubscriptionContext) -> Void

  /// - Parameter name: the function that makes it.
  @usableFromInline init(
    named name: StaticString = #function,
    _ start: @escaping (AnyObserver<Element>, SubscriptionContext) -> Void
  ) {
    self.name = name
    self.start = start
  }

  @usableFromInline
  override func run(_ observer: AnyObserver<Element>, in context: SubscriptionContext) {
    context.pass(name)
    start(observer, context)
  }
}
