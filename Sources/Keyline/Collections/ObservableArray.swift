/// An array that emits exact edits.
///
/// ```swift
/// final class Team: ReactiveObject {
///   let members = ObservableArray<Person>()
///   var payroll: Int { members.reduce(0) { $0 + $1.salary } }
/// }
/// let team = Team()
/// _ = team.members.changes.subscribe(onNext: { print($0.count) })   // insertions, removals, moves
/// _ = team.observe(\.payroll)       // follows the members and their salaries
/// _ = team.observe(\.members.count)
/// team.members.append(Person())
/// ```
/// ```text
/// 1
/// ```
///
/// The array is a reference to mutable contents. For the laws of edits and of feedback loops, see
/// ``ObservableCollection``; for live views that follow the array, ``LiveArray``.
///
/// - Note: as with `Array`, an index out of bounds is a precondition failure in the subscripts, and
///   in methods that `Array` has, too. ``move(from:to:)``, which `Array` does not have, reports the
///   index.
/// - Complexity: as for `Array`, plus O(size of the edit) if the array is observed. Observing never
///   copies all elements.
public final class ObservableArray<Element>: LiveArray<Element> {
  /// Creates an array of the given elements.
  public init(_ elements: some Sequence<Element>) { super.init(storage: Array(elements)) }

  /// Creates an empty array.
  public init() { super.init(storage: []) }

  /// Allocates space for `minimumCapacity` elements, so that appending them does not copy the
  /// array.
  public func reserveCapacity(_ minimumCapacity: Int) { storage.reserveCapacity(minimumCapacity) }

  /// The element at `index`. Setting it, or changing it in place, is one edit; using the array
  /// during a change in place traps (P1).
  @inlinable public override subscript(index: Int) -> Element {
    get { isTracking() ? read(at: index) : storage[index] }
    set { replaceSubrange(index..<(index + 1), with: CollectionOfOne(newValue)) }
    _modify {
      guard node != nil else {
        yield &storage[index]
        return
      }
      willModify()
      let former = storage[index]
      defer { didModify(former, at: index) }
      yield &storage[index]
    }
  }

  /// Called after an in-place access.
  @usableFromInline func didModify(_ former: Element, at index: Int) {
    didEdit([.replacement([former], with: [storage[index]], at: index)])
    Transaction.current.close()
  }

  // MARK: Editing

  /// Replaces the elements in `range`, whose number may change.
  @inlinable public func replaceSubrange(
    _ range: some RangeExpression<Int>, with newElements: some Collection<Element>
  ) { edit { (range.relative(to: $0), Array(newElements)) } }

  /// Replaces a range of elements by others. Most edits call this method.
  ///
  /// - Parameter change: finds both in the elements, which an observer of the announcement may have edited.
  /// - Returns: the removed elements. To release them may run a deinit that uses the array.
  @inlinable @discardableResult
  func edit(_ change: ([Element]) throws -> (Range<Int>, [Element])) rethrows -> [Element] {
    willEdit()
    var edits: [ArrayEdit<Element>] = []
    defer { didEdit(edits) }
    let (range, inserted) = try change(storage)
    let removed = Array(storage[range])
    storage.replaceSubrange(range, with: inserted)
    if node != nil { edits = ArrayEdit.replacing(removed, with: inserted, at: range.lowerBound) }
    return removed
  }

  /// Removes the elements at all `indexes`, in one emission.
  public func removeSubranges(_ indexes: RangeSet<Int>) { remove { indexes } }

  /// - Parameter indexes: finds the indexes after the edit has been announced.
  private func remove(_ indexes: () throws -> RangeSet<Int>) rethrows {
    willEdit()
    var edits: [ArrayEdit<Element>] = []
    defer { didEdit(edits) }
    let indexes = try indexes()
    edits = indexes.ranges.reversed().map { range in
      ArrayEdit.removal(Array(storage[range]), at: range.lowerBound)
    }
    storage.removeSubranges(indexes)
  }

  /// Removes the element at `source`, and inserts it so that it is at `destination` afterwards.
  ///
  /// - Errors: an index that is out of bounds is reported as `misuse`, and nothing is moved.
  public func move(from source: Int, to destination: Int) {
    guard storage.indices.contains(source), storage.indices.contains(destination) else {
      return Diagnostics.report(
        .misuse, "no move from \(source) to \(destination) among \(storage.count) elements",
        type: "\(Self.self)")
    }
    guard source != destination else { return }
    willEdit()
    let element = storage.remove(at: source)
    storage.insert(element, at: destination)
    didEdit([.move(element, from: source, to: destination)])
  }

  /// Makes `edit`, as another array has emitted it, or its inverse.
  ///
  /// - Errors: an edit that does not fit is reported as `misuse`, and ignored.
  public func apply(_ edit: ArrayEdit<Element>) {
    guard edit.fits(storage.count) else { return }
    if case .move(_, let source, let destination) = edit {
      move(from: source, to: destination)
    } else {
      replaceSubrange(edit.isReset ? storage.indices : edit.removedRange, with: edit.inserted)
    }
  }

  /// Makes all edits in `body` one emission, like `batchUpdates`.
  ///
  /// Reads inside give the current elements. If `body` throws, the edits made so far remain, and
  /// are emitted. An update inside an update is part of it.
  public func update<Result>(_ body: (ObservableArray) throws -> Result) rethrows -> Result {
    try batchUpdates { try body(self) }
  }
}

extension ObservableArray {
  /// The elements in `range`. Setting them is one edit.
  @inlinable public subscript(range: some RangeExpression<Int>) -> ArraySlice<Element> {
    get { elements[range] }
    set { replaceSubrange(range, with: newValue) }
  }

  /// Adds an element at the end.
  ///
  /// - Complexity: O(1) amortised, and O(observers).
  @inlinable public func append(_ element: Element) {
    if node == nil { storage.append(element) } else { append(contentsOf: CollectionOfOne(element)) }
  }

  /// Adds elements at the end: one edit.
  @inlinable public func append(contentsOf elements: some Sequence<Element>) {
    edit { ($0.endIndex..<$0.endIndex, Array(elements)) }
  }

  /// Adds elements at the end: one edit. The left operand may be a constant, because the array is
  /// an object.
  @inlinable public static func += (array: ObservableArray, elements: some Sequence<Element>) {
    array.append(contentsOf: elements)
  }

  /// Inserts an element before `index`.
  @inlinable public func insert(_ element: Element, at index: Int) {
    insert(contentsOf: CollectionOfOne(element), at: index)
  }

  /// Inserts elements before `index`: one edit.
  @inlinable public func insert(contentsOf elements: some Collection<Element>, at index: Int) {
    replaceSubrange(index..<index, with: elements)
  }

  /// Removes and returns the element at `index`.
  @inlinable @discardableResult public func remove(at index: Int) -> Element {
    edit { _ in (index..<(index + 1), []) }[0]
  }

  /// Removes the elements in `range`: one edit.
  @inlinable public func removeSubrange(_ range: some RangeExpression<Int>) {
    replaceSubrange(range, with: EmptyCollection())
  }

  /// Removes and returns the first element.
  @inlinable @discardableResult public func removeFirst() -> Element { remove(at: 0) }

  /// Removes and returns the last element.
  @inlinable @discardableResult
  public func removeLast() -> Element { edit { (($0.count - 1)..<$0.count, []) }[0] }

  /// Removes and returns the last element; returns nil if the array is empty.
  @inlinable @discardableResult
  public func popLast() -> Element? { edit { ($0.suffix(1).indices, []) }.first }

  /// Removes the first `count` elements: one edit.
  @inlinable public func removeFirst(_ count: Int) { removeSubrange(..<count) }

  /// Removes the last `count` elements: one edit.
  @inlinable public func removeLast(_ count: Int) { edit { (($0.count - count)..<$0.count, []) } }

  /// Removes all elements: one edit.
  public func removeAll(keepingCapacity: Bool = false) {
    removeSubrange(0...)
    // An observer may have inserted elements.
    if storage.isEmpty, !keepingCapacity { storage = [] }
  }

  /// Removes all elements that satisfy `predicate`, in one emission.
  public func removeAll(where predicate: (Element) throws -> Bool) rethrows {
    try remove {
      RangeSet(try storage.indices.filter { try predicate(storage[$0]) }, within: storage)
    }
  }
}
