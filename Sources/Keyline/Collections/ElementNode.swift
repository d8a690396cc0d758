/// The computation of a view for one element. It is marked like any computed node, and evaluated
/// with its view. Not generic, because generic code looks up the type of an optional element at each use.
final class ElementNode: Node, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  let group: ElementGroup
  /// The element, in a box unless it is an object. Nil once it has left the view: the properties that the
  /// computation has read may belong to the element, and retain this node until they are set.
  private(set) var content: AnyObject?
  /// The element's slot in the order of the source; 0 if the element has left.
  var slot = 0
  /// The element's slot in the order of the view; 0 if it is not there.
  var viewSlot = 0
  /// The result of the computation: whether the element is where it belongs. In a filtered view, whether it
  /// is included; in a sorted one, whether it does not come before its predecessor.
  private(set) var result = false

  init(_ content: AnyObject, in group: ElementGroup, of owner: RegisteredObject) {
    self.content = content
    self.group = group
    // A rule, which must not set anything (D17).
    super.init(owner: owner, [.derived, .releasable])
  }

  override func evaluate(of owner: AnyObject, from index: Int, in transaction: Transaction) {
    result = group.isInPlace(self)
  }

  override func marked(in transaction: Transaction) {
    guard !state.contains(.queued), let view = group.view else { return }
    state.insert(.queued)
    group.outdated.append(self)
    transaction.markOutdated(view)
  }

  override var whole: Node? { group.view }

  /// Lets the next refresh evaluate the node.
  func invalidate() { state.insert([.marked, .outdated]) }

  /// Ends the node of an element that has left the view.
  func leave() {
    slot = 0
    viewSlot = 0
    _ = markEnded()
    dropDependencies()
    withExtendedLifetime(content.take()) {}
  }
}
