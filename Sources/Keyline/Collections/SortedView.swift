extension LiveArray {
  /// A live array of the same elements, in the order given by `areInIncreasingOrder`; elements of
  /// equal rank keep the order of the source.
  ///
  /// ```swift
  /// let byTotal = store.orders.sorted { $0.total < $1.total }
  /// ```
  ///
  /// Whatever `areInIncreasingOrder` reads is followed, as for ``filtered(_:)``. A closure that is
  /// no strict weak ordering gives some order.
  ///
  /// - Complexity: O(log² n) and at most one edit for one changed element; O(n log n), and one
  ///   replacement of all elements, after a change of something that all comparisons read.
  /// - SeeAlso: DynamicData's `Sort`; JavaFX's `SortedList`.
  public final func sorted(
    _ areInIncreasingOrder: @escaping (Element, Element) -> Bool
  ) -> LiveArray {
    LiveArray { SortedNode(of: self, for: $0, areInIncreasingOrder) }
  }

  /// A live array of the same elements, ordered by the value of `key`; equal ones keep the order of
  /// the source.
  public final func sorted<Key: Comparable>(by key: KeyPath<Element, Key>) -> LiveArray {
    sorted { $0[keyPath: key] < $1[keyPath: key] }
  }
}

/// The node of each element compares the element with the one before it, and depends on the reads
/// of this comparison. Thus the order holds until a node is marked.
private final class SortedNode<Element>: ElementViewNode<Element>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  typealias Item = ElementNode<Element>

  private var areInIncreasingOrder: ((Element, Element) -> Bool)?
  private var ranking = OrderTree<ElementNode<Element>>()
  /// Elements that follow another element than when they were compared.
  private var followers: [ElementNode<Element>] = []

  init(
    of array: LiveArray<Element>, for owner: RegisteredObject,
    _ areInIncreasingOrder: @escaping (Element, Element) -> Bool
  ) {
    self.areInIncreasingOrder = areInIncreasingOrder
    super.init(of: array, for: owner)
  }

  override var elements: [Element] { ranking.values.map(\.element) }
  override var count: Int { ranking.size }
  override func element(at index: Int) -> Element { ranking[ranking.slot(at: index)].element }

  // MARK: Comparing

  /// Whether an element comes before its predecessor, so that it is misplaced.
  override func compute(_ node: ElementNode<Element>) -> Bool {
    guard node.sortedSlot != 0 else { return false }
    guard let predecessor = predecessor(of: node) else {
      // Its reads are followed, even without another element.
      _ = areInIncreasingOrder?(node.element, node.element)
      return false
    }
    return isBefore(node, predecessor)
  }

  private func predecessor(of node: Item) -> Item? {
    let index = ranking.position(of: node.sortedSlot)
    return index > 0 ? ranking[ranking.slot(at: index - 1)] : nil
  }

  private func isBefore(_ one: Item, _ other: Item) -> Bool {
    guard let areInIncreasingOrder else { return false }
    return areInIncreasingOrder(one.element, other.element)
      || !areInIncreasingOrder(other.element, one.element)
        && tree.position(of: one.slot) < tree.position(of: other.slot)
  }

  // MARK: Updating

  override func update(of owner: AnyObject, in transaction: Transaction) -> [ArrayEdit<Element>] {
    let refresh = { (node: Item) in transaction.refresh(node, of: owner) }
    var edits: [ArrayEdit<Element>] = []
    var moved: [Item] = []
    var new: [Item] = []
    var isReset = false
    for edit in source.takeEdits() {
      if edit.isReset {
        isReset = true
        clear()
      }
      let start = edit.removedRange.lowerBound
      if case .move(_, _, let destination) = edit {
        // Its place among equal ones may be another.
        let node = tree.remove(at: start)
        node.slot = tree.insert(node, isCounted: false, at: destination)
        moved.append(node)
        continue
      }
      for _ in edit.removed {
        let node = tree.remove(at: start)
        if node.sortedSlot != 0 { edits.append(.removal([node.element], at: take(node))) }
        node.leave()
      }
      new += zip(edit.inserted, edit.insertedRange).map { insert($0, at: $1) }
    }
    if isReset {
      _ = takeOutdated()
      return [.reset(sortAll(refresh))]
    }
    return edits + settle(new.filter { $0.slot != 0 }, moved, refresh)
  }

  /// Moves the elements that are misplaced, and inserts the new ones.
  private func settle(
    _ new: [Item], _ moved: [Item], _ refresh: (Item) -> Void
  ) -> [ArrayEdit<Element>] {
    let outdated = takeOutdated().filter { $0.sortedSlot != 0 }
    if isLarge(new.count + outdated.count, of: tree.size) { return replaceAll(refresh) }
    outdated.forEach(refresh)
    var edits: [ArrayEdit<Element>] = []
    var new = new
    let misplaced = outdated.filter(\.result)
    if moved.isEmpty, outdated.count <= 2, misplaced.count == 1 {
      // One element has changed: this one, or the one before it.
      let other = outdated.first { $0 === predecessor(of: misplaced[0]) }
      edits.append(move(other ?? misplaced[0]))
    } else if !moved.isEmpty || !misplaced.isEmpty {
      for node in moved + outdated where node.sortedSlot != 0 {
        edits.append(.removal([node.element], at: take(node)))
        new.append(node)
      }
    }
    for node in new { edits.append(.insertion([node.element], at: place(node))) }
    let followers = followers.filter { $0.sortedSlot != 0 }
    self.followers = []
    followers.forEach { $0.invalidate() }
    followers.forEach(refresh)
    // More than one element has changed.
    return followers.contains(where: \.result) ? edits + replaceAll(refresh) : edits
  }

  private func move(_ node: Item) -> ArrayEdit<Element> {
    .move(node.element, from: take(node), to: place(node))
  }

  /// Removes an element from the order, and returns its index.
  private func take(_ node: Item) -> Int {
    let index = ranking.position(of: node.sortedSlot)
    _ = ranking.remove(at: index)
    node.sortedSlot = 0
    if index < ranking.size { followers.append(ranking[ranking.slot(at: index)]) }
    return index
  }

  /// Inserts an element into the order, and returns its index.
  private func place(_ node: Item) -> Int {
    var range = 0..<ranking.size
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      if isBefore(node, ranking[ranking.slot(at: middle)]) {
        range = range.lowerBound..<middle
      } else {
        range = (middle + 1)..<range.upperBound
      }
    }
    node.sortedSlot = ranking.insert(node, at: range.lowerBound)
    followers.append(node)
    if range.lowerBound + 1 < ranking.size {
      followers.append(ranking[ranking.slot(at: range.lowerBound + 1)])
    }
    return range.lowerBound
  }

  private func replaceAll(_ refresh: (Item) -> Void) -> [ArrayEdit<Element>] {
    let former = ranking.values
    let elements = sortAll(refresh)
    return former.elementsEqual(ranking.values, by: ===)
      ? [] : ArrayEdit.replacing(former.map(\.element), with: elements, at: 0)
  }

  /// Sorts all elements anew, and returns them.
  private func sortAll(_ refresh: (Item) -> Void) -> [Element] {
    let nodes = tree.values.sorted { areInIncreasingOrder?($0.element, $1.element) ?? false }
    var sorted = OrderTree<Item>()
    for node in nodes { node.sortedSlot = sorted.insert(node, at: sorted.size) }
    ranking = sorted
    followers = []
    nodes.forEach { $0.invalidate() }
    nodes.forEach(refresh)
    return nodes.map(\.element)
  }

  override func clear() {
    followers = []
    // The tree of the source releases the elements.
    ranking = OrderTree()
    super.clear()
  }

  override func releaseContents() {
    super.releaseContents()
    withExtendedLifetime(areInIncreasingOrder.take()) {}
  }
}
