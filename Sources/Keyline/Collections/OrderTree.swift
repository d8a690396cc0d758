/// A sequence of elements, in which each has a slot that stays valid while others come and go, and a
/// weight: the number of elements that it stands for.
///
/// A binary search tree by position. When two subtrees are joined, either may provide the root, with a
/// probability in proportion to its size, which keeps the tree balanced whatever the edits are (Martínez
/// and Roura, "Randomized binary search trees", 1998). Not generic, so that its code is compiled once:
/// generic code would look up metadata at each step.
///
/// - Complexity: O(log n) expected, plus O(1) for each inserted or removed element.
struct OrderTree {
  /// A number in half the space of an `Int`.
  @propertyWrapper struct Compact {
    private var number: UInt32
    init(wrappedValue: Int) { number = UInt32(wrappedValue) }
    var wrappedValue: Int {
      get { Int(number) }
      set { number = UInt32(newValue) }
    }
  }

  private struct Slot {
    @Compact var left = 0
    @Compact var right = 0
    /// 0 at the root.
    @Compact var parent = 0
    /// How many elements the subtree has.
    @Compact var size = 1
    @Compact var ownWeight = 0
    /// The sum of the weights in the subtree.
    @Compact var weight = 0
    var node: ElementNode?
  }

  // Slot 0 stands for an empty subtree.
  private var slots: ContiguousArray = [Slot(size: 0)]
  private var free: [Int] = []
  private var root = 0 { didSet { slots[root].parent = 0 } }
  private var random: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Called for an element, with those at the top of the subtrees on its sides, when one has changed.
  let combine: ((_ node: ElementNode, _ left: ElementNode?, _ right: ElementNode?) -> Void)?

  init(combine: ((ElementNode, ElementNode?, ElementNode?) -> Void)? = nil) {
    self.combine = combine
  }

  /// The element at the top.
  var top: ElementNode? { slots[root].node }

  /// The number of elements.
  var size: Int { slots[root].size }

  /// The sum of all weights.
  var weight: Int { slots[root].weight }

  /// All elements, in order.
  var nodes: [ElementNode] { all(below: root) { slot, _ in slot.node! } }

  /// The element at `position`.
  func node(at position: Int) -> ElementNode { self[slot(at: position).slot] }

  /// The element in `slot`.
  subscript(slot: Int) -> ElementNode { slots[slot].node! }

  /// The slot of the element at `position`, and the position's distance from the first one of that element.
  ///
  /// - Parameter byWeight: whether an element takes as many positions as it weighs; otherwise, one.
  func slot(at position: Int, byWeight: Bool = false) -> (slot: Int, offset: Int) {
    precondition(0..<(byWeight ? weight : size) ~= position, "Index out of range")
    var rest = position
    var slot = root
    while true {
      let before = extent(slots[slot].left, byWeight)
      let own = byWeight ? slots[slot].ownWeight : 1
      if rest < before {
        slot = slots[slot].left
      } else if rest < before + own {
        return (slot, rest - before)
      } else {
        rest -= before + own
        slot = slots[slot].right
      }
    }
  }

  /// The position of the element in `slot`; or the sum of the weights before it.
  func position(of slot: Int, byWeight: Bool = false) -> Int {
    var position = extent(slots[slot].left, byWeight)
    var slot = slot
    while slot != root {
      let parent = slots[slot].parent
      if slots[parent].right == slot {
        position += extent(parent, byWeight) - extent(slot, byWeight)
      }
      slot = parent
    }
    return position
  }

  /// The position of the first element for which `isLater` is true, as it is for all after that one.
  func firstPosition(where isLater: (ElementNode) -> Bool) -> Int {
    var (slot, position) = (root, 0)
    while slot != 0 {
      let isLater = isLater(self[slot])
      if !isLater { position += slots[slots[slot].left].size + 1 }
      slot = isLater ? slots[slot].left : slots[slot].right
    }
    return position
  }

  private func extent(_ slot: Int, _ byWeight: Bool) -> Int {
    byWeight ? slots[slot].weight : slots[slot].size
  }

  /// What `result` returns for the slots of a subtree, in order.
  private func all<Result>(below root: Int, _ result: (Slot, Int) -> Result) -> [Result] {
    var found: [Result] = []
    found.reserveCapacity(slots[root].size)
    func append(_ slot: Int) {
      guard slot != 0 else { return }
      append(slots[slot].left)
      found.append(result(slots[slot], slot))
      append(slots[slot].right)
    }
    append(root)
    return found
  }

  // MARK: Editing

  /// Inserts elements of no weight before `position`, and returns their slots.
  mutating func insert(_ nodes: [ElementNode], at position: Int) -> [Int] {
    let made = nodes.map { node in
      if free.isEmpty { slots.append(Slot()) }
      let slot = free.popLast() ?? slots.count - 1
      slots[slot] = Slot(node: node)
      return slot
    }
    let (left, right) = split(root, at: position)
    root = join(join(left, build(made[...])), right)
    return made
  }

  /// Removes and returns the elements at the positions of `range`.
  mutating func remove(_ range: Range<Int>) -> [ElementNode] {
    let (left, rest) = split(root, at: range.lowerBound)
    let (middle, right) = split(rest, at: range.count)
    root = join(left, right)
    let removed = all(below: middle) { $1 }
    defer { free += removed }
    return removed.compactMap { slots[$0].node.take() }
  }

  /// Sets the weight of the element in `slot`, or combines the changed element with the others.
  mutating func setWeight(_ weight: Int, of slot: Int) {
    slots[slot].ownWeight = weight
    var slot = slot
    while slot != 0 {
      update(slot)
      slot = slots[slot].parent
    }
  }

  /// Combines all values anew.
  mutating func combineAll() { root = build(all(below: root) { $1 }[...]) }

  private mutating func update(_ slot: Int) {
    let (left, right) = (slots[slot].left, slots[slot].right)
    slots[slot].size = slots[left].size + 1 + slots[right].size
    slots[slot].weight = slots[left].weight + slots[slot].ownWeight + slots[right].weight
    slots[left].parent = slot
    slots[right].parent = slot
    combine?(self[slot], slots[left].node, slots[right].node)
  }

  /// Makes a subtree of single elements.
  private mutating func build(_ elements: ArraySlice<Int>) -> Int {
    guard !elements.isEmpty else { return 0 }
    let middle = (elements.startIndex + elements.endIndex) / 2
    let slot = elements[middle]
    slots[slot].left = build(elements[..<middle])
    slots[slot].right = build(elements[(middle + 1)...])
    update(slot)
    return slot
  }

  /// Splits a subtree into its first `count` elements and the rest.
  private mutating func split(_ slot: Int, at count: Int) -> (Int, Int) {
    guard slot != 0 else { return (0, 0) }
    defer { update(slot) }
    let before = slots[slots[slot].left].size
    if count <= before {
      let (left, right) = split(slots[slot].left, at: count)
      slots[slot].left = right
      return (left, slot)
    }
    let (left, right) = split(slots[slot].right, at: count - before - 1)
    slots[slot].right = left
    return (slot, right)
  }

  /// Joins two subtrees, of which `left` comes first.
  private mutating func join(_ left: Int, _ right: Int) -> Int {
    guard left != 0, right != 0 else { return left + right }
    random = random &* 6_364_136_223_846_793_005 &+ 1
    let total = UInt64(slots[left].size + slots[right].size)
    if random.multipliedFullWidth(by: total).high < UInt64(slots[left].size) {
      slots[left].right = join(slots[left].right, right)
      update(left)
      return left
    }
    slots[right].left = join(left, slots[right].left)
    update(right)
    return right
  }
}
