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

/// The elements of a filtered or sorted view, and the loop that turns changed elements into edits. Not
/// generic, so that its code is compiled once.
///
/// The nodes of a filtered view depend on the reads of the closure. In a sorted view, the node of each
/// element compares the element with the one before it, and depends on the reads of this comparison. Thus
/// the order holds until a node is marked.
final class ElementGroup {
  weak var view: Node?
  /// Whether the elements are objects.
  let isOfObjects: Bool
  // Of the two closures, the view has one; none after its end.
  var isIncluded: ((ElementNode) -> Bool)?
  var isBefore: ((ElementNode, ElementNode) -> Bool)?
  /// The elements of the source, in order.
  private var tree = OrderTree()
  /// The elements of the view, in order.
  private(set) var order = OrderTree()
  /// Elements that follow another element than when they were compared.
  private var followers: [ElementNode] = []
  /// The elements for which the closure may have another result. Used only by the view's domain,
  /// even after the array has died; released with the view's node.
  var outdated: [ElementNode] = []
  /// The changes of the view since its last edits.
  var runs: [Run] = []

  init(ofObjects: Bool) { isOfObjects = ofObjects }

  // MARK: The elements

  // Proof of the casts: nothing else is inserted.

  var nodes: [ElementNode] { tree.values.map { cast($0, to: ElementNode.self) } }
  var included: [ElementNode] { order.values.map { cast($0, to: ElementNode.self) } }

  func included(at index: Int) -> ElementNode {
    cast(order[order.slot(at: index)], to: ElementNode.self)
  }

  func insert(_ nodes: [ElementNode], at index: Int) {
    for (node, slot) in zip(nodes, tree.insert(nodes, at: index)) { node.slot = slot }
  }

  func remove(_ range: Range<Int>) -> [ElementNode] {
    let removed = tree.remove(range).map { cast($0, to: ElementNode.self) }
    for node in removed { node.slot = 0 }
    return removed
  }

  /// Removes all elements.
  func clear() {
    let nodes = nodes + included
    (tree, order, followers, runs) = (OrderTree(), OrderTree(), [], [])
    for node in nodes { node.leave() }
  }

  // MARK: Comparing

  func isInPlace(_ node: ElementNode) -> Bool {
    if let isIncluded { return isIncluded(node) }
    guard node.viewSlot != 0 else { return true }
    if let predecessor = predecessor(of: node) { return !comesBefore(node, predecessor) }
    // Its reads are followed, even without another element.
    _ = isBefore?(node, node)
    return true
  }

  private func predecessor(of node: ElementNode) -> ElementNode? {
    let slot = order.slot(before: node.viewSlot)
    return slot == 0 ? nil : cast(order[slot], to: ElementNode.self)
  }

  /// Equal elements, and all elements of a filtered view, keep the order of the source.
  private func comesBefore(_ one: ElementNode, _ other: ElementNode) -> Bool {
    if isBefore?(one, other) == true { return true }
    if isBefore?(other, one) == true { return false }
    return tree.position(of: one.slot) < tree.position(of: other.slot)
  }

  // MARK: Settling

  private var isSorted: Bool { isBefore != nil }

  /// Whether a pass over all elements is cheaper than so many single changes.
  private func isLarge(_ count: Int) -> Bool { count > 16 && count > tree.size / 4 }

  /// Takes out of the view what does not belong there, and inserts what does.
  func settle(_ changes: ElementChanges, _ refresh: (ElementNode) -> Void) {
    let taken = exchange(&outdated, with: [])
    for node in taken { node.state.remove(.queued) }
    let outdated = taken.filter { $0.slot != 0 }
    let new = changes.new.filter { $0.slot != 0 }
    if changes.isReset { return arrange(isReset: true, refresh) }
    // To sort takes fewer comparisons than to compare with neighbours first.
    let count = changes.left.count + (isSorted ? outdated.count + new.count : 0)
    if isLarge(count) { return arrange(refresh) }
    take(changes.left)
    let checked = isSorted ? outdated : outdated + new
    checked.forEach(refresh)
    let misplaced = checked.filter { $0.viewSlot != 0 && !$0.result }
    var entering = isSorted ? new : checked.filter { $0.viewSlot == 0 && $0.result }
    if !isSorted, isLarge(misplaced.count + entering.count) { return arrange(refresh) }
    if !isSorted { take(misplaced) }
    var moved = changes.moved.filter { $0.viewSlot != 0 }
    if isSorted, misplaced.count == 1, outdated.count <= 2 {
      // One element has changed: this one, or the one before it.
      moved.append(outdated.first { $0 === predecessor(of: misplaced[0]) } ?? misplaced[0])
    } else if isSorted, !misplaced.isEmpty {
      moved += outdated.filter { $0.viewSlot != 0 }
    }
    if moved.count == 1 {
      let run = Run(index: unrank(moved[0]), inserted: moved, destination: rank(moved[0]))
      if run.index != run.destination { runs.append(run) }
    } else {
      entering += take(moved)
    }
    for node in entering.count < 2 ? entering : entering.sorted(by: comesBefore)
    where node.viewSlot == 0 {
      note(node, isIncluded: true, at: rank(node))
    }
    // More than one element has changed, if the order does not hold now.
    if !refreshFollowers(refresh) { arrange(refresh) }
  }

  /// Makes the order anew.
  private func arrange(isReset: Bool = false, _ refresh: (ElementNode) -> Void) {
    let former = included
    if isSorted {
      sort(refresh)
    } else {
      let nodes = nodes
      nodes.forEach(refresh)
      place(nodes.filter(\.result))
    }
    let current = included
    // Elements at both ends that stay are no part of the edit. Before a reset, there are none.
    let start = zip(former, current).prefix { $0 === $1 }.count
    let (removed, inserted) = (former[start...], current[start...])
    let end = zip(removed.reversed(), inserted.reversed()).prefix { $0 === $1 }.count
    runs.append(
      Run(
        index: start, removed: removed.dropLast(end), inserted: inserted.dropLast(end),
        isReset: isReset))
  }

  private func sort(_ refresh: (ElementNode) -> Void) {
    var nodes: [ElementNode] = []
    // The reads of sorting are not recorded: if an object has died meanwhile, on any thread, neighbours
    // are misplaced. Not for ever, because the answers of a closure may vary.
    for round in 0..<8 where round == 0 || nodes.contains(where: { !$0.result }) {
      let former = exchange(&nodes, with: self.nodes.sorted { isBefore?($0, $1) == true })
      // A closure that is no strict weak ordering gives no better order.
      if round > 0, nodes.elementsEqual(former, by: ===) { return }
      place(nodes)
      nodes.forEach { $0.invalidate() }
      nodes.forEach(refresh)
    }
  }

  private func place(_ nodes: [ElementNode]) {
    for node in included { node.viewSlot = 0 }
    (order, followers) = (OrderTree(), [])
    for (node, slot) in zip(nodes, order.insert(nodes, at: 0)) { node.viewSlot = slot }
  }

  /// Compares elements with their new predecessors, and returns whether all are in order.
  private func refreshFollowers(_ refresh: (ElementNode) -> Void) -> Bool {
    let nodes = exchange(&followers, with: []).filter { $0.viewSlot != 0 }
    nodes.forEach { $0.invalidate() }
    nodes.forEach(refresh)
    return nodes.allSatisfy(\.result)
  }

  // MARK: Single elements

  /// Takes elements out of the order, in which they may not be, or twice in the list; returns those
  /// taken out.
  @discardableResult private func take(_ nodes: [ElementNode]) -> [ElementNode] {
    // In order, so that neighbours are one run.
    nodes.filter { $0.viewSlot != 0 }.map { (order.position(of: $0.viewSlot), $0) }
      .sorted { $0.0 < $1.0 }.map(\.1).filter { node in
        guard node.viewSlot != 0 else { return false }
        note(node, isIncluded: false, at: unrank(node))
        return true
      }
  }

  /// Notes that an element enters the view at `index`, or leaves it there. A change next to the one
  /// before continues the same run.
  private func note(_ node: ElementNode, isIncluded: Bool, at index: Int) {
    let isNext = runs.last.map { $0.destination == nil && $0.index + $0.inserted.count == index }
    if isNext != true { runs.append(Run(index: index)) }
    if isIncluded {
      runs[runs.count - 1].inserted.append(node)
    } else {
      runs[runs.count - 1].removed.append(node)
    }
  }

  /// Removes an element from the order, and returns its index.
  private func unrank(_ node: ElementNode) -> Int {
    let index = order.position(of: node.viewSlot)
    _ = order.remove(index..<(index + 1))
    node.viewSlot = 0
    follow(index)
    return index
  }

  /// Inserts an element into the order, and returns its index.
  private func rank(_ node: ElementNode) -> Int {
    var range = 0..<order.size
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      range =
        comesBefore(node, included(at: middle))
        ? range.lowerBound..<middle : (middle + 1)..<range.upperBound
    }
    let index = range.lowerBound
    node.viewSlot = order.insert([node], at: index)[0]
    follow(index)
    follow(index + 1)
    return index
  }

  /// Lets the element at `index` be compared with its predecessor.
  private func follow(_ index: Int) {
    if isSorted, index < order.size { followers.append(included(at: index)) }
  }
}
