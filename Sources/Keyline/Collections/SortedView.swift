extension LiveArray {
  /// A live array of the same elements, in the order given by `areInIncreasingOrder`; elements of
  /// equal rank keep the order of the source.
  ///
  /// ```swift
  /// let byTotal = store.orders.sorted { $0.total < $1.total }
  /// ```
  ///
  /// `sorted()` without an argument is the method of `Sequence`, which returns a plain array.
  ///
  /// Whatever `areInIncreasingOrder` reads is followed, as for ``filtered(_:)``. A closure that is
  /// no strict weak ordering gives some order.
  ///
  /// - Complexity: O(log² n) and at most one edit for one changed element; O(n log n), and one
  ///   replacement of all elements, after a change of something that all comparisons read.
  /// - SeeAlso: DynamicData's `Sort`; JavaFX's `SortedList`.
  public final func sorted(
    by areInIncreasingOrder: @escaping (Element, Element) -> Bool
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

  init(
    of array: LiveArray<Element>, for owner: RegisteredObject,
    _ areInIncreasingOrder: @escaping (Element, Element) -> Bool
  ) {
    super.init(of: array, for: owner)
    group.isBefore = { areInIncreasingOrder(Self.element(of: $0), Self.element(of: $1)) }
    group.compute = { [unowned group] in group.isMisplaced($0) }
  }

  override var elements: [Element] { group.order.values.map(Self.element) }
  override var count: Int { group.order.size }
  override func element(at index: Int) -> Element { Self.element(of: group.ranked(at: index)) }

  override func update(of owner: AnyObject, in transaction: Transaction) -> [ArrayEdit<Element>] {
    let refresh = { (node: ElementNode) in transaction.refresh(node, of: owner) }
    var edits: [ArrayEdit<Element>] = []
    var moved: [ElementNode] = []
    var new: [ElementNode] = []
    var isReset = false
    for edit in source.hasEdits ? source.takeEdits() : [] {
      if edit.isReset {
        isReset = true
        group.clear()
      }
      let start = edit.removedRange.lowerBound
      if case .move(_, _, let destination) = edit {
        // Its place among equal ones may be another.
        let node = group.remove(at: start)
        group.insert(node, isCounted: false, at: destination)
        moved.append(node)
        continue
      }
      for _ in edit.removed {
        let node = group.remove(at: start)
        if node.sortedSlot != 0 { edits.append(removal(of: node)) }
        node.leave()
      }
      new += zip(edit.inserted, edit.insertedRange).map { insert($0, at: $1) }
    }
    if isReset {
      _ = group.takeOutdated()
      group.sort(refresh)
      return [.reset(elements)]
    }
    return edits + settle(new.filter { $0.slot != 0 }, moved, refresh)
  }

  /// Moves the elements that are misplaced, and inserts the new ones.
  private func settle(
    _ new: [ElementNode], _ moved: [ElementNode], _ refresh: (ElementNode) -> Void
  ) -> [ArrayEdit<Element>] {
    let outdated = group.takeOutdated().filter { $0.sortedSlot != 0 }
    let size = group.tree.size
    if isLarge(outdated.count, of: size) || isLarge(new.count, of: size) && new.count > 16 {
      return replaceAll(refresh)
    }
    outdated.forEach(refresh)
    var edits: [ArrayEdit<Element>] = []
    var new = new
    let misplaced = outdated.filter(\.result)
    if moved.isEmpty, outdated.count <= 2, misplaced.count == 1 {
      // One element has changed: this one, or the one before it.
      let node = outdated.first { $0 === group.predecessor(of: misplaced[0]) } ?? misplaced[0]
      edits.append(.move(Self.element(of: node), from: group.unrank(node), to: group.rank(node)))
    } else if !moved.isEmpty || !misplaced.isEmpty {
      for node in moved + outdated where node.sortedSlot != 0 {
        edits.append(removal(of: node))
        new.append(node)
      }
    }
    for node in new {
      edits.append(.insertion([Self.element(of: node)], at: group.rank(node)))
    }
    // More than one element has changed, if the order does not hold now.
    return group.refreshFollowers(refresh) ? edits : edits + replaceAll(refresh)
  }

  private func removal(of node: ElementNode) -> ArrayEdit<Element> {
    .removal([Self.element(of: node)], at: group.unrank(node))
  }

  private func replaceAll(_ refresh: (ElementNode) -> Void) -> [ArrayEdit<Element>] {
    let former = group.order.values
    group.sort(refresh)
    return former.elementsEqual(group.order.values, by: ===)
      ? [] : ArrayEdit.replacing(former.map(Self.element), with: elements, at: 0)
  }
}

/// The order of a sorted view.
extension ElementGroup {
  // Proof of the cast: nothing else is inserted.
  func ranked(at index: Int) -> ElementNode {
    cast(order[order.slot(at: index)], to: ElementNode.self)
  }

  // MARK: Comparing

  /// Whether an element comes before its predecessor.
  func isMisplaced(_ node: ElementNode) -> Bool {
    guard node.sortedSlot != 0 else { return false }
    guard let predecessor = predecessor(of: node) else {
      // Its reads are followed, even without another element.
      _ = isBefore?(node, node)
      return false
    }
    return comesBefore(node, predecessor)
  }

  func predecessor(of node: ElementNode) -> ElementNode? {
    let index = order.position(of: node.sortedSlot)
    return index > 0 ? ranked(at: index - 1) : nil
  }

  private func comesBefore(_ one: ElementNode, _ other: ElementNode) -> Bool {
    isBefore?(one, other) == true
      || isBefore?(other, one) != true
        && tree.position(of: one.slot) < tree.position(of: other.slot)
  }

  // MARK: Changing

  /// Removes an element from the order, and returns its index.
  func unrank(_ node: ElementNode) -> Int {
    let index = order.position(of: node.sortedSlot)
    _ = order.remove(at: index)
    node.sortedSlot = 0
    if index < order.size { followers.append(ranked(at: index)) }
    return index
  }

  /// Inserts an element into the order, and returns its index.
  func rank(_ node: ElementNode) -> Int {
    var range = 0..<order.size
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      if comesBefore(node, ranked(at: middle)) {
        range = range.lowerBound..<middle
      } else {
        range = (middle + 1)..<range.upperBound
      }
    }
    let index = range.lowerBound
    node.sortedSlot = order.insert(node, at: index)
    followers.append(node)
    if index + 1 < order.size { followers.append(ranked(at: index + 1)) }
    return index
  }

  /// Compares elements with their new predecessors, and returns whether all are in order.
  func refreshFollowers(_ refresh: (ElementNode) -> Void) -> Bool {
    let nodes = exchange(&followers, with: []).filter { $0.sortedSlot != 0 }
    nodes.forEach { $0.invalidate() }
    nodes.forEach(refresh)
    return !nodes.contains(where: \.result)
  }

  /// Sorts all elements anew.
  func sort(_ refresh: (ElementNode) -> Void) {
    var nodes: [ElementNode] = []
    // The reads of sorting are not recorded: if an object has died meanwhile, on any thread, neighbours
    // are misplaced. Not for ever, because the answers of a closure may vary.
    for _ in 0..<8 where nodes.isEmpty || nodes.contains(where: \.result) {
      let former = exchange(&nodes, with: self.nodes.sorted { isBefore?($0, $1) == true })
      // A closure that is no strict weak ordering gives no better order.
      if nodes.elementsEqual(former, by: ===) { return }
      order = OrderTree()
      for node in nodes { node.sortedSlot = order.insert(node, at: order.size) }
      followers = []
      nodes.forEach { $0.invalidate() }
      nodes.forEach(refresh)
    }
  }
}
