/// One edit of an ``ObservableSet``.
public enum SetEdit<Element: Hashable>: Hashable {
  /// An element was inserted.
  case insertion(Element)
  /// An element was removed.
  case removal(Element)
  /// The contents were replaced as a whole. Emitted in place of edits that were not delivered,
  /// because a feedback loop was stopped.
  case reset(Set<Element>)
}

extension SetEdit: CollectionEdit {
  /// Applies the edit to a copy of the contents.
  public func apply(to contents: inout Set<Element>) {
    switch self {
    case .insertion(let element): contents.insert(element)
    case .removal(let element): contents.remove(element)
    case .reset(let all): contents = all
    }
  }

  public var inverse: SetEdit? {
    switch self {
    case .insertion(let element): .removal(element)
    case .removal(let element): .insertion(element)
    case .reset: nil
    }
  }

  public var change: PropertyChange<Set<Element>> {
    switch self {
    case .insertion(let element): PropertyChange(kind: .insertion, new: [element])
    case .removal(let element): PropertyChange(kind: .removal, old: [element])
    case .reset(let all): PropertyChange(new: all)
    }
  }
}

extension SetEdit: Sendable where Element: Sendable {}

/// A set that emits exact edits.
///
/// ```swift
/// let selection: ObservableSet = ["a"]
/// _ = selection.changes.subscribe(onNext: { print($0) })
/// selection.insert("b")
/// selection.insert("b")
/// selection.formSymmetricDifference(["a"])
/// ```
/// ```text
/// [insertion("b")]
/// [removal("a")]
/// ```
///
/// The set is a reference to mutable contents. For the laws of edits and of feedback loops, see
/// ``ObservableCollection``. A computed property that reads it depends on all of it.
///
/// - Complexity: as for `Set`, plus O(observers) per edit.
public final class ObservableSet<Element: Hashable>: UnorderedCollection<SetEdit<Element>> {
  /// Creates a set of the given elements.
  public init(_ elements: some Sequence<Element>) { super.init(storage: Set(elements)) }

  /// Creates an empty set.
  public convenience init() { self.init(EmptyCollection()) }

  /// Whether the set contains `element`.
  public func contains(_ element: Element) -> Bool { contents.contains(element) }

  /// Emits whether the set contains `element`, and again after each emission that edits it.
  ///
  /// - Timing and lifetime: as for ``ObservableCollection/changes``.
  public func observe(_ element: Element) -> Observable<Bool> {
    values({ $0.contains(element) }) { edits in
      edits.map(\.change).last { $0.kind == .setting || ($0.old ?? $0.new) == [element] }
        .map { $0.new?.contains(element) == true }
    }
    .named()
  }

  /// Inserts an element. Returns false, without an edit, if the set contains it.
  @discardableResult public func insert(_ element: Element) -> Bool {
    !make(storage.contains(element) ? [] : [.insertion(element)]).isEmpty
  }

  /// Removes an element. Returns false, without an edit, if the set does not contain it.
  @discardableResult public func remove(_ element: Element) -> Bool {
    // The stored element, which need not be identical.
    !make(storage.firstIndex(of: element).map { [.removal(storage[$0])] } ?? []).isEmpty
  }

  /// Inserts all elements that the set does not contain: one emission.
  public func formUnion(_ elements: some Sequence<Element>) {
    batchUpdates { for element in elements { insert(element) } }
  }

  /// Removes the elements that the set contains: one emission.
  public func subtract(_ elements: some Sequence<Element>) {
    batchUpdates { for element in elements { remove(element) } }
  }

  /// Removes the elements that are not among `elements`: one emission.
  public func formIntersection(_ elements: some Sequence<Element>) {
    subtract(storage.subtracting(elements))
  }

  /// Removes the elements that the set contains, and inserts the others: one emission.
  public func formSymmetricDifference(_ elements: some Sequence<Element>) {
    batchUpdates { for element in Set(elements) { if !remove(element) { insert(element) } } }
  }

  /// Removes all elements: one emission.
  public func removeAll() { subtract(storage) }

  /// Makes `edit`, as another set has emitted it, or its inverse.
  public func apply(_ edit: SetEdit<Element>) {
    switch edit {
    case .insertion(let element): insert(element)
    case .removal(let element): remove(element)
    case .reset(let all): formSymmetricDifference(all.symmetricDifference(storage))
    }
  }
}

extension ObservableSet: ExpressibleByArrayLiteral {
  public convenience init(arrayLiteral elements: Element...) { self.init(elements) }
}
