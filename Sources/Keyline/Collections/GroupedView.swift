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
  /// does.
  ///
  /// - Complexity: O(log² n) for each edited element or changed key, plus a copy of the section's elements
  ///   in memory; one pass over all elements after a change of something that all of them read.
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
  /// A live array of the same elements without repetitions: of equal ones, it has one object, the first to
  /// come, at the place of the first.
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
///   elements and ends.
public final class LiveSection<Key, Element>: LiveArray<Element> {
  /// What the elements have in common.
  public let key: Key
  private let sections: RegisteredObject

  fileprivate init(_ key: Key, of sections: LiveArray<LiveSection>, _ elements: [Element]) {
    self.key = key
    self.sections = sections.observedNode().owner
    super.init(of: sections) { SectionNode(of: sections, for: $0, elements) }
  }

  override var anchor: AnyObject? { sections.object }
}

/// The node of a section, whose edits the view of sections makes.
private final class SectionNode<Element>: ViewNode<Element>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  private var contents: [Element]

  init<Section>(
    of sections: LiveArray<Section>, for owner: RegisteredObject, _ contents: [Element]
  ) {
    self.contents = contents
    super.init(owner: owner, of: sections, life: sections.life)
  }

  override var hasContents: Bool { true }
  override var elements: [Element] { contents }

  func make(_ edits: [ArrayEdit<Element>], in transaction: Transaction) {
    guard edits.count > 0 else { return }
    for edit in edits { edit.apply(to: &contents) }
    version &+= 1
    record(edits, in: transaction)
  }

  override func releaseContents() {
    super.releaseContents()
    _ = exchange(&contents, with: [])
  }
}

/// A key in the order of the sections.
private final class SectionEntry<Key, Element>: ElementNode, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  let key: Key
  private let elements: ElementOrder
  private var made: LiveSection<Key, Element>?

  /// - Parameter elements: the group of the elements.
  init(
    _ key: Key, in sections: ElementGroup, of owner: RegisteredObject, for elements: ElementGroup
  ) {
    self.key = key
    self.elements = ElementOrder(of: elements)
    super.init(sections, in: sections, of: owner)
    self.elements.section = self
    (slot, target) = (1, sections.order)
  }

  override var members: ElementOrder? { elements }
  var isEmpty: Bool { elements.count == 0 }
  var isMisplaced: Bool { order?.isInPlace(self) == false }

  /// Made when it is asked for.
  var section: LiveSection<Key, Element> {
    if let made { return made }
    // Proof of the cast: `grouped` makes the sections of such a view, which is alive while it is read.
    guard let view = group.view?.owner.object else { preconditionFailure("the view has ended") }
    let section = LiveSection(
      key, of: cast(view, to: LiveArray<LiveSection<Key, Element>>.self),
      elements.nodes.map(ElementViewNode<Element, Element>.element))
    made = section
    return section
  }

  /// Passes the changes to the section.
  func settle(in transaction: Transaction) {
    let edits = elements.takeEdits(ElementViewNode<Element, Element>.element)
    // Proof of the cast: a section has been made with this node.
    made?.node.map { cast($0, to: SectionNode<Element>.self).make(edits, in: transaction) }
  }

  /// Keeps the section for elements that come again.
  override func leave() {
    order = nil
    elements.clear()
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
    sections.position = { [unowned group] in group.tree.position(of: $0.first.slot) }
    group.order = sections.order
    group.evaluate = { [unowned self] in
      let key = key(Self.element(of: $0))
      let entry = entries[key] ?? Entry(key, in: sections, of: owner, for: group)
      entries[key] = entry
      $0.target = entry.members
    }
  }

  override func arrange(of owner: AnyObject, in transaction: Transaction) {
    super.arrange(of: owner, in: transaction)
    let changed = sections.takeOutdated().map { cast($0, to: Entry.self) }
    let (empty, filled) = (changed.filter(\.isEmpty), changed.filter { !$0.isEmpty })
    sections.take(empty)
    for entry in empty { entries[entry.key] = nil }
    var misplaced: [Entry] { filled.filter(\.isMisplaced) }
    if misplaced.count == 1 { sections.place(again: misplaced) }
    // Until the others are in order: of two neighbours in the wrong order, either may be misplaced.
    while !misplaced.isEmpty { sections.take(misplaced) }
    sections.enter(filled)
    for entry in changed { entry.settle(in: transaction) }
  }

  override func clear() {
    super.clear()
    if hasEnded { _ = (exchange(&sections.outdated, with: []), exchange(&entries, with: [:])) }
  }
}
