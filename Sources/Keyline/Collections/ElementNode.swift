/// The computation of a view for one element. It is marked like any computed node, and evaluated
/// with its view.
final class ElementNode<Element>: Node, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  /// Nil once the element has left the view: the properties that the computation has read may
  /// belong to the element, and retain this node until they are set.
  private var content: Element?
  private weak var view: ElementViewNode<Element>?
  /// The element's slot in the order of the source; 0 if the element has left.
  var slot = 0
  /// The element's slot in the order of a sorted view; 0 if it has none.
  var sortedSlot = 0
  /// The result of the computation.
  private(set) var result = false

  init(_ element: Element, in view: ElementViewNode<Element>) {
    content = element
    self.view = view
    super.init(owner: view.owner, isComputed: true)
    state.insert(.releasable)
  }

  var element: Element {
    guard let content else { preconditionFailure("the element has left the view") }
    return content
  }

  override func evaluate(of owner: AnyObject, from index: Int, in transaction: Transaction) {
    result = view?.compute(self) ?? false
  }

  // A rule, which must not set anything (D17).
  override var isDerived: Bool { true }

  override func marked(in transaction: Transaction) {
    guard let view, !state.contains(.queued) else { return }
    state.insert(.queued)
    view.outdated.append(self)
    transaction.markOutdated(view)
  }

  /// Lets the next refresh evaluate the node.
  func invalidate() { state.insert([.marked, .outdated]) }

  /// Ends the node of an element that has left the view.
  func leave() {
    slot = 0
    sortedSlot = 0
    _ = markEnded()
    dropDependencies()
    withExtendedLifetime(content.take()) {}
  }
}

/// The node of a view whose closure is evaluated for each element, and whose reads are followed.
class ElementViewNode<Element>: ViewNode<Element>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  final var source: ViewSource<Element>
  /// The elements of the source, in order.
  final var tree = OrderTree<ElementNode<Element>>()
  /// The elements for which the closure may have another result. Used only by the node's domain,
  /// even after the array has died.
  fileprivate(set) final var outdated: [ElementNode<Element>] = []

  init(of array: LiveArray<Element>, for owner: RegisteredObject) {
    source = ViewSource(array)
    super.init(owner: owner, of: array)
  }

  /// Calls the closure for an element.
  func compute(_ node: ElementNode<Element>) -> Bool { false }

  /// Inserts a new element into the order of the source.
  final func insert(_ element: Element, at index: Int) -> ElementNode<Element> {
    let node = ElementNode(element, in: self)
    node.slot = tree.insert(node, isCounted: false, at: index)
    return node
  }

  /// Removes and returns the outdated elements that are still in the view.
  final func takeOutdated() -> [ElementNode<Element>] {
    var taken: [ElementNode<Element>] = []
    swap(&taken, &outdated)
    for node in taken { node.state.remove(.queued) }
    return taken.filter { $0.slot != 0 }
  }

  /// Removes all elements.
  func clear() {
    let nodes = tree.values
    tree = OrderTree()
    for node in nodes { node.leave() }
  }

  override final var isBehind: Bool { source.isBehind }

  override final func forgetContents() {
    guard source.isBehind else { return }
    source.forget()
    clear()
  }

  override func releaseContents() {
    super.releaseContents()
    clear()
    withExtendedLifetime(source.release()) {}
  }
}

/// Whether so many of `total` elements have changed that a pass over all of them is cheaper.
func isLarge(_ changes: Int, of total: Int) -> Bool { changes > 16 && changes > total / 4 }
