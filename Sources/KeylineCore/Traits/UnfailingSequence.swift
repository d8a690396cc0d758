/// An observable that cannot fail: the values of a property, of a path or of a chain.
///
/// It converts to every trait with that guarantee without naming a fallback.
///
/// - SeeAlso: ``TraitSequence``, whose traits guarantee more.
public final class UnfailingSequence<Element>: _Source<Element>, UnfailingType {
  // Its closure guards the observers that it feeds, and never passes on an error.
  override var guardsObservers: Bool { true }

  override package var inspectedName: String { CallSite.baseName(name) }
}
