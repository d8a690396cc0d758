/// An observable that cannot fail: the values of a property, of a path or of a chain.
///
/// It converts to every trait with that guarantee without naming a fallback.
///
/// - SeeAlso: ``TraitSequence``, whose traits guarantee more.
public final class UnfailingSequence<Element>: Observable<Element>, UnfailingType {
  private let name: StaticString
  private let start: (__owned AnyObserver<Element>, SubscriptionContext) -> Void

  /// - Parameters:
  ///   - name: the function that makes it.
  ///   - start: starts feeding an observer, which it guards itself. It never passes on an error.
  package init(
    named name: StaticString,
    start: @escaping (__owned AnyObserver<Element>, SubscriptionContext) -> Void
  ) {
    self.name = name
    self.start = start
  }

  override var guardsObservers: Bool { true }

  override package func run(
    _ observer: consuming AnyObserver<Element>, in context: SubscriptionContext
  ) {
    Instrumentation.report(.passed(ObjectIdentifier(context), name))
    start(observer, context)
  }

  override package var inspectedName: String { CallSite.baseName(name) }
}
