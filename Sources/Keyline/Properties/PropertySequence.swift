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
    _ start: @escaping (__owned AnyObserver<Element>, EngineContext) -> Void
  ) {
    self.init(
      named: name, describing: { Self.stages(of: name, start) },
      start: { observer, context in start(observer, EngineContext(of: context)) })
  }

  /// `observe(\Person.name)`: what a subscription observes, found by subscribing.
  private static func stages(
    of name: StaticString, _ start: (__owned AnyObserver<Element>, EngineContext) -> Void
  ) -> [String] {
    let context = EngineContext()
    untracked { start(AnyObserver(next: { _ in }, terminate: { _ in }), context) }
    let names = context.allObserved.compactMap { ($0 as? DependencyNode)?.livingName }
    context.dispose()
    return ["\(CallSite.baseName(name))(\(names.map { "\\\($0)" }.joined(separator: ", ")))"]
  }
}
