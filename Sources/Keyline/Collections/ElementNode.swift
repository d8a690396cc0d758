/// The computation of a view for one element. It is marked like any computed node, and evaluated
/// with its view. Not generic, because generic code looks up the type of an optional element at each use.
@usableFromInline class ElementNode: Node, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  final let group: ElementGroup
  /// The element, in a box unless it is an object. Nil once it has left the view: the properties that the
  /// computation has read may belong to the element, and retain this node until they are set.
  final private(set) var content: AnyObject?
  /// The element's slot in the order of the source; 0 if the element has left.
  @OrderTree.Compact final var slot = 0
  /// The element's slot in `order`.
  @OrderTree.Compact final var orderSlot = 0
  /// The order in which the element stands.
  final var order: ElementOrder?
  /// The result of the computation: the order in which the element belongs.
  final var target: ElementOrder?

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
    queue()
    transaction.markOutdated(view)
  }

  /// Lets the group check the element when it settles.
  final func queue() { if state.insert(.queued).inserted { group.outdated.append(self) } }

  /// The elements of a section; nil for an element of the source.
  var members: ElementOrder? { nil }
  /// The first element of a section; otherwise the node itself.
  final var first: ElementNode { members?.node(at: 0) ?? self }

  override final var whole: Node? { group.view }

  /// Lets the next refresh evaluate the node.
  final func invalidate() { state.insert([.marked, .outdated]) }

  /// Ends the node of an element that has left the view.
  func leave() {
    slot = 0
    (order, target) = (nil, nil)
    _ = markEnded()
    dropDependencies()
    withExtendedLifetime(content.take()) {}
  }
}
