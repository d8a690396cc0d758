extension LiveArray {
  /// A live array of the elements that satisfy `isIncluded`, in the same order.
  ///
  /// ```swift
  /// let open = store.orders.filtered { $0.isOpen && $0.total > store.limit }
  /// ```
  ///
  /// Whatever `isIncluded` reads is followed: properties of the element and of other objects,
  /// derived values, and other arrays. Elements may also be values. `isIncluded` is a rule: it must
  /// not set anything, which is reported as `derivedWrite`.
  ///
  /// - Complexity: O(log² n) and at most one edit for one changed element; one pass over all
  ///   elements after a change of something that all of them read. Neighbours that come or go together
  ///   are one edit.
  /// - SeeAlso: DynamicData's `AutoRefresh` with `Filter`; JavaFX's `FilteredList`.
  public final func filtered(_ isIncluded: @escaping (Element) -> Bool) -> LiveArray {
    LiveArray(of: self) {
      OrderedNode(of: self, for: $0, output: { $0.element() }) { group in
        group.evaluate = { $0.target = isIncluded($0.element()) ? $0.group.order : nil }
      }
    }
  }

  /// A live array of the same elements, in the order given by `areInIncreasingOrder`; elements of
  /// equal rank keep the order of the source.
  ///
  /// ```swift
  /// let byTotal = store.orders.sorted { $0.total < $1.total }
  /// ```
  ///
  /// `sorted()` without an argument is the method of `Sequence`, which returns a plain array.
  ///
  /// Whatever `areInIncreasingOrder` reads is followed, as for ``filtered(_:)``. A closure that is
  /// no strict weak ordering gives some order.
  ///
  /// - Complexity: O(log² n) and at most one edit for one changed element; O(n log n), and one
  ///   replacement of all elements, after a change of something that all comparisons read.
  /// - SeeAlso: DynamicData's `Sort`; JavaFX's `SortedList`.
  public final func sorted(
    by areInIncreasingOrder: @escaping (Element, Element) -> Bool
  ) -> LiveArray {
    LiveArray(of: self) {
      OrderedNode(of: self, for: $0, output: { $0.element() }) { group in
        group.isBefore = { areInIncreasingOrder($0.element(), $1.element()) }
        group.evaluate = { $0.group.compare($0) }
      }
    }
  }

  /// A live array of the same elements, ordered by the value of `key`; equal ones keep the order of
  /// the source.
  public final func sorted<Key: Comparable>(by key: KeyPath<Element, Key>) -> LiveArray {
    sorted { $0[keyPath: key] < $1[keyPath: key] }
  }

  /// A live array of the same elements in reverse order.
  ///
  /// - Complexity: O(log² n) for each edited element.
  public final func reversed() -> LiveArray {
    LiveArray(of: self) {
      OrderedNode(of: self, for: $0, output: { $0.element() }) { group in
        group.position = { -$0.group.tree.position(of: $0.slot) }
        group.evaluate = { $0.target = $0.group.order }
      }
    }
  }
}

/// The node of a view with an order.
class OrderedNode<Element, Output>: ElementViewNode<Element, Output>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  /// The element of the view that a node in its order stands for.
  private let output: (ElementNode) -> Output

  /// - Parameter setUp: sets the closures of the group.
  init(
    of array: LiveArray<Element>, for owner: RegisteredObject,
    output: @escaping (ElementNode) -> Output, _ setUp: (ElementGroup) -> Void
  ) {
    self.output = output
    super.init(of: array, for: owner)
    setUp(group)
  }

  override final var elements: [Output] { group.order.nodes.map(output) }
  override final var count: Int { group.order.count }
  override final func element(at index: Int) -> Output { output(group.order.node(at: index)) }
  override final func sourceIndex(of index: Int) -> Int {
    group.tree.position(of: group.order.node(at: index).first.slot)
  }
  override final func index(ofSource index: Int) -> Int? {
    let node = group.tree.node(at: index)
    return node.order?.index(of: node)
  }

  /// Brings the order up to date.
  func arrange(of owner: AnyObject, in transaction: Transaction) {
    group.settle(takeChanges()) { transaction.refresh($0, of: owner) }
  }

  override final func update(
    of owner: AnyObject, in transaction: Transaction
  ) -> [ArrayEdit<Output>] {
    arrange(of: owner, in: transaction)
    return group.order.takeEdits(output)
  }
}
