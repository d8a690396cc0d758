/// A sequence in which values have slots that stay valid while other values come and go. Some of
/// the values are counted, and have a rank among the counted ones.
///
/// A treap: a search tree by position, and a heap by random priorities, which keep it balanced
/// (Seidel and Aragon, "Randomized search trees", 1996). Its values are objects, so that its code is
/// compiled once: generic code would look up metadata at each step.
///
/// - Complexity: O(log n) expected, for every operation on one value.
struct OrderTree {
  private struct Slot {
    var isCounted = true
    let priority: UInt64
    var left = 0
    var right = 0
    var parent = 0
    /// How many values, and how many counted ones, the subtree has.
    var size = 1
    var count = 1
  }

  // Slot 0 stands for an empty subtree.
  private var slots: ContiguousArray = [Slot(isCounted: false, priority: 0, size: 0, count: 0)]
  private var objects: ContiguousArray<AnyObject?> = [nil]
  private var free: [Int] = []
  private var root = 0
  private var random: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// The number of values.
  var size: Int { slots[root].size }
  /// The number of counted values.
  var count: Int { slots[root].count }

  /// All values, in order.
  var values: [AnyObject] {
    var values: [AnyObject] = []
    func append(_ slot: Int) {
      guard slot != 0 else { return }
      append(slots[slot].left)
      values.append(self[slot])
      append(slots[slot].right)
    }
    append(root)
    return values
  }

  /// The value in `slot`.
  subscript(slot: Int) -> AnyObject {
    guard let value = objects[slot] else { preconditionFailure("an empty slot") }
    return value
  }

  /// The slot of the value at `position`.
  func slot(at position: Int) -> Int { slot(at: position) { $0.size } }

  /// The slot of the counted value at `rank`.
  func slot(atRank rank: Int) -> Int { slot(at: rank) { $0.count } }

  @inline(__always) private func slot(at position: Int, by measure: (Slot) -> Int) -> Int {
    precondition(0..<measure(slots[root]) ~= position, "Index out of range")
    var rest = position
    var slot = root
    while true {
      let before = measure(slots[slots[slot].left])
      let through = measure(slots[slot]) - measure(slots[slots[slot].right])
      if rest < before {
        slot = slots[slot].left
      } else if rest < through {
        return slot
      } else {
        rest -= through
        slot = slots[slot].right
      }
    }
  }

  /// The position of the value in `slot`.
  func position(of slot: Int) -> Int { position(of: slot) { $0.size } }

  /// How many counted values are before `slot`.
  func rank(of slot: Int) -> Int { position(of: slot) { $0.count } }

  /// How many counted values are before `position`.
  func rank(before position: Int) -> Int {
    position == size ? count : rank(of: slot(at: position))
  }

  @inline(__always) private func position(of slot: Int, by measure: (Slot) -> Int) -> Int {
    var position = measure(slots[slots[slot].left])
    var slot = slot
    while slot != root {
      let parent = slots[slot].parent
      if slots[parent].right == slot {
        position += measure(slots[parent]) - measure(slots[slot])
      }
      slot = parent
    }
    return position
  }

  // MARK: Editing

  /// Inserts a value before `position`, and returns its slot.
  mutating func insert(_ value: AnyObject, isCounted: Bool = true, at position: Int) -> Int {
    random ^= random << 13
    random ^= random >> 7
    random ^= random << 17
    let made = Slot(isCounted: isCounted, priority: random, count: isCounted ? 1 : 0)
    let slot = free.popLast() ?? slots.count
    if slot == slots.count {
      slots.append(made)
      objects.append(value)
    } else {
      slots[slot] = made
      objects[slot] = value
    }
    let (left, right) = split(root, at: position)
    root = join(join(left, slot), right)
    return slot
  }

  /// Removes and returns the value at `position`.
  mutating func remove(at position: Int) -> AnyObject {
    let (left, rest) = split(root, at: position)
    let (slot, right) = split(rest, at: 1)
    root = join(left, right)
    free.append(slot)
    guard let value = objects[slot].take() else { preconditionFailure("Index out of range") }
    return value
  }

  func isCounted(_ slot: Int) -> Bool { slots[slot].isCounted }

  /// Counts the value in `slot`, or not.
  mutating func setCounted(_ isCounted: Bool, _ slot: Int) {
    guard slots[slot].isCounted != isCounted else { return }
    slots[slot].isCounted = isCounted
    var slot = slot
    slots[root].count += isCounted ? 1 : -1
    while slot != root {
      slots[slot].count += isCounted ? 1 : -1
      slot = slots[slot].parent
    }
  }

  private mutating func update(_ slot: Int) {
    let (left, right) = (slots[slot].left, slots[slot].right)
    slots[slot].size = slots[left].size + 1 + slots[right].size
    slots[slot].count = slots[left].count + (slots[slot].isCounted ? 1 : 0) + slots[right].count
    slots[left].parent = slot
    slots[right].parent = slot
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
    if slots[left].priority > slots[right].priority {
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
