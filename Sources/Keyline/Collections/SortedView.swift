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

  private let ranking: Ranking

  init(
    of array: LiveArray<Element>, for owner: RegisteredObject,
    _ areInIncreasingOrder: @escaping (Element, Element) -> Bool
  ) {
    let group = ElementGroup()
    ranking = Ranking(group) {
      areInIncreasingOrder(Self.element(of: $0), Self.element(of: $1))
    }
    super.init(of: array, for: owner, group)
    group.compute = { [unowned ranking] in ranking.isMisplaced($0) }
  }

  override var elements: [Element] { ranking.tree.values.map(Self.element) }
  override var count: Int { ranking.tree.size }
  override func element(at index: Int) -> Element { Self.element(of: ranking.node(at: index)) }

  override func update(of owner: AnyObject, in transaction: Transaction) -> [ArrayEdit<Element>] {
    let refresh = { (node: ElementNode) in transaction.refresh(node, of: owner) }
    var edits: [ArrayEdit<Element>] = []
    var moved: [ElementNode] = []
    var new: [ElementNode] = []
    var isReset = false
    for edit in source.isBehind ? source.takeEdits() : [] {
      if edit.isReset {
        isReset = true
        clear()
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
      ranking.sort(refresh)
      return [.reset(elements)]
    }
    return edits + settle(new.filter { $0.slot != 0 }, moved, refresh)
  }

  /// Moves the elements that are misplaced, and inserts the new ones.
  private func settle(
    _ new: [ElementNode], _ moved: [ElementNode], _ refresh: (ElementNode) -> Void
  ) -> [ArrayEdit<Element>] {
    let outdated = group.takeOutdated().filter { $0.sortedSlot != 0 }
    if isLarge(new.count + outdated.count, of: group.tree.size) { return replaceAll(refresh) }
    outdated.forEach(refresh)
    var edits: [ArrayEdit<Element>] = []
    var new = new
    let misplaced = outdated.filter(\.result)
    if moved.isEmpty, outdated.count <= 2, misplaced.count == 1 {
      // One element has changed: this one, or the one before it.
      let other = outdated.first { $0 === ranking.predecessor(of: misplaced[0]) }
      edits.append(move(other ?? misplaced[0]))
    } else if !moved.isEmpty || !misplaced.isEmpty {
      for node in moved + outdated where node.sortedSlot != 0 {
        edits.append(removal(of: node))
        new.append(node)
      }
    }
    for node in new {
      edits.append(.insertion([Self.element(of: node)], at: ranking.insert(node)))
    }
    // More than one element has changed, if the order does not hold now.
    return ranking.refreshFollowers(refresh) ? edits : edits + replaceAll(refresh)
  }

  private func removal(of node: ElementNode) -> ArrayEdit<Element> {
    .removal([Self.element(of: node)], at: ranking.remove(node))
  }

  private func move(_ node: ElementNode) -> ArrayEdit<Element> {
    .move(Self.element(of: node), from: ranking.remove(node), to: ranking.insert(node))
  }

  private func replaceAll(_ refresh: (ElementNode) -> Void) -> [ArrayEdit<Element>] {
    let former = ranking.tree.values
    ranking.sort(refresh)
    return former.elementsEqual(ranking.tree.values, by: ===)
      ? [] : ArrayEdit.replacing(former.map(Self.element), with: elements, at: 0)
  }

  override func clear() {
    ranking.clear()
    super.clear()
  }
}

/// The order of a sorted view. Not generic, so that its code is compiled once.
private final class Ranking {
  private let group: ElementGroup
  private let areInIncreasingOrder: (ElementNode, ElementNode) -> Bool
  private(set) var tree = OrderTree()
  /// Elements that follow another element than when they were compared.
  private var followers: [ElementNode] = []

  init(_ group: ElementGroup, _ areInIncreasingOrder: @escaping (ElementNode, ElementNode) -> Bool)
  {
    self.group = group
    self.areInIncreasingOrder = areInIncreasingOrder
  }

  // Proof of the cast: nothing else is inserted.
  func node(at index: Int) -> ElementNode {
    cast(tree[tree.slot(at: index)], to: ElementNode.self)
  }

  // MARK: Comparing

  /// Whether an element comes before its predecessor.
  func isMisplaced(_ node: ElementNode) -> Bool {
    guard node.sortedSlot != 0 else { return false }
    guard let predecessor = predecessor(of: node) else {
      // Its reads are followed, even without another element.
      _ = areInIncreasingOrder(node, node)
      return false
    }
    return isBefore(node, predecessor)
  }

  func predecessor(of node: ElementNode) -> ElementNode? {
    let index = tree.position(of: node.sortedSlot)
    return index > 0 ? self.node(at: index - 1) : nil
  }

  private func isBefore(_ one: ElementNode, _ other: ElementNode) -> Bool {
    areInIncreasingOrder(one, other)
      || !areInIncreasingOrder(other, one)
        && group.tree.position(of: one.slot) < group.tree.position(of: other.slot)
  }

  // MARK: Changing

  /// Removes an element from the order, and returns its index.
  func remove(_ node: ElementNode) -> Int {
    let index = tree.position(of: node.sortedSlot)
    _ = tree.remove(at: index)
    node.sortedSlot = 0
    if index < tree.size { followers.append(self.node(at: index)) }
    return index
  }

  /// Inserts an element into the order, and returns its index.
  func insert(_ node: ElementNode) -> Int {
    var range = 0..<tree.size
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      if isBefore(node, self.node(at: middle)) {
        range = range.lowerBound..<middle
      } else {
        range = (middle + 1)..<range.upperBound
      }
    }
    let index = range.lowerBound
    node.sortedSlot = tree.insert(node, at: index)
    followers.append(node)
    if index + 1 < tree.size { followers.append(self.node(at: index + 1)) }
    return index
  }

  /// Compares elements with their new predecessors, and returns whether all are in order.
  func refreshFollowers(_ refresh: (ElementNode) -> Void) -> Bool {
    let nodes = followers.filter { $0.sortedSlot != 0 }
    followers = []
    nodes.forEach { $0.invalidate() }
    nodes.forEach(refresh)
    return !nodes.contains(where: \.result)
  }

  /// Sorts all elements anew.
  func sort(_ refresh: (ElementNode) -> Void) {
    let nodes = group.nodes.sorted(by: areInIncreasingOrder)
    var sorted = OrderTree()
    for node in nodes { node.sortedSlot = sorted.insert(node, at: sorted.size) }
    tree = sorted
    followers = []
    nodes.forEach { $0.invalidate() }
    nodes.forEach(refresh)
  }

  /// Forgets all elements, which the group releases.
  func clear() {
    tree = OrderTree()
    followers = []
  }
}
