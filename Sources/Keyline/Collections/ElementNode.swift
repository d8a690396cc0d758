/// The computation of a view for one element. It is marked like any computed node, and evaluated
/// with its view.
class ElementNode: Node, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  private let group: ElementGroup
  /// The element's slot in the order of the source; 0 if the element has left.
  final var slot = 0
  /// The element's slot in the order of the view; 0 if it is not there.
  final var viewSlot = 0
  /// The result of the computation: whether the element is where it belongs. In a filtered view, whether it
  /// is included; in a sorted one, whether it does not come before its predecessor.
  private(set) final var result = false

  init(in group: ElementGroup, of owner: RegisteredObject) {
    self.group = group
    // A rule, which must not set anything (D17).
    super.init(owner: owner, [.derived, .releasable])
  }

  override final func evaluate(of owner: AnyObject, from index: Int, in transaction: Transaction) {
    result = group.isInPlace(self)
  }

  override final func marked(in transaction: Transaction) {
    guard !state.contains(.queued), let view = group.view else { return }
    state.insert(.queued)
    group.outdated.append(self)
    transaction.markOutdated(view)
  }

  override final var whole: Node? { group.view }

  /// Lets the next refresh evaluate the node.
  final func invalidate() { state.insert([.marked, .outdated]) }

  /// Ends the node of an element that has left the view.
  final func leave() {
    slot = 0
    viewSlot = 0
    _ = markEnded()
    dropDependencies()
    releaseElement()
  }

  func releaseElement() {}
}

/// The node of an element, with the element.
final class ElementHolder<Element>: ElementNode, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  /// Nil once the element has left the view: the properties that the computation has read may
  /// belong to the element, and retain this node until they are set.
  private var content: Element?

  init(_ element: Element, in group: ElementGroup, of owner: RegisteredObject) {
    content = element
    super.init(in: group, of: owner)
  }

  var element: Element {
    guard let content else { preconditionFailure("the element has left the view") }
    return content
  }

  override func releaseElement() { withExtendedLifetime(content.take()) {} }
}
