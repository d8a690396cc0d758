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
/// observed property, and it can be a hop of any chain. The laws of ``ReactiveObject`` hold for its
/// edits: they are delivered after they are made (1), in order, those made by observers afterwards (3),
/// and observing does not retain it (4). An expression that reads it is evaluated on what there is then.
///
/// To sort it, replace the elements: `items.replaceSubrange(0..<items.count, with: items.sorted())`.
///
/// - Note: an index that is out of bounds is an error of the caller's where it is one with `Array`:
///   in subscripts, and in what bears the name of one of `Array`'s methods.
/// - Complexity: that of `Array`, and that of the edits if somebody observes. The elements are never
///   copied for the sake of an observer.
public final class ObservableArray<Element>: ReactiveObject {
  @usableFromInline var storage: [Element]
  /// Proof of Unmanaged: the registry keeps the node as long as the array lives.
  @usableFromInline var node: Unmanaged<PropertyNode<[ArrayEdit<Element>]>>?
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
  /// - Lifetime: does not retain the array; completes when it dies, and at once if it has died already.
  /// - Complexity: O(size of the edit), and O(observers).
  public var changes: Observable<[ArrayEdit<Element>]> { contents.skip(1) }

  /// The edits, after the elements there are, as an insertion: nothing gets lost in between.
  var contents: Observable<[ArrayEdit<Element>]> {
    Source { [weak self] observer, context in
      guard let self else { return observer.terminate(nil) }
      // Who joins in the middle of a batch is told what comes, not what was.
      if batch != nil { flush(leaving: []) }
      let node = observedNode()
      node.subscribe(Member(observer, in: context, of: node)) {
        observer.next([.insertion(self.storage, at: 0)])
      }
    }
  }

  private func observedNode() -> PropertyNode<[ArrayEdit<Element>]> {
    if let node { return node.takeUnretainedValue() }
    let made = properties.adopt(PropertyNode<[ArrayEdit<Element>]>(owner: self))
    node = Unmanaged.passUnretained(made)
    return made
  }

  /// Before every edit, and before a batch of them.
  @usableFromInline func willEdit() {
    if batch == nil { _ = node?._withUnsafeGuaranteedRef { $0.willModify() } }
  }

  /// After every edit.
  @usableFromInline func didEdit(_ edits: [ArrayEdit<Element>]) {
    guard let node = node?.takeUnretainedValue() else { return }
    node.sets &+= 1
    guard node.hasObservers, !edits.isEmpty else { return }
    guard batch == nil else { return batch! += edits }
    node.didSet(edits, identify: { \ObservableArray.changes })
  }

  // MARK: Editing

  /// Replaces the elements in `range`, by as many, more or fewer: what all other edits are made of.
  @inlinable
  public func replaceSubrange(_ range: Range<Int>, with newElements: some Collection<Element>) {
    let inserted = Array(newElements)
    willEdit()
    // Kept until the end: what dies with them may want to use the array.
    let removed = Array(storage[range])
    storage.replaceSubrange(range, with: inserted)
    if node != nil { didEdit(ArrayEdit.replacing(removed, with: inserted, at: range.lowerBound)) }
    withExtendedLifetime(removed) {}
  }

  /// Removes the elements at all of `indexes`, in one emission.
  public func removeSubranges(_ indexes: RangeSet<Int>) {
    willEdit()
    let removed = indexes.ranges.reversed().map { range in
      ArrayEdit.removal(Array(storage[range]), at: range.lowerBound)
    }
    storage.removeSubranges(indexes)
    didEdit(removed)
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
    willEdit()
    let element = storage.remove(at: source)
    storage.insert(element, at: destination)
    didEdit([.move(element, from: source, to: destination)])
  }

  /// Makes several edits one emission.
  ///
  /// Reading inside gives what there is. A throw leaves what has been done done, and told; an update
  /// inside an update is part of it.
  public func update<Result>(_ body: (ObservableArray) throws -> Result) rethrows -> Result {
    guard batch == nil else { return try body(self) }
    willEdit()
    batch = []
    defer { flush(leaving: nil) }
    return try body(self)
  }

  private func flush(leaving next: [ArrayEdit<Element>]?) {
    let edits = batch ?? []
    batch = nil
    didEdit(edits)
    batch = next
  }
}

extension ObservableArray {
  /// Adds an element at the end.
  ///
  /// - Complexity: O(1) amortised, and O(observers).
  @inlinable public func append(_ element: Element) {
    guard node == nil else { return insert(element, at: storage.count) }
    storage.append(element)
  }

  @inlinable public func append(contentsOf elements: some Sequence<Element>) {
    insert(contentsOf: Array(elements), at: storage.count)
  }

  @inlinable public func insert(_ element: Element, at index: Int) {
    insert(contentsOf: CollectionOfOne(element), at: index)
  }

  @inlinable public func insert(contentsOf elements: some Collection<Element>, at index: Int) {
    replaceSubrange(index..<index, with: elements)
  }

  @inlinable @discardableResult public func remove(at index: Int) -> Element {
    let element = storage[index]
    removeSubrange(index..<(index + 1))
    return element
  }

  @inlinable public func removeSubrange(_ range: some RangeExpression<Int>) {
    replaceSubrange(range.relative(to: storage), with: EmptyCollection())
  }

  @inlinable @discardableResult public func removeFirst() -> Element { remove(at: 0) }

  @inlinable @discardableResult
  public func removeLast() -> Element { remove(at: storage.count - 1) }

  @inlinable @discardableResult
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
  @inlinable public var elements: [Element] {
    if isTracking(), let made = trackRead(self, node) { node = made }
    return storage
  }

  @inlinable public var startIndex: Int { 0 }

  @inlinable public var endIndex: Int { elements.count }

  @inlinable public subscript(index: Int) -> Element {
    get { elements[index] }
    set { replaceSubrange(index..<(index + 1), with: CollectionOfOne(newValue)) }
    _modify {
      willEdit()
      let former = node == nil ? nil : storage[index]
      defer {
        if let former { didEdit([.replacement([former], with: [storage[index]], at: index)]) }
      }
      yield &storage[index]
    }
  }

  @inlinable public subscript(range: Range<Int>) -> ArraySlice<Element> {
    get { elements[range] }
    set { replaceSubrange(range, with: newValue) }
  }

  /// Iterates over the elements there are now: the loop may edit the array.
  @inlinable public func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }
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
