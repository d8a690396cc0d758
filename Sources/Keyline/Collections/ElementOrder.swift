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
  /// The group of the elements.
  unowned let group: ElementGroup
  /// The section to which the order belongs, and which its changes queue; nil for the order of a view.
  unowned var section: ElementNode?
  /// Whether all elements are new since the last edits.
  private(set) var isReset = false
  private var tree = OrderTree()
  /// The elements to be placed here, while all orders of the group are made anew.
  var arranged: [ElementNode] = []
  /// The changes since the last edits.
  private var runs: [Run] = []

  init(of group: ElementGroup) { self.group = group }

  // MARK: The elements

  var count: Int { tree.size }
  var nodes: [ElementNode] { tree.nodes }
  func node(at index: Int) -> ElementNode { tree.node(at: index) }
  func position(of node: ElementNode) -> Int { tree.position(of: node.orderSlot) }

  func predecessor(of node: ElementNode) -> ElementNode? {
    let index = position(of: node)
    return index == 0 ? nil : self.node(at: index - 1)
  }

  /// The index, in the view, of an element or of its section.
  func index(of node: ElementNode) -> Int? {
    section.map { section in section.order?.position(of: section) } ?? position(of: node)
  }

  /// Removes an element, and returns its index.
  func unrank(_ node: ElementNode) -> Int {
    let index = position(of: node)
    node.order = nil
    _ = tree.remove(index..<(index + 1))
    follow(1, from: index)
    return index
  }

  /// Inserts an element, and returns its index.
  func rank(_ node: ElementNode) -> Int {
    node.order = self
    let index = tree.firstPosition { group.comesBefore(node, $0) }
    node.orderSlot = tree.insert([node], at: index)[0]
    follow(2, from: index)
    return index
  }

  /// Replaces all elements.
  func place(_ nodes: [ElementNode]) {
    // Elements may have been placed in another order meanwhile.
    for node in self.nodes where node.order === self { node.order = nil }
    for node in nodes { node.order = self }
    tree = OrderTree()
    for (node, slot) in zip(nodes, tree.insert(nodes, at: 0)) { node.orderSlot = slot }
    section?.queue()
  }

  /// Forgets all elements, and returns them for the caller to end: this may run a deinit that uses the view.
  func clear() -> [ElementNode] {
    let former = nodes + runs.flatMap(\.removed)
    (tree, runs) = (OrderTree(), [])
    isReset = true
    section?.queue()
    return former.flatMap { node in
      guard let members = node.members else { return [node] }
      // A section stays for elements that come again.
      node.order = nil
      return members.clear()
    }
  }

  /// Lets the section be checked, and `count` elements be compared with their predecessors.
  func follow(_ count: Int, from index: Int) {
    section?.queue()
    guard group.isSorted else { return }
    for index in index..<max(index, min(index + count, self.count)) {
      let node = node(at: index)
      node.invalidate()
      node.queue()
    }
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
    runs.append(Run(index: start, removed: removed.dropLast(end), inserted: inserted.dropLast(end)))
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
