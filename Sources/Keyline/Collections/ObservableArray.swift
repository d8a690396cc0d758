// Collections: observable arrays, their edits, the changes of array properties, and the elements'
// own properties.

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
/// It is a reference to mutable contents. Reading it is tracked like reading an observed property,
/// and it can be a hop of any chain. The laws of ``ReactiveObject`` hold for its edits: they are
/// delivered after they are made (P1), in order, those made by observers afterwards (P3), and
/// observing does not retain it (P5). A computed property that reads it is evaluated on the current
/// elements.
///
/// A feedback loop, in which each delivery causes the next edit, is stopped after
/// `Diagnostics.feedbackLimit` rounds and reported. The deliveries left out are replaced by one
/// ``ArrayEdit/reset(_:)``. An edit made inside the delivery of that reset is not delivered; the
/// edit that follows it is then delivered as a reset.
///
/// - Note: an index out of bounds is a precondition failure, as it is with `Array`: in the
///   subscripts, and in the methods named as `Array`'s. ``move(from:to:)``, which `Array` does not
///   have, reports it.
/// - Complexity: that of `Array`, and O(size of the edit) if the array is observed. Observing never
///   copies all elements.
public final class ObservableArray<Element>: ReactiveObject {
  @usableFromInline var storage: [Element]
  @usableFromInline var node: ArrayNode<Element>?

  /// An array of the elements given.
  public init(_ elements: some Sequence<Element>) { storage = Array(elements) }

  /// An array of `count` times the same element.
  public convenience init(repeating element: Element, count: Int) {
    self.init(repeatElement(element, count: count))
  }

  /// An empty array.
  public override init() { storage = [] }

  /// Allocates room for as many elements, so that appending them does not copy the array.
  public func reserveCapacity(_ minimumCapacity: Int) { storage.reserveCapacity(minimumCapacity) }

  public override final var customMirror: Mirror {
    Mirror(self, unlabeledChildren: elements, displayStyle: .collection)
  }

  // MARK: Observing

  /// The edits from now on, those of one call together.
  ///
  /// - Timing: after the elements have changed, synchronously, on the mutating thread, in the order
  ///   of the edits. An edit made by an observer is delivered after the delivery under way.
  /// - Lifetime: does not retain the array; completes when it dies, and at once if it has died
  ///   already.
  /// - Complexity: O(size of the edit), and O(observers).
  public var changes: Observable<[ArrayEdit<Element>]> { contents.skip(1).named() }

  /// The current elements as an insertion, and the edits that follow.
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

  /// A new observer receives only the edits of the batch that follow.
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

  /// Before every edit.
  @usableFromInline func willEdit() {
    if let node, Transaction.areAnnouncementsWanted { Transaction.current.announce(node) }
  }

  /// After every edit.
  @usableFromInline func didEdit(_ edits: [ArrayEdit<Element>]) {
    guard let node else { return }
    // What the announcement has set settles here, also if nothing has been edited.
    guard !edits.isEmpty else { return Transaction.current.perform {} }
    if node.isObserved { node.batch += edits }
    // In a batch, the node takes all edits at the end.
    let isBatched = Transaction.current.batchLevel > 0
    node.changed(to: isBatched ? [] : node.takeEdits(of: self), from: nil)
  }

  /// Before an access in place: opens the transaction, so that computed properties are evaluated when all
  /// accesses have ended, also those to other properties.
  @usableFromInline func willModify() {
    Transaction.current.depth += 1
    willEdit()
  }

  /// After an access in place.
  @usableFromInline func didModify(_ former: Element, at index: Int) {
    didEdit([.replacement([former], with: [storage[index]], at: index)])
    Transaction.current.close()
  }

  // MARK: Editing

  /// Replaces the elements in `range`, by as many, more or fewer; most other edits call this.
  @inlinable
  public func replaceSubrange(_ range: Range<Int>, with newElements: some Collection<Element>) {
    let inserted = Array(newElements)
    willEdit()
    // Retained until the end: a deinit that runs with their release may use the array.
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

  /// Removes the element at `source`, and inserts it where its index is `destination`.
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

  /// Makes several edits one emission: a batch (`batchUpdates`).
  ///
  /// Reading inside gives the current elements. Edits made before a throw remain, and are emitted;
  /// an update inside an update is part of it.
  public func update<Result>(_ body: (ObservableArray) throws -> Result) rethrows -> Result {
    try batchUpdates { try body(self) }
  }
}

/// The node of an array: its values are edits.
@usableFromInline
final class ArrayNode<Element>: PropertyNode<[ArrayEdit<Element>]>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  /// The edits of the batch under way.
  fileprivate var batch: [ArrayEdit<Element>] = []
  /// Whether an edit made after a feedback loop was stopped has not been delivered.
  private var hasMissedEdit = false

  init(of object: RegisteredObject) { super.init(owner: object) }

  /// The edits that have not been delivered; none remain. What was left out after a loop comes as a
  /// reset.
  fileprivate func takeEdits(of array: ObservableArray<Element>) -> [ArrayEdit<Element>] {
    let edits = batch
    batch = []
    guard hasMissedEdit, !delivery.contains(.underWay) else { return edits }
    hasMissedEdit = false
    return [.reset(array.storage)]
  }

  /// All edits of the batch that is being delivered.
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

  /// Adds elements at the end: one edit. The array may be a constant, because it is an object.
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

  /// Removes the element at `index`, and returns it.
  @inlinable @discardableResult public func remove(at index: Int) -> Element {
    let element = storage[index]
    removeSubrange(index..<(index + 1))
    return element
  }

  /// Removes the elements in `range`: one edit.
  @inlinable public func removeSubrange(_ range: some RangeExpression<Int>) {
    replaceSubrange(range.relative(to: storage), with: EmptyCollection())
  }

  /// Removes the first element, and returns it.
  @inlinable @discardableResult public func removeFirst() -> Element { remove(at: 0) }

  /// Removes the last element, and returns it.
  @inlinable @discardableResult
  public func removeLast() -> Element { remove(at: storage.count - 1) }

  /// Removes the last element, and returns it; nil if there is none.
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
  /// The elements, as a plain array: O(1). The next edit copies all elements if it is retained
  /// still.
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

  /// Iterates over the elements at the time of the call: the loop may edit the array.
  @inlinable public func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }
}
