/// A value as an object.
final class Box<Element> {
  let element: Element
  init(_ element: Element) { self.element = element }
}

extension ElementNode {
  /// The element, which has not left the view. `Element` is the type of the elements of the source.
  final func element<Element>() -> Element {
    // Proof of the casts: `makeNodes(_:)` has made the content.
    group.isOfObjects
      ? reference(content!, as: Element.self) : cast(content!, to: Box<Element>.self).element
  }
}

/// The node of a view whose closure is evaluated for each element, and whose reads are followed.
class ElementViewNode<Element, Output>: ViewNode<Output>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  final let source: ViewSource<Element>
  final let group: ElementGroup

  init(of array: LiveArray<Element>, for owner: RegisteredObject, isRetained: Bool = true) {
    group = ElementGroup(ofObjects: Element.self is AnyClass)
    source = ViewSource(array, isRetained: isRetained)
    super.init(owner: owner, of: array)
    group.view = self
  }

  /// Makes the node of an element.
  func node(_ content: AnyObject) -> ElementNode { ElementNode(content, in: group, of: owner) }

  final func makeNodes(_ elements: [Element]) -> [ElementNode] {
    elements.map { node((group.isOfObjects ? Optionals.reference(in: $0) : nil) ?? Box($0)) }
  }

  override final var hasContents: Bool { source.hasContents }

  /// Takes the edits of the source into the group, and returns the changes that concern the order.
  final func takeChanges() -> ElementChanges {
    var changes = ElementChanges()
    for edit in source.takeEdits() {
      if case .move(_, _, let destination) = edit {
        let moved = group.takeOut(edit.removedRange)
        group.insert(moved, at: destination)
        changes.moved += moved
        continue
      }
      if edit.isReset {
        clear()
        changes = ElementChanges()
      }
      let removed = group.takeOut(edit.removedRange)
      for node in removed where node.order == nil { node.leave() }
      changes.left += removed.filter { $0.order != nil }
      let new = makeNodes(edit.inserted)
      group.insert(new, at: edit.insertedRange.lowerBound)
      changes.new += new
    }
    return changes
  }

  // Nothing else uses the list then, because no thread can obtain the view from the group any more.
  deinit { group.outdated = [] }

  override var isBehind: Bool { source.isBehind }

  override var parts: [Node] { group.tree.nodes }

  /// Releases the elements.
  func clear() { group.clear() }

  override final func forgetContents() {
    guard isBehind else { return }
    source.forget()
    clear()
  }

  override final func releaseContents() {
    super.releaseContents()
    clear()
    source.release()
    _ = (group.evaluate.take(), group.isBefore.take())
  }
}
