extension LiveArray {
  /// A live array of sections: one for each value of `key`, in the order of their first elements.
  ///
  /// ```swift
  /// let days = mailbox.messages.sorted { $0.date > $1.date }.grouped { $0.day }
  /// for day in days { print(day.key, day.count) }     // each day is a live array, too
  /// ```
  ///
  /// Whatever `key` reads is followed, as for ``filtered(_:)``. A section exists as long as it has
  /// elements. It is one object while anything retains it, also if it has been empty in between.
  /// For sections in another order, sort them: `.sorted { $0.key < $1.key }`.
  ///
  /// - Complexity: O(log² n) for one changed element, plus O(size) for each changed section that is
  ///   observed or has been read.
  /// - SeeAlso: DynamicData's `Group`.
  public final func grouped<Key: Hashable>(
    by key: @escaping (Element) -> Key
  ) -> LiveArray<LiveSection<Key, Element>> {
    LiveArray<LiveSection<Key, Element>>(of: self) {
      GroupedNode(of: self, for: $0, by: key) { $0.section(of: $1) }
    }
  }
}

extension LiveArray where Element: Hashable {
  /// A live array of the elements without repetitions, in the order of their first places. Of equal
  /// elements, it has the one that came first in time.
  ///
  /// - Complexity: O(log² n) for each edited element.
  /// - SeeAlso: DynamicData's `DistinctValues`.
  public final func distinct() -> LiveArray {
    LiveArray(of: self) { GroupedNode(of: self, for: $0, by: { $0 }) { order, _ in order.key } }
  }
}

/// The elements of a live array that have the same key: a live array itself, made by
/// ``LiveArray/grouped(by:)``.
///
/// - Lifetime: retains the array of sections. When the array at the bottom dies, the section keeps its
///   contents.
public final class LiveSection<Key: Hashable, Element>: LiveArray<Element> {
  /// What the elements have in common.
  public let key: Key

  fileprivate init(_ order: KeyedOrder<Key, Element>, of sections: LiveArray<LiveSection>) {
    key = order.key
    super.init(of: sections) { SectionNode(of: sections, for: $0, order) }
  }

  // Proof of the cast: a section has been created with its node.
  fileprivate var sectionNode: SectionNode<Key, Element>? {
    node.map { cast($0, to: SectionNode<Key, Element>.self) }
  }
}

/// The elements that have the same key.
private final class KeyedOrder<Key: Hashable, Element>: ElementOrder {
  typealias Section = LiveSection<Key, Element>

  let key: Key
  /// Stands for the section among the sections; its slot is 0 while the section has no elements.
  var entry: ElementNode?
  weak var section: Section?
  /// The last elements, after the death of the array.
  var last: [Element]?

  init(_ key: Key, of group: ElementGroup) {
    self.key = key
    super.init(of: group)
  }

  func section(of sections: AnyObject?) -> Section {
    if let section { return section }
    guard let sections else { preconditionFailure("a view is alive while its elements are read") }
    // Proof of the cast: the sections are the elements of this view.
    let made = Section(self, of: cast(sections, to: LiveArray<Section>.self))
    section = made
    return made
  }
}

private final class GroupedNode<Key: Hashable, Element, Output>:
  ElementViewNode<Element, Output>, @unchecked Sendable
{
  // Proof of @unchecked: as for its superclass.

  typealias Order = KeyedOrder<Key, Element>

  /// The orders by their keys. An order without elements stays while its section is retained.
  private var orders: [Key: Order] = [:]
  /// The sections: each order with elements is the content of a node.
  private let sectionGroup = ElementGroup(ofObjects: true)
  private let sections: ElementOrder
  private let output: (Order, AnyObject?) -> Output

  init(
    of array: LiveArray<Element>, for owner: RegisteredObject,
    by key: @escaping (Element) -> Key, _ output: @escaping (Order, AnyObject?) -> Output
  ) {
    self.output = output
    sections = sectionGroup.makeOrder()
    super.init(of: array, for: owner)
    group.evaluate = { [unowned self] in $0.result = order(of: key(Self.element(of: $0))) }
    sectionGroup.position = { [unowned group] in group.place(of: Self.order(of: $0).node(at: 0)) }
  }

  private func order(of key: Key) -> Order {
    let order = orders[key] ?? Order(key, of: group)
    orders[key] = order
    return order
  }

  private static func order(of entry: ElementNode) -> Order {
    guard let content = entry.content else { preconditionFailure("the section has left the view") }
    // Proof of the cast: nothing else is the content of an entry.
    return cast(content, to: Order.self)
  }

  private func output(of entry: ElementNode) -> Output {
    output(Self.order(of: entry), owner.object)
  }

  override var elements: [Output] { sections.nodes.map(output) }
  override var count: Int { sections.count }
  override func element(at index: Int) -> Output { output(of: sections.node(at: index)) }

  override func update(of owner: AnyObject, in transaction: Transaction) -> [ArrayEdit<Output>] {
    let changes = takeChanges()
    group.settle(changes) { transaction.refresh($0, of: owner) }
    for order in changes.isReset ? Array(orders.values) : [] where order.runs.isEmpty {
      order.add(Run(index: 0, isReset: true))
    }
    // A section may have to move though the moved element has the same index in it.
    let changed = (exchange(&group.changed, with: []) + changes.moved.compactMap(\.order))
      .map { cast($0, to: Order.self) }
    placeSections(of: changed, isReset: changes.isReset)
    for order in changed {
      let edits = Self.takeEdits(of: order, Self.element)
      order.section?.sectionNode?.take(edits, in: transaction)
    }
    if orders.count > 2 * count + 16 {
      orders = orders.filter { $1.count > 0 || $1.section != nil }
    }
    return Self.takeEdits(of: sections, output)
  }

  /// Inserts and removes sections, and moves those whose first element has another place now.
  private func placeSections(of changed: [Order], isReset: Bool) {
    for order in changed where order.entry == nil && order.count > 0 {
      let entry = ElementNode(order, in: sectionGroup, of: owner)
      (entry.slot, entry.result, order.entry) = (1, sections, entry)
    }
    let empty = changed.filter { $0.count == 0 }.compactMap { $0.entry.take() }
    for entry in empty { entry.slot = 0 }
    let entries = changed.compactMap(\.entry)
    guard !isReset else {
      empty.forEach { $0.leave() }
      let sorted = entries.sorted(by: sectionGroup.comesBefore)
      return sections.change(isReset: true) { sections.place(sorted) }
    }
    sectionGroup.take(empty)
    var displaced: [ElementNode]
    repeat {
      displaced = entries.filter(isDisplaced)
      sectionGroup.take(displaced)
    } while !displaced.isEmpty
    sectionGroup.enter(entries)
  }

  private func isDisplaced(_ entry: ElementNode) -> Bool {
    guard entry.order != nil else { return false }
    let index = sections.position(of: entry)
    return index > 0 && sectionGroup.comesBefore(entry, sections.node(at: index - 1))
      || index + 1 < count && sectionGroup.comesBefore(sections.node(at: index + 1), entry)
  }

  override func clear() {
    for order in hasEnded ? Array(orders.values) : [] {
      order.last = order.nodes.map(Self.element)
      // The view keeps its sections now, and would be kept by them.
      order.section?.sectionNode?.sections = nil
    }
    super.clear()
    sections.clear()
    for order in orders.values { order.entry = nil }
    orders = hasEnded ? [:] : orders.filter { $1.section != nil }
  }
}

private final class SectionNode<Key: Hashable, Element>: ViewNode<Element>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  /// Retained, as a view below another view is; nil after its end.
  var sections: LiveArray<LiveSection<Key, Element>>?
  private let order: KeyedOrder<Key, Element>
  private var isFilled = false
  /// The edits since the last update.
  private var edits: [ArrayEdit<Element>] = []
  private let element = ElementViewNode<Element, Element>.element

  init(
    of sections: LiveArray<LiveSection<Key, Element>>, for owner: RegisteredObject,
    _ order: KeyedOrder<Key, Element>
  ) {
    self.sections = sections
    self.order = order
    super.init(owner: owner, of: sections)
  }

  override var hasContents: Bool { isFilled }
  override var elements: [Element] { order.last ?? order.nodes.map(element) }
  override var count: Int { order.count }
  override func element(at index: Int) -> Element { element(order.node(at: index)) }

  func take(_ edits: [ArrayEdit<Element>], in transaction: Transaction) {
    guard isFilled, !edits.isEmpty else { return }
    self.edits += edits
    transaction.markOutdated(self)
  }

  override func update(of owner: AnyObject, in transaction: Transaction) -> [ArrayEdit<Element>] {
    let edits = exchange(&edits, with: [])
    return exchange(&isFilled, with: true) ? edits : [.reset(elements)]
  }

  override var isBehind: Bool { !edits.isEmpty || sections?.node?.isBehind == true }

  override func forgetContents() { if isBehind { (isFilled, edits) = (false, []) } }

  override func releaseContents() {
    super.releaseContents()
    _ = (sections.take(), exchange(&edits, with: []))
  }
}
