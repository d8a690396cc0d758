/// The edits of a source as they concern the nodes of a view.
struct ElementChanges {
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
}

/// Elements of a group in the order of a view, and the changes that have not become edits.
final class ElementOrder {
  /// The group, which retains the order.
  unowned let group: ElementGroup
  /// Whether the order is the one of the source: its elements are counted in the tree of the group.
  var isCounted = false
  /// Whether all elements are new since the last edits.
  private(set) var isReset = false
  private var ranked = OrderTree()
  /// The changes since the last edits.
  var runs: [Run] = []

  init(of group: ElementGroup) { self.group = group }

  // MARK: The elements

  private var tree: OrderTree { isCounted ? group.tree : ranked }

  var count: Int { isCounted ? tree.weight : tree.size }
  var nodes: [ElementNode] { tree.nodes(byWeight: isCounted) }
  func node(at index: Int) -> ElementNode { tree.node(at: index, byWeight: isCounted) }

  func position(of node: ElementNode) -> Int {
    tree.position(of: isCounted ? node.slot : node.orderSlot, byWeight: isCounted)
  }

  func predecessor(of node: ElementNode) -> ElementNode? {
    let index = position(of: node)
    return index == 0 ? nil : self.node(at: index - 1)
  }

  /// Removes an element, and returns its index.
  func unrank(_ node: ElementNode) -> Int {
    let index = position(of: node)
    node.order = nil
    if isCounted {
      group.tree.setWeight(0, of: node.slot)
    } else {
      _ = ranked.remove(index..<(index + 1))
      follow(index)
    }
    return index
  }

  /// Inserts an element, and returns its index.
  func rank(_ node: ElementNode) -> Int {
    node.order = self
    guard !isCounted else {
      group.tree.setWeight(1, of: node.slot)
      return position(of: node)
    }
    var range = 0..<ranked.size
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      range =
        group.comesBefore(node, self.node(at: middle))
        ? range.lowerBound..<middle : (middle + 1)..<range.upperBound
    }
    let index = range.lowerBound
    node.orderSlot = ranked.insert([node], at: index)[0]
    follow(index)
    follow(index + 1)
    return index
  }

  /// Replaces all elements.
  func place(_ nodes: [ElementNode]) {
    for node in self.nodes { node.order = nil }
    for node in nodes { node.order = self }
    guard !isCounted else { return group.tree.setWeights { $0.order == nil ? 0 : 1 } }
    ranked = OrderTree()
    for (node, slot) in zip(nodes, ranked.insert(nodes, at: 0)) { node.orderSlot = slot }
  }

  /// Forgets all elements.
  func clear() {
    for node in nodes + runs.flatMap(\.removed) { node.leave() }
    (ranked, runs) = (OrderTree(), [])
    isReset = true
  }

  /// Lets the element at `index` be compared with its predecessor.
  private func follow(_ index: Int) {
    guard group.isSorted, index < ranked.size else { return }
    let node = node(at: index)
    node.invalidate()
    group.outdated.append(node)
  }

  // MARK: Changes

  /// Notes that an element enters at `index`, or leaves there. A change next to the one before continues
  /// the same run.
  func note(_ node: ElementNode, isIncluded: Bool, at index: Int) {
    let isNext = runs.last.map { $0.destination == nil && $0.index + $0.inserted.count == index }
    if isNext != true { runs.append(Run(index: index)) }
    if isIncluded {
      runs[runs.count - 1].inserted.append(node)
    } else {
      runs[runs.count - 1].removed.append(node)
    }
  }

  /// Notes that an element has moved.
  func moved(_ node: ElementNode, from index: Int, to destination: Int) {
    if index != destination {
      runs.append(Run(index: index, inserted: [node], destination: destination))
    }
  }

  /// Makes a change of many elements, and notes it as one.
  func change(_ body: () -> Void) {
    let former = nodes
    body()
    let current = nodes
    // Elements at both ends that stay are no part of the edit.
    let start = zip(former, current).prefix { $0 === $1 }.count
    let (removed, inserted) = (former[start...], current[start...])
    let end = zip(removed.reversed(), inserted.reversed()).prefix { $0 === $1 }.count
    runs.append(
      Run(index: start, removed: removed.dropLast(end), inserted: inserted.dropLast(end)))
  }

  /// The edits that the changes are. Ends the nodes of the elements that have left.
  func takeEdits<Element>(_ element: (ElementNode) -> Element) -> [ArrayEdit<Element>] {
    let taken = exchange(&runs, with: [])
    defer { for run in taken { for node in run.removed where node.slot == 0 { node.leave() } } }
    guard !exchange(&isReset, with: false) else { return [.reset(nodes.map(element))] }
    return taken.flatMap { run in
      let inserted = run.inserted.map(element)
      return run.destination.map { [.move(inserted[0], from: run.index, to: $0)] }
        ?? ArrayEdit.replacing(run.removed.map(element), with: inserted, at: run.index)
    }
  }
}
