/// The elements of a view's source, of which each has a node that follows the reads of a closure. Not
/// generic, so that its code is compiled once.
///
/// Most views have an order of their own, in which elements stand; sections have one each:
///
///     view                        the target of a node: the order in which it belongs
///     filtered, window, reversed  the order of the view, or nil
///     sorted                      nil if the element comes before its predecessor there
///     grouped, distinct           the order of a section
final class ElementGroup {
  weak var view: Node?
  /// Whether the elements are objects.
  let isOfObjects: Bool
  /// Computes the result of a node. Nil after the end of the view.
  var evaluate: ((ElementNode) -> Void)?
  /// The order of two elements in a sorted view, which compares each element with the one before it, and
  /// follows the reads of this comparison: the order holds until a node is marked.
  var isBefore: ((ElementNode, ElementNode) -> Bool)?
  /// The elements of the source, in order.
  var tree = OrderTree()
  /// The order of the view; empty in a view that has none. In a divided group, sections stand in it, which
  /// are the elements of another group.
  lazy var order = ElementOrder(of: self)
  /// The place of an element among all others, if it is not the one in the tree.
  var position: ((ElementNode) -> Int)?
  /// The elements for which the closure may have another result. Used only by the view's domain,
  /// even after the array has died; released with the view's node.
  var outdated: [ElementNode] = []

  init(ofObjects: Bool) { isOfObjects = ofObjects }

  // MARK: The elements

  func insert(_ nodes: [ElementNode], at index: Int) {
    for (node, slot) in zip(nodes, tree.insert(nodes, at: index)) { node.slot = slot }
  }

  /// Removes elements from the tree only.
  func takeOut(_ range: Range<Int>) -> [ElementNode] {
    let removed = tree.remove(range)
    for node in removed { node.slot = 0 }
    return removed
  }

  /// The sum of the weights of the elements before `index`.
  func weight(before index: Int) -> Int {
    index < tree.size ? tree.position(of: tree.slot(at: index).slot, byWeight: true) : tree.weight
  }

  /// Removes all elements.
  func clear() {
    let former = tree.nodes + order.clear()
    tree = OrderTree(combine: tree.combine)
    for node in former { node.leave() }
  }

  // MARK: Comparing

  var isSorted: Bool { isBefore != nil }

  /// Compares an element of a sorted view with its predecessor.
  func compare(_ node: ElementNode) {
    guard let order = node.order else { return }
    let predecessor = order.predecessor(of: node)
    // The first is compared with itself: its reads are followed, even without another element.
    let isInPlace = comesBefore(predecessor ?? node, node)
    node.target = isInPlace || predecessor == nil ? order : nil
  }

  /// Equal elements of a sorted view, and all elements of other views, have the order of the source.
  func comesBefore(_ one: ElementNode, _ other: ElementNode) -> Bool {
    if isBefore?(one, other) == true { return true }
    if isBefore?(other, one) == true { return false }
    return one !== other && place(of: one) < place(of: other)
  }

  func place(of node: ElementNode) -> Int { position?(node) ?? tree.position(of: node.slot) }

  // MARK: Settling

  /// Whether a pass over all elements is cheaper than so many single changes.
  func isLarge(_ count: Int) -> Bool { count > 16 && count > max(tree.size, order.count) / 4 }

  /// The elements whose results may have changed, which are still in the source.
  func takeOutdated() -> [ElementNode] {
    let taken = exchange(&outdated, with: [])
    for node in taken { node.state.remove(.queued) }
    return taken.filter { $0.slot != 0 }
  }

  /// Takes misplaced elements out of the order, and inserts those that belong there.
  func settle(_ changes: ElementChanges, _ refresh: (ElementNode) -> Void) {
    let outdated = takeOutdated()
    let new = changes.new.filter { $0.slot != 0 }
    // To sort takes fewer comparisons than to compare with neighbours first.
    let count = changes.left.count + (isSorted ? outdated.count + new.count : 0)
    if order.isReset || isLarge(count) { return arrange(new, refresh) }
    take(changes.left)
    let checked = isSorted || new.isEmpty ? outdated : outdated + new
    checked.forEach(refresh)
    let misplaced = checked.filter { $0.order !== $0.target }
    if !isSorted, isLarge(misplaced.count) { return arrange([], refresh) }
    var moved = changes.moved.filter { $0.order != nil }
    if isSorted { moved += displaced(misplaced, among: outdated) } else { take(misplaced) }
    place(again: moved, andEnter: isSorted ? new : misplaced)
    // More than one element has changed, if the order does not hold now.
    guard isSorted else { return }
    let followers = takeOutdated().filter { $0.order != nil }
    followers.forEach(refresh)
    if !followers.allSatisfy({ $0.target != nil }) { arrange([], refresh) }
  }

  /// The elements of a sorted view that have to be placed again.
  private func displaced(
    _ misplaced: [ElementNode], among outdated: [ElementNode]
  ) -> [ElementNode] {
    guard misplaced.count == 1, let predecessor = order.predecessor(of: misplaced[0]) else {
      return misplaced.isEmpty ? [] : outdated.filter { $0.order != nil }
    }
    // One element has moved: this one or, if the order holds without it, the one before it.
    let holds = order.predecessor(of: predecessor).map { comesBefore($0, misplaced[0]) } ?? true
    let isOther = holds && outdated.contains { $0 === predecessor }
    return [isOther ? predecessor : misplaced[0]]
  }

  /// Takes elements out of the order, in which they may not be, or twice in the list; returns those
  /// taken out.
  @discardableResult func take(_ nodes: [ElementNode]) -> [ElementNode] {
    inOrder(nodes) { $0.order?.position(of: $0) }.filter { node in
      guard let order = node.order else { return false }
      order.note(node, isIncluded: false, at: order.unrank(node))
      return true
    }
  }

  /// Takes elements out of their order, and inserts them again where they belong now, with others.
  func place(again moved: [ElementNode], andEnter entering: [ElementNode] = []) {
    guard moved.count == 1, let order = moved[0].order else { return enter(entering + take(moved)) }
    order.moved(moved[0], from: order.unrank(moved[0]), to: order.rank(moved[0]))
    enter(entering)
  }

  /// Inserts elements into the orders in which they belong.
  func enter(_ nodes: [ElementNode]) {
    let nodes = isSorted ? nodes.sorted(by: comesBefore) : inOrder(nodes, place)
    for node in nodes where node.order == nil {
      guard let order = isSorted ? order : node.target else { continue }
      order.note(node, isIncluded: true, at: order.rank(node))
    }
  }

  /// The nodes that have positions in the order of these, so that neighbours are one run.
  func inOrder(_ nodes: [ElementNode], _ position: (ElementNode) -> Int?) -> [ElementNode] {
    guard nodes.count > 1 else { return nodes }
    return nodes.compactMap { node in position(node).map { ($0, node) } }
      .sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// Makes all orders anew.
  private func arrange(_ new: [ElementNode], _ refresh: (ElementNode) -> Void) {
    guard !isSorted else { return order.change { sort(new, refresh) } }
    let nodes = position == nil ? tree.nodes : inOrder(tree.nodes, place)
    nodes.forEach(refresh)
    var orders: [ElementOrder] = []
    for node in nodes {
      guard let order = node.target else { continue }
      if order.arranged.isEmpty { orders.append(order) }
      order.arranged.append(node)
    }
    // In a divided group, the orders of the sections.
    let former = order.group === self ? [order] : order.nodes.compactMap(\.members)
    for order in orders + former.filter(\.arranged.isEmpty) {
      order.change { order.place(exchange(&order.arranged, with: [])) }
    }
  }

  private func sort(_ new: [ElementNode], _ refresh: (ElementNode) -> Void) {
    // Takes O(n) if the former order, or its reverse, is close to the new one, as a sample of neighbours
    // shows. Only the order of the source is right for equal elements.
    var nodes = order.nodes.filter { $0.slot != 0 } + new
    let sample = stride(from: 1, to: nodes.count, by: nodes.count / 32 + 1)
    let isMixed = Set(sample.map { isBefore?(nodes[$0], nodes[$0 - 1]) }).count > 1
    // The reads of sorting are not recorded: if an object has died meanwhile, on any thread, neighbours
    // are misplaced. Not for ever, because the answers of a closure may vary, or give no order.
    for round in 0..<4 {
      if tree.size > 0, isMixed || round > 0 { nodes = tree.nodes }
      nodes.sort { isBefore?($0, $1) == true }
      order.place(nodes)
      nodes.forEach { $0.invalidate() }
      nodes.forEach(refresh)
      if nodes.allSatisfy({ $0.target != nil }) { return }
    }
  }
}
