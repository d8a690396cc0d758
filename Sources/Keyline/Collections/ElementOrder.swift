/// The edits of a source as they concern the nodes of a view.
struct ElementChanges {
  /// Whether all elements are new.
  var isReset = false
  var new: [ElementNode] = []
  /// Elements that have moved in the source.
  var moved: [ElementNode] = []
  /// Elements of the view that have left the source.
  var left: [ElementNode] = []
}

/// A region of a view in which elements have been replaced by others: one edit, or two if their numbers
/// differ.
struct Run {
  /// The index of the first element.
  let index: Int
  var removed: [ElementNode] = []
  var inserted: [ElementNode] = []
  /// The index at which the only inserted element stands, if it has moved there from `index`.
  var destination: Int?
  /// Whether the inserted elements are all that there are now.
  var isReset = false
}

/// Elements of a group in the order of a view, and the changes that have not become edits.
class ElementOrder {
  /// The group, which retains the order, or whose nodes do.
  final unowned let group: ElementGroup
  private final var tree = OrderTree()
  /// The changes since the last edits.
  final private(set) var runs: [Run] = []
  /// Elements that follow another element than when they were compared.
  private final var followers: [ElementNode] = []

  init(of group: ElementGroup) { self.group = group }

  // MARK: The elements

  // Proof of the casts: nothing else is inserted.

  var count: Int { tree.size }
  var nodes: [ElementNode] { tree.values.map { cast($0, to: ElementNode.self) } }

  func node(at index: Int) -> ElementNode {
    cast(tree[tree.slot(at: index).slot], to: ElementNode.self)
  }

  func position(of node: ElementNode) -> Int { tree.position(of: node.orderSlot) }

  final func predecessor(of node: ElementNode) -> ElementNode? {
    let index = position(of: node)
    return index == 0 ? nil : self.node(at: index - 1)
  }

  /// Removes an element, and returns its index.
  func unrank(_ node: ElementNode) -> Int {
    let index = position(of: node)
    _ = tree.remove(index..<(index + 1))
    node.order = nil
    follow(index)
    return index
  }

  /// Inserts an element, and returns its index.
  func rank(_ node: ElementNode) -> Int {
    var range = 0..<tree.size
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      range =
        group.comesBefore(node, self.node(at: middle))
        ? range.lowerBound..<middle : (middle + 1)..<range.upperBound
    }
    let index = range.lowerBound
    node.order = self
    node.orderSlot = tree.insert([node], at: index)[0]
    follow(index)
    follow(index + 1)
    return index
  }

  /// Replaces all elements.
  func place(_ nodes: [ElementNode]) {
    for node in self.nodes where node.order === self { node.order = nil }
    (tree, followers) = (OrderTree(), [])
    for (node, slot) in zip(nodes, tree.insert(nodes, at: 0)) {
      node.order = self
      node.orderSlot = slot
    }
  }

  /// Forgets all elements.
  func clear() {
    for node in nodes + runs.flatMap(\.removed) { node.leave() }
    (tree, followers, runs) = (OrderTree(), [], [])
  }

  /// Lets the element at `index` be compared with its predecessor.
  private func follow(_ index: Int) {
    if group.isSorted, index < tree.size { followers.append(node(at: index)) }
  }

  /// Compares elements with their new predecessors, and returns whether all are in order.
  final func refreshFollowers(_ refresh: (ElementNode) -> Void) -> Bool {
    let nodes = exchange(&followers, with: []).filter { $0.order != nil }
    nodes.forEach { $0.invalidate() }
    nodes.forEach(refresh)
    return nodes.allSatisfy { $0.result != nil }
  }

  // MARK: Changes

  /// Notes that an element enters at `index`, or leaves there. A change next to the one before continues
  /// the same run.
  final func note(_ node: ElementNode, isIncluded: Bool, at index: Int) {
    let isNext = runs.last.map { $0.destination == nil && $0.index + $0.inserted.count == index }
    if isNext != true { add(Run(index: index)) }
    if isIncluded {
      runs[runs.count - 1].inserted.append(node)
    } else {
      runs[runs.count - 1].removed.append(node)
    }
  }

  /// Notes that an element has moved.
  final func moved(_ node: ElementNode, from index: Int, to destination: Int) {
    if index != destination {
      add(Run(index: index, inserted: [node], destination: destination))
    }
  }

  final func add(_ run: Run) {
    if runs.isEmpty { group.changed.append(self) }
    runs.append(run)
  }

  /// Removes and returns the changes.
  final func takeRuns() -> [Run] { exchange(&runs, with: []) }

  /// Makes a change of many elements, and notes it as one.
  final func change(isReset: Bool, _ body: () -> Void) {
    let former = nodes
    body()
    let current = nodes
    // Elements at both ends that stay are no part of the edit. Before a reset, there are none.
    let start = zip(former, current).prefix { $0 === $1 }.count
    let (removed, inserted) = (former[start...], current[start...])
    let end = zip(removed.reversed(), inserted.reversed()).prefix { $0 === $1 }.count
    add(
      Run(
        index: start, removed: removed.dropLast(end), inserted: inserted.dropLast(end),
        isReset: isReset))
  }
}

/// The order of a filtered view: its elements are counted among all elements of the source.
final class CountedOrder: ElementOrder {
  override var count: Int { group.tree.weight }
  override var nodes: [ElementNode] {
    group.tree.weightedValues.map { cast($0, to: ElementNode.self) }
  }

  override func node(at index: Int) -> ElementNode {
    cast(group.tree[group.tree.slot(at: index, byWeight: true).slot], to: ElementNode.self)
  }

  override func position(of node: ElementNode) -> Int {
    group.tree.position(of: node.slot, byWeight: true)
  }

  override func unrank(_ node: ElementNode) -> Int {
    node.order = nil
    group.tree.setWeight(0, of: node.slot)
    return position(of: node)
  }

  override func rank(_ node: ElementNode) -> Int {
    node.order = self
    group.tree.setWeight(1, of: node.slot)
    return position(of: node)
  }

  override func place(_ nodes: [ElementNode]) {
    for node in group.nodes { node.order = nil }
    for node in nodes { node.order = self }
    group.tree.setWeights { cast($0, to: ElementNode.self).order == nil ? 0 : 1 }
  }
}
