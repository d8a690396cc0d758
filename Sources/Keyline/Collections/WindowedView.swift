extension LiveArray {
  /// A live array of the elements at the indexes of `range`, as far as there are any.
  ///
  /// ```swift
  /// let page = store.orders.window { pager.start..<(pager.start + pager.size) }
  /// ```
  ///
  /// Whatever `range` reads is followed, as for ``filtered(_:)``.
  ///
  /// - Complexity: O(size of the range × log n) for each change of the source.
  /// - SeeAlso: DynamicData's `Virtualise`, `Page`.
  public final func window(_ range: @escaping () -> Range<Int>) -> LiveArray {
    LiveArray(of: self) { WindowedNode(of: self, for: $0, range) }
  }

  /// A live array of the first elements, at most `maxLength` of them. `elements.prefix(_:)` is a plain
  /// slice.
  ///
  /// - SeeAlso: DynamicData's `Top`.
  public final func prefix(_ maxLength: Int) -> LiveArray { window { 0..<Swift.max(0, maxLength) } }
}

private final class WindowedNode<Element>: OrderedNode<Element, Element>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  /// Evaluates the range. It is no element of the source.
  private var range: ElementNode?
  private var indexes = 0..<0

  init(
    of array: LiveArray<Element>, for owner: RegisteredObject,
    _ range: @escaping () -> Range<Int>
  ) {
    super.init(of: array, for: owner, output: { $0.element() }) { _ in }
    self.range = ElementNode(group, in: group, of: owner)
    group.evaluate = { [unowned self] _ in indexes = range() }
  }

  override func arrange(of owner: AnyObject, in transaction: Transaction) {
    let changes = takeChanges()
    _ = group.takeOutdated()
    if let range { transaction.refresh(range, of: owner) }
    let indexes = indexes.clamped(to: 0..<group.tree.size)
    let shown = indexes.map { group.tree.node(at: $0) }
    for node in shown { node.target = group.order }
    guard !group.order.isReset else { return group.order.place(shown) }
    group.take(group.order.nodes.filter { $0.slot == 0 || !indexes.contains(group.place(of: $0)) })
    group.place(again: changes.moved, andEnter: shown)
  }

  override var parts: [Node] { range.map { [$0] } ?? [] }

  override func clear() {
    super.clear()
    if hasEnded { range.take()?.leave() }
  }
}
