/// One edit of an ``ObservableArray``: the elements removed, the elements inserted, and their
/// indexes.
///
/// Indexes are those of the contents the edit is made on, so that edits are replayed one by one:
///
/// ```swift
/// var copy = items.elements
/// _ = items.changes.subscribe(onNext: { edits in
///   for edit in edits { edit.apply(to: &copy) }   // copy == items.elements, always
/// })
/// ```
public enum ArrayEdit<Element> {
  /// Elements were inserted; the first of them has the index now.
  case insertion([Element], at: Int)
  /// Elements were removed; the first of them had the index.
  case removal([Element], at: Int)
  /// Elements were replaced by as many others, from the index on.
  case replacement([Element], with: [Element], at: Int)
  /// An element was removed at one index and inserted where its index is the other.
  case move(Element, from: Int, to: Int)
  /// The contents were replaced as a whole, whatever they were. Emitted when edits have been left
  /// out, because a feedback loop was stopped.
  case reset([Element])

  /// The elements removed; that of a move is one of them. Empty for a reset: they are not known.
  public var removed: [Element] { parts.removed }

  /// The elements inserted; that of a move is one of them. All elements for a reset.
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
    case .move(let element, let source, let destination):
      ([element], source, [element], destination)
    case .reset(let elements): ([], 0, elements, 0)
    }
  }

  /// Whether elements may have changed that `removed` does not contain.
  var isReset: Bool { if case .reset = self { true } else { false } }

  /// The edits by which `inserted`, which may be more or fewer, replace `removed`.
  @inlinable
  static func replacing(_ removed: [Element], with inserted: [Element], at index: Int) -> [Self] {
    let common = Swift.min(removed.count, inserted.count)
    let edits: [Self] = [
      .replacement(Array(removed[..<common]), with: Array(inserted[..<common]), at: index),
      .removal(Array(removed[common...]), at: index + common),
      .insertion(Array(inserted[common...]), at: index + common),
    ]
    return edits.filter { !$0.removed.isEmpty || !$0.inserted.isEmpty }
  }

  /// Makes the edit on `elements`. Edits are made one after the other, in order: the contents they were made
  /// on become the contents they led to.
  ///
  /// - Errors: an edit that does not fit is reported as `misuse`, and left out.
  /// - Complexity: that of the insertion and the removal.
  public func apply(to elements: inout [Element]) {
    let (removed, source, inserted, destination) = parts
    guard !isReset else {
      elements = inserted
      return
    }
    guard 0...elements.count ~= source, removed.count <= elements.count - source,
      0...(elements.count - removed.count) ~= destination
    else {
      return Diagnostics.report(
        .misuse, "\(self) does not fit \(elements.count) elements; it is left out",
        type: "ArrayEdit<\(Element.self)>")
    }
    guard source != destination else {
      return elements.replaceSubrange(removedRange, with: inserted)
    }
    elements.removeSubrange(removedRange)
    elements.insert(contentsOf: inserted, at: destination)
  }
}

extension ArrayEdit: CustomDebugStringConvertible {
  /// `insertion([2], at: 1)`, also as an element of an array.
  public var debugDescription: String {
    switch self {
    case .insertion(let elements, let index): "insertion(\(elements), at: \(index))"
    case .removal(let elements, let index): "removal(\(elements), at: \(index))"
    case .replacement(let former, let elements, let index):
      "replacement(\(former), with: \(elements), at: \(index))"
    case .move(let element, let source, let destination):
      "move(\(String(reflecting: element)), from: \(source), to: \(destination))"
    case .reset(let elements): "reset(\(elements))"
    }
  }
}

extension ArrayEdit: Equatable where Element: Equatable {}
extension ArrayEdit: Sendable where Element: Sendable {}
