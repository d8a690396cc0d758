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

  private var isIncluded: ((Element) -> Bool)?

  init(
    of array: LiveArray<Element>, for owner: RegisteredObject,
    _ isIncluded: @escaping (Element) -> Bool
  ) {
    self.isIncluded = isIncluded
    super.init(of: array, for: owner)
  }

  // The included elements are the counted ones.

  override var elements: [Element] { tree.countedValues.map(\.element) }
  override var count: Int { tree.count }
  override func element(at index: Int) -> Element { tree[tree.slot(atRank: index)].element }

  override func compute(_ node: ElementNode<Element>) -> Bool { isIncluded?(node.element) ?? false }

  override func update(of owner: AnyObject, in transaction: Transaction) -> [ArrayEdit<Element>] {
    let edits = source.takeEdits().flatMap { edit in
      apply(edit) { transaction.refresh($0, of: owner) }
    }
    let outdated = takeOutdated()
    let isPass = isLarge(outdated.count, of: tree.size)
    let former = isPass ? elements : []
    let changes = outdated.compactMap { node -> ArrayEdit<Element>? in
      let wasIncluded = node.result
      transaction.refresh(node, of: owner)
      guard node.result != wasIncluded else { return nil }
      tree.setCounted(node.result, node.slot)
      if isPass { return .reset([]) }
      let rank = tree.rank(of: node.slot)
      return node.result
        ? .insertion([node.element], at: rank) : .removal([node.element], at: rank)
    }
    guard isPass, !changes.isEmpty else { return edits + changes }
    return edits + ArrayEdit.replacing(former, with: elements, at: 0)
  }

  private func apply(
    _ edit: ArrayEdit<Element>, _ evaluate: (ElementNode<Element>) -> Void
  ) -> [ArrayEdit<Element>] {
    if edit.isReset {
      clear()
      return [.reset(insert(edit, evaluate))]
    }
    let start = edit.removedRange.lowerBound
    let rank = tree.rank(before: start)
    if case .move(let element, _, let destination) = edit {
      let node = tree.remove(at: start)
      node.slot = tree.insert(node, isCounted: node.result, at: destination)
      let newRank = tree.rank(of: node.slot)
      return node.result && rank != newRank ? [.move(element, from: rank, to: newRank)] : []
    }
    let removed = edit.removed.filter { _ in
      let node = tree.remove(at: start)
      node.leave()
      return node.result
    }
    return ArrayEdit.replacing(removed, with: insert(edit, evaluate), at: rank)
  }

  /// Inserts the new elements of an edit, and returns the included ones.
  private func insert(
    _ edit: ArrayEdit<Element>, _ evaluate: (ElementNode<Element>) -> Void
  ) -> [Element] {
    zip(edit.inserted, edit.insertedRange).compactMap { element, index in
      let node = insert(element, at: index)
      evaluate(node)
      tree.setCounted(node.result, node.slot)
      return node.result ? element : nil
    }
  }

  override func releaseContents() {
    super.releaseContents()
    withExtendedLifetime(isIncluded.take()) {}
  }
}
