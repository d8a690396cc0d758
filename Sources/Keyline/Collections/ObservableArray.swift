// Collections: observable arrays, their edits, the changes of array properties, and properties of
// the elements.

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
/// The array is a reference to mutable contents. A read is recorded like a read of an observed
/// property, and any chain can lead through the array. The laws of ``ReactiveObject`` hold for
/// edits: they are delivered after they are made (P1), in order, and edits made by observers follow
/// (P3); observing does not retain the array (P5). A computed property that reads the array is
/// evaluated on the current elements.
///
/// A feedback loop, in which each delivery causes the next edit, is stopped after
/// `Diagnostics.feedbackLimit` rounds and reported. One ``ArrayEdit/reset(_:)`` replaces the
/// deliveries that are left out. An edit made during the delivery of that reset is not delivered;
/// the next edit is then delivered as a reset.
///
/// - Note: as with `Array`, an index out of bounds is a precondition failure in the subscripts, and
///   in methods that `Array` has, too. ``move(from:to:)``, which `Array` does not have, reports the
///   index.
/// - Complexity: as for `Array`, plus O(size of the edit) if the array is observed. Observing never
///   copies all elements.
public final class ObservableArray<Element>: ReactiveObject {
  @usableFromInline var storage: [Element]
  @usableFromInline var node: ArrayNode<Element>?

  /// Creates an array of the given elements.
  public init(_ elements: some Sequence<Element>) { storage = Array(elements) }

  /// Creates an array that contains the same element `count` times.
  public convenience init(repeating element: Element, count: Int) {
    self.init(repeatElement(element, count: count))
  }

  /// Creates an empty array.
  public override init() { storage = [] }

  /// Allocates space for `minimumCapacity` elements, so that appending them does not copy the
  /// array.
  public func reserveCapacity(_ minimumCapacity: Int) { storage.reserveCapacity(minimumCapacity) }

  public override final var customMirror: Mirror {
    Mirror(self, unlabeledChildren: elements, displayStyle: .collection)
  }

  // MARK: Observing

  /// The edits from the time of subscription on; the edits of one call are one emission.
  ///
  /// - Timing: after the elements have changed, synchronously, on the mutating thread, in the order
  ///   of the edits. An edit made by an observer is delivered after the delivery under way.
  /// - Lifetime: does not retain the array; completes when the array dies, or at once if it is dead
  ///   already.
  /// - Complexity: O(size of the edit), and O(observers).
  public var changes: Observable<[ArrayEdit<Element>]> { contents.skip(1).named() }

  /// Emits the current elements as an insertion, and then the edits.
  var contents: Observable<[ArrayEdit<Element>]> {
    Source { [weak self] observer, context in
      guard let self else { return observer.terminate(nil) }
      let transaction = Transaction.current
      transaction.perform {
        let node = observedNode()
        node.owner.use(in: transaction)
        let later = skippingEdits(observer)
        node.join(
          PropertyObserver(node, context, terminate: later.terminate, next: later.next),
          in: transaction, with: self.storage
        ) { observer.next([.insertion(self.storage, at: 0)]) }
      }
    }
  }

  /// A new observer must not receive the edits that the open batch has made before it joined.
  private func skippingEdits(
    _ observer: AnyObserver<[ArrayEdit<Element>]>
  ) -> AnyObserver<[ArrayEdit<Element>]> {
    guard var past = node?.batch.count, past > 0 else { return observer }
    return observer.withNext { edits in
      let rest = edits.contains { $0.isReset } ? edits[...] : edits.dropFirst(past)
      past = 0
      if !rest.isEmpty { observer.next(Array(rest)) }
    }
  }

  private func observedNode() -> ArrayNode<Element> {
    if let node { return node }
    let object = properties.contents
    _ = object.register(self)
    let made = ArrayNode<Element>(of: object)
    object.add(made)
    node = made
    return made
  }

  /// Called before every edit.
  @usableFromInline func willEdit() {
    if let node, Transaction.areAnnouncementsWanted { Transaction.current.announce(node) }
  }

  /// Called after every edit.
  @usableFromInline func didEdit(_ edits: [ArrayEdit<Element>]) {
    guard let node else { return }
    // Sets made by observers of the announcement settle here, even without an edit.
    guard !edits.isEmpty else { return Transaction.current.perform {} }
    if node.isObserved { node.batch += edits }
    // In a batch, the node takes all edits at the end of the batch.
    let isBatched = Transaction.current.batchLevel > 0
    node.changed(to: isBatched ? [] : node.takeEdits(of: self), from: nil)
  }

  /// Called before an in-place access: opens the transaction, so that computed properties are
  /// evaluated after all accesses have ended, including accesses to other properties.
  @usableFromInline func willModify() {
    Transaction.current.depth += 1
    willEdit()
  }

  /// Called after an in-place access.
  @usableFromInline func didModify(_ former: Element, at index: Int) {
    didEdit([.replacement([former], with: [storage[index]], at: index)])
    Transaction.current.close()
  }

  // MARK: Editing

  /// Replaces the elements in `range`, whose number may change. Most other edits call this method.
  @inlinable
  public func replaceSubrange(_ range: Range<Int>, with newElements: some Collection<Element>) {
    let inserted = Array(newElements)
    willEdit()
    // Retained until the end, because releasing the elements may run a deinit that uses the array.
    let removed = Array(storage[range])
    storage.replaceSubrange(range, with: inserted)
    if node != nil { didEdit(ArrayEdit.replacing(removed, with: inserted, at: range.lowerBound)) }
    withExtendedLifetime(removed) {}
  }

  /// Removes the elements at all `indexes`, in one emission.
  public func removeSubranges(_ indexes: RangeSet<Int>) {
    willEdit()
    let removed = indexes.ranges.reversed().map { range in
      ArrayEdit.removal(Array(storage[range]), at: range.lowerBound)
    }
    storage.removeSubranges(indexes)
    didEdit(removed)
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

  /// Makes all edits in `body` one emission, like `batchUpdates`.
  ///
  /// Reads inside give the current elements. If `body` throws, the edits made so far remain, and
  /// are emitted. An update inside an update is part of it.
  public func update<Result>(_ body: (ObservableArray) throws -> Result) rethrows -> Result {
    try batchUpdates { try body(self) }
  }
}

/// The node of an array. Its values are edits.
@usableFromInline
final class ArrayNode<Element>: PropertyNode<[ArrayEdit<Element>]>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  /// The edits made in the open batch.
  fileprivate var batch: [ArrayEdit<Element>] = []
  /// Whether an edit made after a feedback loop was stopped has not been delivered.
  private var hasMissedEdit = false

  init(of object: RegisteredObject) { super.init(owner: object) }

  /// Removes and returns the edits that have not been delivered. If an edit was left out after a
  /// loop, returns a reset instead.
  fileprivate func takeEdits(of array: ObservableArray<Element>) -> [ArrayEdit<Element>] {
    let edits = batch
    batch = []
    guard hasMissedEdit, !delivery.contains(.underWay) else { return edits }
    hasMissedEdit = false
    return [.reset(array.storage)]
  }

  /// All edits of the batch being delivered.
  override func currentValue(of owner: AnyObject, in transaction: Transaction)
    -> [ArrayEdit<Element>]?
  {
    (owner as? ObservableArray<Element>).map(takeEdits)
  }

  override func valueAfterLoop(_ edits: [ArrayEdit<Element>]) -> [ArrayEdit<Element>] {
    guard let array = owner.object as? ObservableArray<Element> else { return edits }
    return [.reset(array.storage)]
  }

  override func didLeaveOut() { hasMissedEdit = true }
}

extension ObservableArray {
  /// Adds an element at the end.
  ///
  /// - Complexity: O(1) amortised, and O(observers).
  @inlinable public func append(_ element: Element) {
    guard node == nil else { return insert(element, at: storage.count) }
    storage.append(element)
  }

  /// Adds elements at the end: one edit.
  @inlinable public func append(contentsOf elements: some Sequence<Element>) {
    insert(contentsOf: Array(elements), at: storage.count)
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
    let element = storage[index]
    removeSubrange(index..<(index + 1))
    return element
  }

  /// Removes the elements in `range`: one edit.
  @inlinable public func removeSubrange(_ range: some RangeExpression<Int>) {
    replaceSubrange(range.relative(to: storage), with: EmptyCollection())
  }

  /// Removes and returns the first element.
  @inlinable @discardableResult public func removeFirst() -> Element { remove(at: 0) }

  /// Removes and returns the last element.
  @inlinable @discardableResult
  public func removeLast() -> Element { remove(at: storage.count - 1) }

  /// Removes and returns the last element; returns nil if the array is empty.
  @inlinable @discardableResult
  public func popLast() -> Element? { storage.isEmpty ? nil : removeLast() }

  /// Removes the first `count` elements: one edit.
  @inlinable public func removeFirst(_ count: Int) { removeSubrange(..<count) }

  /// Removes the last `count` elements: one edit.
  @inlinable public func removeLast(_ count: Int) {
    removeSubrange((storage.count - count)..<storage.count)
  }

  /// Removes all elements: one edit.
  public func removeAll(keepingCapacity: Bool = false) {
    willEdit()
    let removed = storage
    storage = []
    if keepingCapacity { storage.reserveCapacity(removed.capacity) }
    didEdit(removed.isEmpty ? [] : [.removal(removed, at: 0)])
    withExtendedLifetime(removed) {}
  }

  /// Removes all elements that satisfy `predicate`, in one emission.
  public func removeAll(where predicate: (Element) throws -> Bool) rethrows {
    removeSubranges(try storage.indices(where: predicate))
  }
}

// MARK: Reading

extension ObservableArray: RandomAccessCollection {
  /// The elements, as a plain array: O(1). If the result is still retained at the next edit, that
  /// edit copies all elements.
  @inlinable public var elements: [Element] {
    if isTracking() { trackElements() }
    return storage
  }

  @inline(never) @usableFromInline func trackElements() {
    let transaction = Transaction.current
    if transaction.isEvaluating { transaction.didRead(observedNode()) }
  }

  @inlinable public var startIndex: Int { 0 }

  @inlinable public var endIndex: Int { elements.count }

  @inlinable public subscript(index: Int) -> Element {
    get { elements[index] }
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

  @inlinable public subscript(range: Range<Int>) -> ArraySlice<Element> {
    get { elements[range] }
    set { replaceSubrange(range, with: newValue) }
  }

  /// Iterates over the elements that the array has at the time of the call. The loop may edit the
  /// array.
  @inlinable public func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }
}
