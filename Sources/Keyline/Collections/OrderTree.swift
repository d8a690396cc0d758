/// A sequence in which values have slots that stay valid while other values come and go.
///
/// A binary search tree by position. When two subtrees are joined, either may provide the root, with a
/// probability in proportion to its size, which keeps the tree balanced whatever the edits are (Martínez
/// and Roura, "Randomized binary search trees", 1998). Its values are objects, so that its code is
/// compiled once: generic code would look up metadata at each step.
///
/// - Complexity: O(log n) expected, plus O(1) for each inserted or removed value.
struct OrderTree {
  private struct Slot {
    var left = 0
    var right = 0
    var parent = 0
    /// How many values the subtree has.
    var size = 1
  }

  // Slot 0 stands for an empty subtree.
  private var slots: ContiguousArray = [Slot(size: 0)]
  private var objects: ContiguousArray<AnyObject?> = [nil]
  private var free: [Int] = []
  private var root = 0
  private var random: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// The number of values.
  var size: Int { slots[root].size }

  /// All values, in order.
  var values: [AnyObject] { slots(below: root).map { self[$0] } }

  /// The value in `slot`.
  subscript(slot: Int) -> AnyObject {
    guard let value = objects[slot] else { preconditionFailure("an empty slot") }
    return value
  }

  /// The slot of the value at `position`.
  func slot(at position: Int) -> Int {
    precondition(0..<size ~= position, "Index out of range")
    var rest = position
    var slot = root
    while true {
      let before = slots[slots[slot].left].size
      if rest == before { return slot }
      if rest < before {
        slot = slots[slot].left
      } else {
        rest -= before + 1
        slot = slots[slot].right
      }
    }
  }

  /// The slot of the value before the one in `slot`; 0 for the first value.
  func slot(before slot: Int) -> Int {
    var previous = slots[slot].left
    while slots[previous].right != 0 { previous = slots[previous].right }
    guard previous == 0 else { return previous }
    var slot = slot
    while slot != root, slots[slots[slot].parent].left == slot { slot = slots[slot].parent }
    return slot == root ? 0 : slots[slot].parent
  }

  /// The position of the value in `slot`.
  func position(of slot: Int) -> Int {
    var position = slots[slots[slot].left].size
    var slot = slot
    while slot != root {
      let parent = slots[slot].parent
      if slots[parent].right == slot { position += slots[slots[parent].left].size + 1 }
      slot = parent
    }
    return position
  }

  /// The slots of a subtree, in order.
  private func slots(below root: Int) -> [Int] {
    var found: [Int] = []
    found.reserveCapacity(slots[root].size)
    func append(_ slot: Int) {
      guard slot != 0 else { return }
      append(slots[slot].left)
      found.append(slot)
      append(slots[slot].right)
    }
    append(root)
    return found
  }

  // MARK: Editing

  /// Inserts values before `position`, and returns their slots.
  @discardableResult mutating func insert(_ values: [AnyObject], at position: Int) -> [Int] {
    let made = values.map { value in
      guard let slot = free.popLast() else {
        slots.append(Slot())
        objects.append(value)
        return slots.count - 1
      }
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

  private mutating func update(_ slot: Int) {
    let (left, right) = (slots[slot].left, slots[slot].right)
    slots[slot].size = slots[left].size + 1 + slots[right].size
    slots[left].parent = slot
    slots[right].parent = slot
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
