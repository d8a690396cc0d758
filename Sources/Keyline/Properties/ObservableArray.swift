/// An array that says exactly how it changes.
///
/// ```swift
/// final class Team: ReactiveObject {
///   let members = ObservableArray<Person>()
///   var payroll: Int { members.reduce(0) { $0 + $1.salary } }
/// }
/// team.members.changes.subscribe(onNext: { edits in … })   // insertions, removals, replacements, moves
/// team.members.append(ada)
/// team.observe(\.payroll)                                  // follows the members and their salaries
/// team.observe(\.members.count)
/// ```
///
/// It is a reference: those who share it see the same elements. Reading it is tracked like reading an
/// observed property, and it can be a hop of any chain. The laws of ``ReactiveObject`` hold for it:
/// edits are delivered after they are made (1), in order, those made by observers afterwards (3), and
/// observing does not retain it (4).
///
/// - Note: an index that is out of bounds is an error of the caller's where it is one with `Array`:
///   in subscripts, and in what bears the name of one of `Array`'s methods.
/// - Complexity: that of `Array`, and that of the edits if somebody observes. The elements are never
///   copied for the sake of an observer.
public final class ObservableArray<Element>: ReactiveObject {
  @usableFromInline
  var storage: [Element]
  /// Proof of Unmanaged: the registry keeps the node as long as the array lives.
  @usableFromInline
  var node: Unmanaged<PropertyNode<[ArrayEdit<Element>]>>?
  /// What has been done in the `update(_:)` under way; nil if there is none.
  private var batch: [ArrayEdit<Element>]?

  /// An array of the elements given.
  public init(_ elements: some Sequence<Element>) { storage = Array(elements) }

  /// An empty array.
  public override init() { storage = [] }

  // MARK: Observing

  /// The edits from now on, those of one call together.
  ///
  /// - Timing: after the elements have changed, synchronously, on the mutating thread, in the order
  ///   of the edits. What an observer edits is delivered after what it is being told.
  /// - Lifetime: retains the array not; completes when it dies, and at once if it has died already.
  /// - Complexity: O(size of the edit), and O(observers).
  public var changes: Observable<[ArrayEdit<Element>]> { changes { _ in } }

  /// - Parameter first: what comes before the edits: gets the elements there are then. Edits that it
  ///   causes are delivered.
  func changes(after first: @escaping ([Element]) -> Void) -> Observable<[ArrayEdit<Element>]> {
    Source { [weak self] observer, context in
      guard let self else { return observer.terminate(nil) }
      // Who joins in the middle of a batch is told what comes, not what was.
      if batch != nil { flush(leaving: []) }
      let node = observedNode()
      node.subscribe(Member(observer, in: context, of: node), after: { first(self.storage) })
    }
  }

  private func observedNode() -> PropertyNode<[ArrayEdit<Element>]> {
    if let node { return node.takeUnretainedValue() }
    let made = PropertyNode<[ArrayEdit<Element>]>(owner: self)
    properties.adopt(made)
    node = Unmanaged.passUnretained(made)
    return made
  }

  @usableFromInline
  func track() {
    if let made = trackRead(self, node) { node = made }
  }

  @usableFromInline
  var hasObservers: Bool { node?._withUnsafeGuaranteedRef { $0.hasObservers } ?? false }

  @usableFromInline
  func emit(_ edits: [ArrayEdit<Element>]) {
    guard !edits.isEmpty else { return }
    guard batch == nil else { return batch! += edits }
    node?._withUnsafeGuaranteedRef { $0.deliverStored(edits) }
  }

  // MARK: Editing

  /// Replaces the elements in `range`, by as many, more or fewer: what all other edits are made of.
  public func replaceSubrange(_ range: Range<Int>, with newElements: some Collection<Element>) {
    // Kept until the end: what dies with them may want to use the array.
    let removed = Array(storage[range])
    let inserted = Array(newElements)
    storage.replaceSubrange(range, with: inserted)
    if hasObservers { emit(ArrayEdit.replacing(removed, with: inserted, at: range.lowerBound)) }
  }

  /// Removes the elements at all of `indexes`, in one emission.
  public func removeSubranges(_ indexes: RangeSet<Int>) {
    let removed = indexes.ranges.reversed().map { range in
      ArrayEdit.removal(Array(storage[range]), at: range.lowerBound)
    }
    storage.removeSubranges(indexes)
    if hasObservers { emit(removed) }
  }

  /// Takes the element at `source` out, and puts it in again where its index is `destination`.
  ///
  /// - Errors: an index that is out of bounds is reported as `misuse`, and nothing is moved.
  public func move(from source: Int, to destination: Int) {
    guard storage.indices.contains(source), storage.indices.contains(destination) else {
      return Diagnostics.report(
        .misuse, "no move from \(source) to \(destination) among \(storage.count) elements",
        type: "\(Self.self)")
    }
    guard source != destination else { return }
    let element = storage.remove(at: source)
    storage.insert(element, at: destination)
    if hasObservers { emit([.move(element, from: source, to: destination)]) }
  }

  /// Makes several edits one emission.
  ///
  /// Reading inside gives what there is. A throw leaves what has been done done, and told; an update
  /// inside an update is part of it.
  public func update<Result>(_ body: (ObservableArray) throws -> Result) rethrows -> Result {
    guard batch == nil else { return try body(self) }
    batch = []
    defer { flush(leaving: nil) }
    return try body(self)
  }

  private func flush(leaving next: [ArrayEdit<Element>]?) {
    let edits = batch ?? []
    batch = nil
    emit(edits)
    batch = next
  }

  /// Makes the edits, in one emission.
  ///
  /// - Errors: an edit that does not fit is reported as `misuse`; it and those after it are left out.
  public func apply(_ edits: some Sequence<ArrayEdit<Element>>) {
    update { _ in
      for edit in edits {
        guard edit.fits(storage.count) else { return }
        if case .move(_, let source, let destination) = edit {
          move(from: source, to: destination)
        } else {
          replaceSubrange(edit.removedRange, with: edit.inserted)
        }
      }
    }
  }
}

extension ObservableArray {
  /// Adds an element at the end.
  ///
  /// - Complexity: O(1) amortised, and O(observers).
  @inlinable
  public func append(_ element: Element) {
    storage.append(element)
    if hasObservers { emit([.insertion([element], at: storage.count - 1)]) }
  }

  public func append(contentsOf elements: some Sequence<Element>) {
    insert(contentsOf: Array(elements), at: storage.count)
  }

  public func insert(_ element: Element, at index: Int) {
    insert(contentsOf: CollectionOfOne(element), at: index)
  }

  public func insert(contentsOf elements: some Collection<Element>, at index: Int) {
    replaceSubrange(index..<index, with: elements)
  }

  @discardableResult
  public func remove(at index: Int) -> Element {
    let element = storage[index]
    removeSubrange(index..<(index + 1))
    return element
  }

  public func removeSubrange(_ range: some RangeExpression<Int>) {
    replaceSubrange(range.relative(to: storage), with: EmptyCollection())
  }

  @discardableResult
  public func removeFirst() -> Element { remove(at: 0) }

  @discardableResult
  public func removeLast() -> Element { remove(at: storage.count - 1) }

  @discardableResult
  public func popLast() -> Element? { storage.isEmpty ? nil : removeLast() }

  public func removeAll() { removeSubrange(storage.indices) }

  /// Removes all elements that satisfy `predicate`, in one emission.
  public func removeAll(where predicate: (Element) throws -> Bool) rethrows {
    removeSubranges(try storage.indices(where: predicate))
  }
}

// MARK: Reading

extension ObservableArray: RandomAccessCollection {
  /// The elements, as a plain array: O(1), and the next edit copies them if it is still kept then.
  @inlinable
  public var elements: [Element] {
    if isTracking() { track() }
    return storage
  }

  @inlinable
  public var startIndex: Int { 0 }

  @inlinable
  public var endIndex: Int {
    if isTracking() { track() }
    return storage.count
  }

  @inlinable
  public subscript(index: Int) -> Element {
    get {
      if isTracking() { track() }
      return storage[index]
    }
    set {
      let former = storage[index]
      storage[index] = newValue
      if hasObservers { emit([.replacement([former], with: [newValue], at: index)]) }
      // As in replaceSubrange.
      withExtendedLifetime(former) {}
    }
    _modify {
      let former = hasObservers ? storage[index] : nil
      defer {
        if let former { emit([.replacement([former], with: [storage[index]], at: index)]) }
      }
      yield &storage[index]
    }
  }

  @inlinable
  public subscript(range: Range<Int>) -> ArraySlice<Element> {
    get { elements[range] }
    set { replaceSubrange(range, with: newValue) }
  }

  /// Iterates over the elements there are now: the loop may edit the array.
  @inlinable
  public func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }

  @inlinable
  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<Element>) throws -> Result
  ) rethrows -> Result? {
    try elements.withContiguousStorageIfAvailable(body)
  }
}

extension ObservableArray: ExpressibleByArrayLiteral {
  public convenience init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension ObservableArray: Equatable where Element: Equatable {
  public static func == (left: ObservableArray, right: ObservableArray) -> Bool {
    left.elements == right.elements
  }
}

extension ObservableArray: CustomStringConvertible, CustomReflectable {
  public var description: String { elements.description }

  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: elements, displayStyle: .collection)
  }
}

extension ObservableArray: Encodable where Element: Encodable {
  public func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
}

extension ObservableArray: Decodable where Element: Decodable {
  public convenience init(from decoder: any Decoder) throws {
    self.init(try [Element](from: decoder))
  }
}
