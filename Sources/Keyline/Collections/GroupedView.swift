extension LiveArray {
  /// A live array of sections: one for each value of `key`, with the elements that have it. Sections are in
  /// the order of their first elements.
  ///
  /// ```swift
  /// let days = mailbox.messages.grouped { $0.day }
  /// let unread = days.mapped { day in "\(day.key): \(day.count)" }
  /// ```
  ///
  /// Whatever `key` reads is followed, as for ``filtered(_:)``. An element whose key changes goes to another
  /// section. A section leaves with its last element, and stays empty; if its key comes again, a new section
  /// does. `==` and `hash` of a key must not change while the view has it.
  ///
  /// - Complexity: O(log² n) for each edited element or changed key, plus O(1) for each section that is
  ///   observed, or has been read since; one pass over all elements after a change of something that all of
  ///   them read. A section that has been read keeps an array of its elements.
  /// - SeeAlso: DynamicData's `GroupOn`.
  public final func grouped<Key: Hashable>(
    by key: @escaping (Element) -> Key
  ) -> LiveArray<LiveSection<Key, Element>> {
    LiveArray<LiveSection<Key, Element>>(of: self) {
      GroupedNode(of: self, for: $0, by: key) { $0.section }
    }
  }
}

extension LiveArray where Element: Hashable {
  /// A live array of the same elements without repetitions: of equal ones (`==`, which must not change
  /// meanwhile), it has the first to come, as long as any of them is there, at the place of the first.
  ///
  /// - Complexity: O(log² n) for each edited element.
  /// - SeeAlso: DynamicData's `DistinctValues`.
  public final func distinct() -> LiveArray {
    LiveArray(of: self) { GroupedNode(of: self, for: $0, by: { $0 }) { $0.key } }
  }
}

/// The elements of one key, in the order of the array: a part of the view that
/// ``LiveArray/grouped(by:)`` makes.
///
/// - Lifetime: the view retains its sections. A subscription to a section, or to a view of it, retains the
///   view of sections as well, until the array at the bottom dies. Without that view, a section keeps its
///   elements, and follows the array no more. A section that nobody observes retains elements that have
///   left until it, or the view, is read.
public final class LiveSection<Key, Element>: LiveArray<Element> {
  /// What the elements have in common.
  public let key: Key
  private let sections: RegisteredObject

  fileprivate init(_ key: Key, of sections: LiveArray<LiveSection>, _ elements: [Element]) {
    self.key = key
    self.sections = sections.observedNode().owner
    super.init(of: sections) { SectionNode<Element>(owner: $0, of: sections) }
    storage = elements
  }

  override var anchor: AnyObject? { sections.object }

  /// Makes edits, and returns the former elements if all are replaced.
  fileprivate func make(_ edits: [ArrayEdit<Element>], in transaction: Transaction) -> [Element] {
    let former = edits[0].isReset ? exchange(&storage, with: []) : []
    for edit in edits { edit.apply(to: &storage) }
    node?.version &+= 1
    node?.record(edits, in: transaction)
    return former
  }
}

/// The node of a section, whose edits the view of sections makes.
private final class SectionNode<Element>: ViewNode<Element>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  override var hasContents: Bool { true }
  override var elements: [Element] {
    // Proof of the cast: a section has been made with this node.
    owner.object.map { cast($0, to: LiveArray<Element>.self).storage } ?? []
  }

  /// Lets edits of other sections pass by, until the section is read again.
  override func forgetContents() {
    dropDependencies()
    state.insert([.marked, .outdated])
  }
}

/// A key in the order of the sections.
private final class SectionEntry<Key, Element>: ElementNode, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  let key: Key
  let elements: ElementOrder
  private var made: LiveSection<Key, Element>?

  init(_ key: Key, _ elements: ElementOrder, in group: ElementGroup, of owner: RegisteredObject) {
    self.key = key
    self.elements = elements
    super.init(group, in: group, of: owner)
    elements.section = self
    slot = 1
  }

  override var members: ElementOrder? { elements }

  /// Made when it is asked for.
  var section: LiveSection<Key, Element> {
    if let made { return made }
    // Proof of the cast: `grouped` makes the sections of such a view, which is alive while it is read.
    guard let view = group.view?.owner.object else { preconditionFailure("the view has ended") }
    let section = LiveSection(
      key, of: cast(view, to: LiveArray<LiveSection<Key, Element>>.self),
      elements.nodes.map { $0.element() })
    made = section
    return section
  }

  /// Passes the changes to the section.
  func settle(in transaction: Transaction) {
    let edits: [ArrayEdit<Element>] = elements.takeEdits { $0.element() }
    guard edits.count > 0 else { return }
    let former = made?.make(edits, in: transaction)
    // Retained meanwhile, because the release of an element may run a deinit that reads the view.
    transaction.atEnd { withExtendedLifetime((edits, former)) {} }
  }
}

private final class GroupedNode<Key: Hashable, Element, Output>:
  OrderedNode<Element, Output>, @unchecked Sendable
{
  // Proof of @unchecked: as for its superclass.

  private typealias Entry = SectionEntry<Key, Element>
  /// The sections, as the elements of another group.
  private let sections = ElementGroup(ofObjects: true)
  private var entries: [Key: Entry] = [:]

  init(
    of array: LiveArray<Element>, for owner: RegisteredObject,
    by key: @escaping (Element) -> Key, output: @escaping (SectionEntry<Key, Element>) -> Output
  ) {
    // Proof of the cast, here and below: nothing else is inserted into the order of the sections.
    super.init(of: array, for: owner, output: { output(cast($0, to: Entry.self)) }) { _ in }
    sections.view = self
    sections.isBefore = { [unowned group] in group.place(of: $0.first) < group.place(of: $1.first) }
    group.order = sections.order
    group.evaluate = { [unowned self] in
      let key = key($0.element())
      let entry = entries[key] ?? Entry(key, ElementOrder(of: group), in: sections, of: owner)
      entries[key] = entry
      $0.target = entry.members
    }
  }

  override func arrange(of owner: AnyObject, in transaction: Transaction) {
    super.arrange(of: owner, in: transaction)
    let changed = sections.takeOutdated().map { cast($0, to: Entry.self) }
    let empty = changed.filter { $0.elements.count == 0 }
    for entry in empty {
      entries[entry.key] = nil
      entry.slot = 0
    }
    // Sections are compared by their first elements, which nothing records.
    changed.compactMap { $0.order?.position(of: $0) }.forEach { sections.order.follow(2, from: $0) }
    let new = changed.filter { $0.order == nil && $0.slot != 0 }
    sections.settle(ElementChanges(new: new, left: empty), sections.compare)
    for entry in changed { entry.settle(in: transaction) }
  }

  override func clear() {
    super.clear()
    if hasEnded { _ = (exchange(&sections.outdated, with: []), exchange(&entries, with: [:])) }
  }
}
