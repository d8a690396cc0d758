extension LiveArray {
  /// A live array of the elements that satisfy `isIncluded`, in the same order.
  ///
  /// ```swift
  /// let open = store.orders.filtered { $0.isOpen && $0.total > store.limit }
  /// ```
  ///
  /// Whatever `isIncluded` reads is followed: properties of the element and of other objects,
  /// derived values, and other arrays. Elements may also be values. `isIncluded` is a rule: it must
  /// not set anything, which is reported as `derivedWrite`.
  ///
  /// - Complexity: O(log n) and at most one edit for one changed element; one pass over all
  ///   elements, and at most two edits, after a change of something that all of them read.
  /// - SeeAlso: DynamicData's `AutoRefresh` with `Filter`; JavaFX's `FilteredList`.
  public final func filtered(_ isIncluded: @escaping (Element) -> Bool) -> LiveArray {
    LiveArray { FilteredNode(of: self, for: $0, isIncluded) }
  }
}

private final class FilteredNode<Element>: ElementViewNode<Element>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  init(
    of array: LiveArray<Element>, for owner: RegisteredObject,
    _ isIncluded: @escaping (Element) -> Bool
  ) {
    super.init(of: array, for: owner)
    group.compute = { isIncluded(Self.element(of: $0)) }
  }

  // The included elements are the counted ones.

  override var elements: [Element] {
    group.nodes.filter { group.tree.isCounted($0.slot) }.map(Self.element)
  }
  override var count: Int { group.tree.count }
  override func element(at index: Int) -> Element {
    Self.element(of: group.node(at: group.tree.slot(atRank: index)))
  }

  override func update(of owner: AnyObject, in transaction: Transaction) -> [ArrayEdit<Element>] {
    var edits: [ArrayEdit<Element>] = []
    if source.hasEdits {
      for edit in source.takeEdits() { edits += apply(edit) { transaction.refresh($0, of: owner) } }
    }
    let changed = group.takeOutdated().filter { node in
      if node.slot != 0 { transaction.refresh(node, of: owner) }
      return node.slot != 0 && node.result != group.tree.isCounted(node.slot)
    }
    // Without growing an array, which is slow in unspecialised code.
    if changed.count == 1, edits.count == 0 { return [change(changed[0])] }
    guard isLarge(changed.count, of: group.tree.size) else { return edits + changed.map(change) }
    let former = elements
    for node in changed { group.tree.setCounted(node.result, node.slot) }
    return edits + ArrayEdit.replacing(former, with: elements, at: 0)
  }

  private func change(_ node: ElementNode) -> ArrayEdit<Element> {
    group.tree.setCounted(node.result, node.slot)
    let rank = group.tree.rank(of: node.slot)
    let elements = [Self.element(of: node)]
    return node.result ? .insertion(elements, at: rank) : .removal(elements, at: rank)
  }

  private func apply(
    _ edit: ArrayEdit<Element>, _ evaluate: (ElementNode) -> Void
  ) -> [ArrayEdit<Element>] {
    if edit.isReset {
      group.clear()
      return [.reset(insert(edit, evaluate))]
    }
    let start = edit.removedRange.lowerBound
    let rank = group.tree.rank(before: start)
    if case .move(let element, _, let destination) = edit {
      let node = group.remove(at: start)
      group.insert(node, isCounted: node.result, at: destination)
      let newRank = group.tree.rank(of: node.slot)
      return node.result && rank != newRank ? [.move(element, from: rank, to: newRank)] : []
    }
    let removed = edit.removed.filter { _ in
      let node = group.remove(at: start)
      node.leave()
      return node.result
    }
    return ArrayEdit.replacing(removed, with: insert(edit, evaluate), at: rank)
  }

  /// Inserts the new elements of an edit, and returns the included ones.
  private func insert(
    _ edit: ArrayEdit<Element>, _ evaluate: (ElementNode) -> Void
  ) -> [Element] {
    zip(edit.inserted, edit.insertedRange).compactMap { element, index in
      let node = insert(element, at: index)
      evaluate(node)
      group.tree.setCounted(node.result, node.slot)
      return node.result ? element : nil
    }
  }
}
