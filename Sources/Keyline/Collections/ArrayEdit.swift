/// One edit of an ``ObservableArray``: the removed elements, the inserted elements, and their
/// positions.
///
/// Positions refer to the contents directly before and after this edit, so that edits are replayed
/// one by one:
///
/// ```swift
/// var copy = items.elements
/// _ = items.changes.subscribe(onNext: { edits in
///   for edit in edits { edit.apply(to: &copy) }   // copy == items.elements, always
/// })
/// ```
public enum ArrayEdit<Element> {
  /// Elements were inserted; the first of them is at this index now.
  case insertion([Element], at: Int)
  /// Elements were removed; the first of them was at this index.
  case removal([Element], at: Int)
  /// Elements were replaced by the same number of others, beginning at this index.
  case replacement([Element], with: [Element], at: Int)
  /// An element was removed at the first index, and inserted so that it is at the second index now.
  case move(Element, from: Int, to: Int)
  /// The contents were replaced as a whole. Emitted in place of edits that were not delivered,
  /// because a feedback loop was stopped.
  case reset([Element])

  /// The removed elements, including the element of a move. Empty for a reset, whose removed
  /// elements are not known.
  public var removed: [Element] { parts.removed }

  /// The inserted elements, including the element of a move. For a reset, all elements.
  public var inserted: [Element] { parts.inserted }

  /// The indexes of `removed`, before the edit.
  public var removedRange: Range<Int> { parts.source..<(parts.source + removed.count) }

  /// The indexes of `inserted`, after the edit.
  public var insertedRange: Range<Int> { parts.destination..<(parts.destination + inserted.count) }

  private var parts: (removed: [Element], source: Int, inserted: [Element], destination: Int) {
    switch self {
    case .insertion(let elements, let index): ([], index, elements, index)
    case .removal(let elements, let index): (elements, index, [], index)
    case .replacement(let former, let elements, let index): (former, index, elements, index)
    case .move(let element, let source, let target): ([element], source, [element], target)
    case .reset(let elements): ([], 0, elements, 0)
    }
  }

  /// Whether elements that `removed` does not contain may have changed.
  var isReset: Bool { if case .reset = self { true } else { false } }

  /// The edits that replace `removed` by `inserted`, whose number may differ.
  @inlinable
  static func replacing(_ removed: [Element], with inserted: [Element], at index: Int) -> [Self] {
    let common = Swift.min(removed.count, inserted.count)
    if common == 0 {
      if removed.count > 0 { return [.removal(removed, at: index)] }
      return inserted.count > 0 ? [.insertion(inserted, at: index)] : []
    }
    return [
      .replacement(Array(removed[..<common]), with: Array(inserted[..<common]), at: index)
    ] + replacing(Array(removed[common...]), with: Array(inserted[common...]), at: index + common)
  }

  public var inverse: ArrayEdit? {
    switch self {
    case .move(let element, let source, let target): .move(element, from: target, to: source)
    case .reset: nil
    default: Self.replacing(inserted, with: removed, at: parts.source).first
    }
  }

  /// Applies the edit to `elements`. Edits must be applied in order: the result of each is the
  /// contents to which the next one applies.
  ///
  /// - Errors: an edit that does not fit is reported as `misuse`, and ignored.
  /// - Complexity: O(elements), for the removal and the insertion.
  public func apply(to elements: inout [Element]) {
    guard fits(elements.count) else { return }
    if isReset { elements = [] }
    if removedRange.lowerBound == insertedRange.lowerBound {
      elements.replaceSubrange(removedRange, with: inserted)
    } else {
      elements.removeSubrange(removedRange)
      elements.insert(contentsOf: inserted, at: insertedRange.lowerBound)
    }
  }

  /// Whether the edit can be applied to `count` elements; reports an edit that cannot.
  func fits(_ count: Int) -> Bool {
    if isReset { return true }
    let left = count - removed.count
    if left >= 0, 0...left ~= parts.source, 0...left ~= parts.destination { return true }
    Diagnostics.report(
      .misuse, "\(self) does not fit \(count) elements; it is left out",
      type: "ArrayEdit<\(Element.self)>")
    return false
  }
}

extension ArrayEdit: CollectionEdit {
  /// One change for each edit, with its own indexes.
  public static func changes(of edits: [Self]) -> [PropertyChange<[Element]>] {
    edits.map(\.change)
  }

  public var change: PropertyChange<[Element]> {
    let indexes = RangeSet(removedRange).union(RangeSet(insertedRange))
    return switch self {
    case .insertion: PropertyChange(kind: .insertion, new: inserted, indexes: indexes)
    case .removal: PropertyChange(kind: .removal, old: removed, indexes: indexes)
    case .replacement:
      PropertyChange(kind: .replacement, old: removed, new: inserted, indexes: indexes)
    case .move(_, let source, let destination):
      PropertyChange(
        kind: .movement(from: source, to: destination), old: removed, new: inserted,
        indexes: indexes)
    case .reset: PropertyChange(new: inserted)
    }
  }
}

extension ArrayEdit: Equatable where Element: Equatable {}
extension ArrayEdit: Sendable where Element: Sendable {}
