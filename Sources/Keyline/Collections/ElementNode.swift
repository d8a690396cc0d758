/// The computation of a view for one element. It is marked like any computed node, and evaluated
/// with its view. Not generic, because generic code looks up the type of an optional element at each use.
@usableFromInline class ElementNode: Node, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  final let group: ElementGroup
  /// The element, in a box unless it is an object. Nil once it has left the view: the properties that the
  /// computation has read may belong to the element, and retain this node until they are set.
  final private(set) var content: AnyObject?
  /// The element's slot in the order of the source; 0 if the element has left.
  final var slot = 0
  /// The order in which the element stands, and its slot there, unless the order is counted.
  final var order: ElementOrder?
  final var orderSlot = 0
  /// The result of the computation: whether the element is where it belongs.
  final var result = false

  init(_ content: AnyObject, in group: ElementGroup, of owner: RegisteredObject) {
    self.content = content
    self.group = group
    // A rule, which must not set anything (D17).
    super.init(owner: owner, [.derived, .releasable])
  }

  override func evaluate(of owner: AnyObject, from index: Int, in transaction: Transaction) {
    group.evaluate?(self)
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
  func leave() {
    slot = 0
    order = nil
    _ = markEnded()
    dropDependencies()
    withExtendedLifetime(content.take()) {}
  }
}
