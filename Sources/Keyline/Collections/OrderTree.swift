/// A sequence in which values have slots that stay valid while other values come and go. Each value has a
/// weight: 1 if it is counted, or the number of elements that it stands for.
///
/// A binary search tree by position. When two subtrees are joined, either may provide the root, with a
/// probability in proportion to its size, which keeps the tree balanced whatever the edits are (Martínez
/// and Roura, "Randomized binary search trees", 1998). Its values are objects, so that its code is
/// compiled once: generic code would look up metadata at each step.
///
/// - Complexity: O(log n) expected, plus O(1) for each inserted or removed value.
struct OrderTree {
  /// A number in half the space of an `Int`.
  @propertyWrapper private struct Compact {
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
    @Compact var parent = 0
    /// How many values the subtree has.
    @Compact var size = 1
    @Compact var ownWeight = 0
    /// The sum of the weights in the subtree.
    @Compact var weight = 0
  }

  // Slot 0 stands for an empty subtree.
  private var slots: ContiguousArray = [Slot(size: 0)]
  private var objects: ContiguousArray<AnyObject?> = [nil]
  private var free: [Int] = []
  private var root = 0
  private var random: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Called for a value, with those at the top of the subtrees on its sides, when one of them has changed.
  let combine: ((_ value: AnyObject, _ left: AnyObject?, _ right: AnyObject?) -> Void)?

  init(combine: ((AnyObject, AnyObject?, AnyObject?) -> Void)? = nil) { self.combine = combine }

  /// The value at the top.
  var top: AnyObject? { objects[root] }

  /// The number of values.
  var size: Int { slots[root].size }

  /// The sum of all weights.
  var weight: Int { slots[root].weight }

  /// All values, in order.
  var values: [AnyObject] { slots(below: root).map { self[$0] } }

  /// The value in `slot`.
  subscript(slot: Int) -> AnyObject {
    guard let value = objects[slot] else { preconditionFailure("an empty slot") }
    return value
  }

  /// The slot of the value at `position`, and the position's distance from the first one of that value.
  ///
  /// - Parameter byWeight: whether a value takes as many positions as it weighs; otherwise, it takes one.
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

  /// The position of the value in `slot`; or the sum of the weights before it.
  func position(of slot: Int, byWeight: Bool = false) -> Int {
    var position = extent(slots[slot].left, byWeight)
    var slot = slot
    while slot != root {
      let parent = slots[slot].parent
      if slots[parent].right == slot {
        position += extent(slots[parent].left, byWeight) + (byWeight ? slots[parent].ownWeight : 1)
      }
      slot = parent
    }
    return position
  }

  private func extent(_ slot: Int, _ byWeight: Bool) -> Int {
    byWeight ? slots[slot].weight : slots[slot].size
  }

  /// The slots of a subtree, in order.
  private func slots(below root: Int, areWeighted: Bool = false) -> [Int] {
    var found: [Int] = []
    found.reserveCapacity(extent(root, areWeighted))
    func append(_ slot: Int) {
      guard slot != 0, !areWeighted || slots[slot].weight > 0 else { return }
      append(slots[slot].left)
      if !areWeighted || slots[slot].ownWeight > 0 { found.append(slot) }
      append(slots[slot].right)
    }
    append(root)
    return found
  }

  // MARK: Editing

  /// Inserts values of no weight before `position`, and returns their slots.
  @discardableResult mutating func insert(_ values: [AnyObject], at position: Int) -> [Int] {
    let made = values.map { value in
      guard let slot = free.popLast() else {
        slots.append(Slot())
        objects.append(value)
        return slots.count - 1
      }
      slots[slot].ownWeight = 0
      objects[slot] = value
      return slot
    }
    let (left, right) = split(root, at: position)
    root = join(join(left, build(made[...])), right)
    return made
  }

  /// Removes and returns the values at the positions of `range`.
  mutating func remove(_ range: Range<Int>) -> [AnyObject] {
    let (left, rest) = split(root, at: range.lowerBound)
    let (middle, right) = split(rest, at: range.count)
    root = join(left, right)
    let removed = slots(below: middle)
    defer { free += removed }
    return removed.compactMap { objects[$0].take() }
  }

  /// Sets the weight of the value in `slot`, or combines its changed value with the others.
  mutating func setWeight(_ weight: Int, of slot: Int) {
    slots[slot].ownWeight = weight
    update(slot)
    var slot = slot
    while slot != root {
      slot = slots[slot].parent
      update(slot)
    }
  }

  /// Sets the weights of all values.
  mutating func setWeights(_ weight: (ElementNode) -> Int) {
    let all = slots(below: root)
    for (slot, node) in zip(all, nodes()) { slots[slot].ownWeight = weight(node) }
    root = build(all[...])
  }

  private mutating func update(_ slot: Int) {
    let (left, right) = (slots[slot].left, slots[slot].right)
    slots[slot].size = slots[left].size + 1 + slots[right].size
    slots[slot].weight = slots[left].weight + slots[slot].ownWeight + slots[right].weight
    slots[left].parent = slot
    slots[right].parent = slot
    combine?(self[slot], objects[left], objects[right])
  }

  /// Makes a subtree of single values.
  private mutating func build(_ values: ArraySlice<Int>) -> Int {
    guard !values.isEmpty else { return 0 }
    let middle = (values.startIndex + values.endIndex) / 2
    let slot = values[middle]
    slots[slot].left = build(values[..<middle])
    slots[slot].right = build(values[(middle + 1)...])
    update(slot)
    return slot
  }

  /// Splits a subtree into its first `count` values and the rest.
  private mutating func split(_ slot: Int, at count: Int) -> (Int, Int) {
    guard slot != 0 else { return (0, 0) }
    let before = slots[slots[slot].left].size
    if count <= before {
      let (left, right) = split(slots[slot].left, at: count)
      slots[slot].left = right
      update(slot)
      return (left, slot)
    }
    let (left, right) = split(slots[slot].right, at: count - before - 1)
    slots[slot].right = left
    update(slot)
    return (slot, right)
  }

  /// Joins two subtrees, of which `left` comes first.
  private mutating func join(_ left: Int, _ right: Int) -> Int {
    guard left != 0, right != 0 else { return left + right }
    random ^= random << 13
    random ^= random >> 7
    random ^= random << 17
    let total = UInt64(slots[left].size + slots[right].size)
    if random.multipliedFullWidth(by: total).high < UInt64(slots[left].size) {
      let joined = join(slots[left].right, right)
      slots[left].right = joined
      update(left)
      return left
    }
    let joined = join(left, slots[right].left)
    slots[right].left = joined
    update(right)
    return right
  }
}

// A tree of elements. Proof of the casts: nothing else is inserted.
extension OrderTree {
  /// All elements, or those that have a weight, in order.
  func nodes(byWeight: Bool = false) -> [ElementNode] {
    slots(below: root, areWeighted: byWeight).map { cast(self[$0], to: ElementNode.self) }
  }

  func node(at position: Int, byWeight: Bool = false) -> ElementNode {
    cast(self[slot(at: position, byWeight: byWeight).slot], to: ElementNode.self)
  }
}
