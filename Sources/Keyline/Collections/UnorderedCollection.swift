/// The base class of ``ObservableDictionary`` and ``ObservableSet``.
public class UnorderedCollection<Edit: CollectionEdit>: ObservableCollection<Edit>
where Edit.Contents: Collection {
  final var storage: Edit.Contents

  init(storage: Edit.Contents) {
    self.storage = storage
    super.init()
  }

  final override var snapshot: Edit.Contents { storage }

  /// The contents, as a plain dictionary or set: O(1). If the result is still retained at the next edit,
  /// that edit copies all contents.
  public final var contents: Edit.Contents {
    track()
    return storage
  }

  /// Makes the edits. They retain the removed elements, whose release may run a deinit that uses the collection.
  @discardableResult final func make(_ edits: @autoclosure () -> [Edit]) -> [Edit] {
    willEdit()
    let edits = edits()
    for edit in edits { edit.apply(to: &storage) }
    didEdit(edits)
    return edits
  }
}

extension UnorderedCollection: Collection {
  public var startIndex: Edit.Contents.Index { contents.startIndex }
  public var endIndex: Edit.Contents.Index { contents.endIndex }
  public var count: Int { contents.count }
  public func index(after index: Edit.Contents.Index) -> Edit.Contents.Index {
    contents.index(after: index)
  }
  public subscript(index: Edit.Contents.Index) -> Edit.Contents.Element { contents[index] }
  public func makeIterator() -> Edit.Contents.Iterator { contents.makeIterator() }
}

extension UnorderedCollection: CustomStringConvertible {
  public var description: String { "\(contents)" }
}
