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
public class PropertySequence<Element>: Observable<Element>, UnfailingType {
  private let name: StaticString
  /// Nil for a subclass that starts by itself.
  private let starter: ((__owned AnyObserver<Element>, SubscriptionContext) -> Void)?

  /// - Parameter name: the function that makes it.
  @usableFromInline init(
    named name: StaticString = #function,
    _ start: ((__owned AnyObserver<Element>, SubscriptionContext) -> Void)?
  ) {
    self.name = name
    starter = start
  }

  func start(_ observer: __owned AnyObserver<Element>, _ context: SubscriptionContext) {
    starter?(observer, context)
  }

  @usableFromInline
  override final func run(
    _ observer: consuming AnyObserver<Element>, in context: SubscriptionContext
  ) {
    context.pass(name)
    start(observer, context)
  }

  override final var guardsObservers: Bool { true }

  override final var inspectedName: String { "" }

  /// `observe(\Person.name)`: what a subscription observes, found by subscribing.
  override final var stages: [String] {
    let context = SubscriptionContext()
    untracked { start(AnyObserver(next: { _ in }, terminate: { _ in }), context) }
    let names = context.allObserved.compactMap { ($0 as? DependencyNode)?.livingName }
    context.dispose()
    return ["\(CallSite.baseName(name))(\(names.map { "\\\($0)" }.joined(separator: ", ")))"]
  }
}
