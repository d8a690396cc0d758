extension LiveArray {
  /// A live array of the elements of several arrays, one for each element of this one, in order.
  ///
  /// ```swift
  /// let messages = account.folders.flatMapped { $0.messages }
  /// ```
  ///
  /// Whatever `array` reads is followed, as for ``filtered(_:)``, and so are the edits of the arrays.
  ///
  /// - Lifetime: retains the arrays while their elements are part of the view.
  /// - Complexity: O(log n) for each edit, plus the size of the edited array.
  /// - SeeAlso: DynamicData's `TransformMany`.
  public final func flatMapped<Output>(
    _ array: @escaping (Element) -> LiveArray<Output>
  ) -> LiveArray<Output> {
    LiveArray<Output>(of: self) {
      let node = FlatMappedNode<Element, Output>(of: self, for: $0)
      node.group.evaluate = { ArrayNode.of($0).follow(array($0.element())) }
      return node
    }
  }

  /// A live array of the elements of `arrays`, one array after the other.
  ///
  /// ```swift
  /// let people = LiveArray.joined([company.staff, company.guests])
  /// ```
  ///
  /// - Lifetime: retains the arrays. A subscription does not retain this view, or a view of it: keep
  ///   the view in a property.
  /// - SeeAlso: DynamicData's `Or`, `MergeChangeSets`.
  public static func joined(_ arrays: [LiveArray]) -> LiveArray {
    let arrays = ObservableArray(arrays)
    let view = arrays.flatMapped { array in withExtendedLifetime(arrays) { array } }
    view.arrayLife = nil
    return view
  }
}

/// An element of the source, with the array that it stands for.
private final class ArrayNode<Output>: ElementNode, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  private var array: LiveArray<Output>?
  private var source: ViewSource<Output>?
  /// Whether the closure has not read the array's elements itself.
  private var isArrayLast = false
  private(set) var contents: [Output] = []

  // Proof of the cast: a flat mapped view makes no other nodes.
  static func of(_ node: ElementNode) -> ArrayNode { cast(node, to: ArrayNode.self) }

  func follow(_ array: LiveArray<Output>) {
    if array !== self.array { (self.array, source) = (array, ViewSource(array)) }
  }

  override func evaluate(of owner: AnyObject, from index: Int, in transaction: Transaction) {
    if isArrayLast, index == dependencies.count - 1 {
      // Only the array has changed: the closure would read the same again.
      for dependency in dependencies.dropLast() { transaction.didRead(dependency.node) }
    } else {
      super.evaluate(of: owner, from: index, in: transaction)
    }
    let count = transaction.evaluation.count
    _ = array?.readCount()
    isArrayLast = transaction.evaluation.count > count
  }

  /// The edits of the contents since the last call, in a view in which they begin at `start`.
  func takeEdits(at start: Int) -> [ArrayEdit<Output>] {
    guard let source else { return [] }
    return source.takeEdits().flatMap { edit -> [ArrayEdit<Output>] in
      let removed = edit.isReset ? contents : edit.removed
      edit.apply(to: &contents)
      if case .move(let element, let index, let destination) = edit {
        return [.move(element, from: start + index, to: start + destination)]
      }
      let index = start + edit.removedRange.lowerBound
      return ArrayEdit.replacing(removed, with: edit.inserted, at: index)
    }
  }

  override func leave() {
    super.leave()
    source?.release()
    _ = (array.take(), source.take(), exchange(&contents, with: []))
  }
}

private final class FlatMappedNode<Input, Output>:
  ElementViewNode<Input, Output>, @unchecked Sendable
{
  // Proof of @unchecked: as for its superclass.

  override func node(_ content: AnyObject) -> ElementNode {
    ArrayNode<Output>(content, in: group, of: owner)
  }

  override var elements: [Output] { group.tree.nodes.flatMap { ArrayNode.of($0).contents } }
  override var count: Int { group.tree.weight }
  override func element(at index: Int) -> Output {
    let (slot, offset) = group.tree.slot(at: index, byWeight: true)
    return ArrayNode.of(group.tree[slot]).contents[offset]
  }
  override func sourceIndex(of index: Int) -> Int {
    group.tree.position(of: group.tree.slot(at: index, byWeight: true).slot)
  }
  override func index(ofSource index: Int) -> Int? {
    let start = group.weight(before: index)
    return group.weight(before: index + 1) > start ? start : nil
  }

  override func update(of owner: AnyObject, in transaction: Transaction) -> [ArrayEdit<Output>] {
    let taken = source.takeEdits()
    var edits: [ArrayEdit<Output>] = []
    for edit in taken {
      if edit.isReset { clear() }
      let isMove = if case .move = edit { true } else { false }
      let index = group.weight(before: edit.removedRange.lowerBound)
      let former = group.takeOut(edit.removedRange)
      let removed = former.flatMap { ArrayNode<Output>.of($0).contents }
      if !isMove { former.forEach { $0.leave() } }
      let new = isMove ? former : makeNodes(edit.inserted)
      group.insert(new, at: edit.insertedRange.lowerBound)
      for node in new { _ = follow(node, of: owner, in: transaction) }
      let inserted = new.flatMap { ArrayNode<Output>.of($0).contents }
      edits += ArrayEdit.replacing(removed, with: isMove ? [] : inserted, at: index)
      guard isMove else { continue }
      let target = group.weight(before: edit.insertedRange.lowerBound)
      edits += ArrayEdit.replacing([], with: inserted, at: target)
    }
    for node in group.takeOutdated() { edits += follow(node, of: owner, in: transaction) }
    return taken.contains { $0.isReset } ? [.reset(elements)] : edits
  }

  /// Brings a node up to date, and returns the edits of its contents.
  private func follow(
    _ node: ElementNode, of owner: AnyObject, in transaction: Transaction
  ) -> [ArrayEdit<Output>] {
    transaction.refresh(node, of: owner)
    let array = ArrayNode<Output>.of(node)
    let edits = array.takeEdits(at: group.tree.position(of: node.slot, byWeight: true))
    group.tree.setWeight(array.contents.count, of: node.slot)
    return edits
  }

  override var isBehind: Bool { super.isBehind || !group.outdated.isEmpty }
}
