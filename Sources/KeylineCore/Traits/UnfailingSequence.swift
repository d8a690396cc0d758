/// An observable that cannot fail: the values of a property, of a path or of a chain.
///
/// It converts to every trait with that guarantee without naming a fallback.
///
/// - SeeAlso: ``TraitSequence``, whose traits guarantee more.
public final class UnfailingSequence<Element>: Observable<Element>, UnfailingType {
  private let name: StaticString
  private let describe: (StaticString, SubscriptionContext) -> [String]
  private let start: (__owned AnyObserver<Element>, SubscriptionContext) -> Void

  /// - Parameters:
  ///   - name: the function that makes it.
  ///   - describe: returns its stages, for descriptions: of its name, and of a subscription to it.
  ///   - start: starts feeding an observer. It never passes on an error.
  package init(
    named name: StaticString,
    describing describe: @escaping (StaticString, SubscriptionContext) -> [String],
    start: @escaping (__owned AnyObserver<Element>, SubscriptionContext) -> Void
  ) {
    self.name = name
    self.describe = describe
    self.start = start
    super.init()
  }

  override package func run(
    _ observer: consuming AnyObserver<Element>, in context: SubscriptionContext
  ) {
    context.pass(name)
    start(observer, context)
  }

  override package var inspectedName: String { "" }

  override package var stages: [String] {
    let context = SubscriptionContext()
    defer { context.dispose() }
    start(AnyObserver(next: { _ in }, terminate: { _ in }), context)
    return describe(name, context)
  }
}
