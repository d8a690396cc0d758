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
    LiveArray(of: self) { ElementViewNode(of: self, for: $0, including: isIncluded) }
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
    LiveArray(of: self) { ElementViewNode(of: self, for: $0, by: areInIncreasingOrder) }
  }

  /// A live array of the same elements, ordered by the value of `key`; equal ones keep the order of
  /// the source.
  public final func sorted<Key: Comparable>(by key: KeyPath<Element, Key>) -> LiveArray {
    sorted { $0[keyPath: key] < $1[keyPath: key] }
  }
}

/// The node of a view whose closure is evaluated for each element, and whose reads are followed.
private final class ElementViewNode<Element>: ViewNode<Element>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  private final class Box {
    let element: Element
    init(_ element: Element) { self.element = element }
  }

  private let source: ViewSource<Element>
  private let group = ElementGroup(ofObjects: Element.self is AnyClass)

  init(
    of array: LiveArray<Element>, for owner: RegisteredObject,
    including isIncluded: ((Element) -> Bool)? = nil,
    by areInIncreasingOrder: ((Element, Element) -> Bool)? = nil
  ) {
    source = ViewSource(array)
    super.init(owner: owner, of: array)
    group.view = self
    group.isIncluded = isIncluded.map { isIncluded in { isIncluded(Self.element(of: $0)) } }
    group.isBefore = areInIncreasingOrder.map { isBefore in
      { isBefore(Self.element(of: $0), Self.element(of: $1)) }
    }
  }

  /// The element of a node of this view.
  private static func element(of node: ElementNode) -> Element {
    guard let content = node.content else { preconditionFailure("the element has left the view") }
    // Proof of the casts: `node(of:)` has made the content.
    return node.group.isOfObjects
      ? reference(content, as: Element.self) : cast(content, to: Box.self).element
  }

  private func node(of element: Element) -> ElementNode {
    let object = group.isOfObjects ? Optionals.reference(in: element) : nil
    return ElementNode(object ?? Box(element), in: group, of: owner)
  }

  override var hasContents: Bool { source.hasContents }
  override var elements: [Element] { group.included.map(Self.element) }
  override var count: Int { group.order.size }
  override func element(at index: Int) -> Element { Self.element(of: group.included(at: index)) }

  override func update(of owner: AnyObject, in transaction: Transaction) -> [ArrayEdit<Element>] {
    var changes = ElementChanges()
    for edit in source.hasEdits ? source.takeEdits() : [] {
      if edit.isReset {
        group.clear()
        changes = ElementChanges(isReset: true)
      }
      let removed = group.remove(edit.removedRange)
      if case .move(_, _, let destination) = edit {
        group.insert(removed, at: destination)
        changes.moved += removed
      } else {
        for node in removed {
          if node.viewSlot == 0 { node.leave() } else { changes.left.append(node) }
        }
        let new = edit.inserted.map(node(of:))
        group.insert(new, at: edit.insertedRange.lowerBound)
        changes.new += new
      }
    }
    group.settle(changes) { transaction.refresh($0, of: owner) }
    return takeRuns()
  }

  /// The edits that the runs are. Ends the nodes of the elements that have left.
  private func takeRuns() -> [ArrayEdit<Element>] {
    let runs = exchange(&group.runs, with: [])
    let edits = runs.flatMap { run -> [ArrayEdit<Element>] in
      let inserted = run.inserted.map(Self.element)
      if run.isReset { return [.reset(inserted)] }
      if let destination = run.destination {
        return [.move(inserted[0], from: run.index, to: destination)]
      }
      return ArrayEdit.replacing(run.removed.map(Self.element), with: inserted, at: run.index)
    }
    for run in runs { for node in run.removed where node.slot == 0 { node.leave() } }
    return edits
  }

  // Nothing else uses the list then, because no thread can obtain the view from the group any more.
  deinit { group.outdated = [] }

  override var isBehind: Bool { source.isBehind }

  override var parts: [Node] { group.nodes }

  override func forgetContents() {
    guard source.isBehind else { return }
    source.forget()
    group.clear()
  }

  override func releaseContents() {
    super.releaseContents()
    group.clear()
    source.release()
    _ = (group.isIncluded.take(), group.isBefore.take())
  }
}
