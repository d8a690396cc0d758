/// The computation of a view for one element. It is marked like any computed node, and evaluated
/// with its view.
class ElementNode: Node, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  private let group: ElementGroup
  /// The element's slot in the order of the source; 0 if the element has left.
  final var slot = 0
  /// The element's slot in the order of a sorted view; 0 if it has none.
  final var sortedSlot = 0
  /// The result of the computation.
  private(set) final var result = false

  init(in group: ElementGroup, of owner: RegisteredObject) {
    self.group = group
    // A rule, which must not set anything (D17).
    super.init(owner: owner, [.derived, .releasable])
  }

  override final func evaluate(of owner: AnyObject, from index: Int, in transaction: Transaction) {
    result = group.compute?(self) ?? false
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
    sortedSlot = 0
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

/// The elements of a view whose closure is evaluated for each of them. Not generic, so that its
/// code is compiled once.
final class ElementGroup {
  fileprivate(set) weak var view: Node?
  /// Calls the closure of the view for an element; nil after the view has ended.
  var compute: ((ElementNode) -> Bool)?
  /// Whether one element comes before another in a sorted view; nil after the view has ended.
  var isBefore: ((ElementNode, ElementNode) -> Bool)?
  /// The elements of the source, in order.
  var tree = OrderTree()
  /// The elements of a sorted view, in its order.
  var order = OrderTree()
  /// Elements of a sorted view that follow another element than when they were compared.
  var followers: [ElementNode] = []
  /// The elements for which the closure may have another result. Used only by the view's domain,
  /// even after the array has died; released with the view's node.
  fileprivate(set) var outdated: [ElementNode] = []

  // Proof of the casts: nothing else is inserted.

  var nodes: [ElementNode] { tree.values.map { cast($0, to: ElementNode.self) } }

  func node(at slot: Int) -> ElementNode { cast(tree[slot], to: ElementNode.self) }

  func insert(_ node: ElementNode, isCounted: Bool, at index: Int) {
    node.slot = tree.insert(node, isCounted: isCounted, at: index)
  }

  func remove(at index: Int) -> ElementNode { cast(tree.remove(at: index), to: ElementNode.self) }

  /// Removes and returns the outdated elements; some may have left the view.
  func takeOutdated() -> [ElementNode] {
    let taken = exchange(&outdated, with: [])
    for node in taken { node.state.remove(.queued) }
    return taken
  }

  /// Removes all elements.
  func clear() {
    let nodes = nodes
    (tree, order, followers) = (OrderTree(), OrderTree(), [])
    for node in nodes { node.leave() }
  }
}

/// The node of a view whose closure is evaluated for each element, and whose reads are followed.
class ElementViewNode<Element>: ViewNode<Element>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  final let source: ViewSource<Element>
  final let group = ElementGroup()

  init(of array: LiveArray<Element>, for owner: RegisteredObject) {
    source = ViewSource(array)
    super.init(owner: owner, of: array)
    group.view = self
  }

  /// The element of a node of this view.
  static func element(of node: AnyObject) -> Element {
    // Proof of the cast: `insert` makes the nodes.
    cast(node, to: ElementHolder<Element>.self).element
  }

  /// Inserts a new element into the order of the source.
  final func insert(_ element: Element, at index: Int) -> ElementNode {
    let node = ElementHolder(element, in: group, of: owner)
    group.insert(node, isCounted: false, at: index)
    return node
  }

  // Nothing else uses the list then, because no thread can obtain the view from the group any more.
  deinit { group.outdated = [] }

  override final var isBehind: Bool { source.isBehind }

  override final var parts: [Node] { group.nodes }

  override final func forgetContents() {
    guard source.isBehind else { return }
    source.forget()
    group.clear()
  }

  override func releaseContents() {
    super.releaseContents()
    group.clear()
    source.release()
    _ = (group.compute.take(), group.isBefore.take())
  }
}

/// Whether so many of `total` elements have changed that a pass over all of them is cheaper.
func isLarge(_ changes: Int, of total: Int) -> Bool { changes > 2 && changes > total / 4 }
