/// One edit of an ``ObservableArray``: what went, what came, and where.
///
/// Indexes are those of the contents the edit is made on, so that edits are replayed one by one:
///
/// ```swift
/// var copy = items.elements
/// items.changes.subscribe(onNext: { copy.apply($0) })   // copy == items.elements, always
/// ```
public enum ArrayEdit<Element> {
  /// The elements stand at the index and after it now; what stood there has moved up.
  case insertion([Element], at: Int)
  /// The elements stood at the index and after it; what stood behind them has moved down.
  case removal([Element], at: Int)
  /// As many elements have taken the places of others, from the index on.
  case replacement([Element], with: [Element], at: Int)
  /// The element has left one index, and stands at the other now.
  case move(Element, from: Int, to: Int)

  /// The elements that went from where they were; that of a move is one of them.
  public var removed: [Element] { parts.removed }

  /// The elements that came to where they are; that of a move is one of them.
  public var inserted: [Element] { parts.inserted }

  /// Where the removed elements stood, before the edit.
  public var removedRange: Range<Int> { parts.source..<(parts.source + removed.count) }

  /// Where the inserted elements stand, after the edit.
  public var insertedRange: Range<Int> { parts.destination..<(parts.destination + inserted.count) }

  private var parts: (removed: [Element], source: Int, inserted: [Element], destination: Int) {
    switch self {
    case .insertion(let elements, let index): ([], index, elements, index)
    case .removal(let elements, let index): (elements, index, [], index)
    case .replacement(let former, let elements, let index): (former, index, elements, index)
    case .move(let element, let source, let destination):
      ([element], source, [element], destination)
    }
  }

  /// What is done when `inserted` take the places of `removed`, which may be more or fewer.
  @inlinable
  static func replacing(_ removed: [Element], with inserted: [Element], at index: Int) -> [Self] {
    if removed.isEmpty { return inserted.isEmpty ? [] : [.insertion(inserted, at: index)] }
    if inserted.isEmpty { return [.removal(removed, at: index)] }
    let common = Swift.min(removed.count, inserted.count)
    let edits: [Self] = [
      .replacement(Array(removed[..<common]), with: Array(inserted[..<common]), at: index),
      .removal(Array(removed[common...]), at: index + common),
      .insertion(Array(inserted[common...]), at: index + common),
    ]
    return edits.filter { !$0.removed.isEmpty || !$0.inserted.isEmpty }
  }

  /// Whether the edit can be made on so many elements; if not, that is reported.
  func fits(_ count: Int) -> Bool {
    let (removed, source, _, destination) = parts
    let fits =
      0...count ~= source && removed.count <= count - source
      && 0...(count - removed.count) ~= destination
    if !fits {
      Diagnostics.report(
        .misuse, "\(self) does not fit \(count) elements; what follows is left out",
        type: "ArrayEdit<\(Element.self)>")
    }
    return fits
  }
}

extension ArrayEdit: Equatable where Element: Equatable {}
extension ArrayEdit: Sendable where Element: Sendable {}

extension Array {
  /// Makes the edits, one after the other: the contents they were made on become the contents they
  /// led to.
  ///
  /// - Errors: an edit that does not fit is reported as `misuse`; it and those after it are left out.
  /// - Complexity: that of the insertions and removals.
  public mutating func apply(_ edits: some Sequence<ArrayEdit<Element>>) {
    for edit in edits {
      guard edit.fits(count) else { return }
      if case .move(_, let source, let destination) = edit {
        insert(remove(at: source), at: destination)
      } else {
        replaceSubrange(edit.removedRange, with: edit.inserted)
      }
    }
  }
}
