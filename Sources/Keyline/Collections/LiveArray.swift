/// A read-only array that emits exact edits: the base of ``ObservableArray``, and the type of its
/// views.
///
/// Views are made by ``mapped(_:)``, ``filtered(_:)``, `sorted`, ``reversed()``, ``flatMapped(_:)``,
/// ``grouped(by:)``, `distinct` and ``window(_:)``, of an observable array or of another view:
///
/// ```swift
/// let rows = store.orders
///   .filtered { $0.isOpen && $0.total > store.limit }
///   .sorted { $0.total < $1.total }
///   .mapped { OrderRow($0) }
/// _ = rows.changes.subscribe(onNext: { for edit in $0 { table.apply(edit) } })
/// ```
///
/// A subscription to ``ObservableCollection/changes`` retains the view; whatever observes it as a property
/// does not (P5).
///
/// - Timing: a view settles with the outermost set (P4). All its edits in that set are one
///   emission.
/// - Lifetime: a view retains its closures and the views below it, but not the ``ObservableArray``
///   at their bottom. When that array dies, the view's ``ObservableCollection/changes`` complete (if it
///   dies on another thread, with the next operation on the view or an element), and it keeps its contents:
///   its closures are not called again, even if an element has changed since its last evaluation.
/// - Complexity: a view computes nothing before its first read or observation, and nothing while
///   it is neither read nor observed. A read after an unobserved edit computes the view anew.
///   `elements` and iterations are O(n) for a view, `count` is O(1), and the subscript O(log n).
/// - SeeAlso: DynamicData for ReactiveUI; `FilteredList` and `SortedList` of JavaFX.
public class LiveArray<Element>: ObservableCollection<ArrayEdit<Element>> {
  @usableFromInline final var storage: [Element]
  /// Whether the elements are in the node. A view whose source has died is a view no longer.
  @usableFromInline final private(set) var isView: Bool
  /// The views that aggregate the array, by name and key path. They do not retain it.
  final var aggregates: [[AnyHashable]: AnyObject] = [:]

  @usableFromInline init(storage: [Element]) {
    self.storage = storage
    isView = false
    super.init()
  }

  /// Creates the view of `array` of which `make` returns the node.
  init<Input>(
    of array: LiveArray<Input>, view make: (RegisteredObject) -> EditNode<ArrayEdit<Element>>
  ) {
    storage = []
    isView = true
    super.init()
    _ = makeNode(make)
    arrayLife = array.isView ? array.arrayLife : array.life
  }

  final override var snapshot: [Element] { view?.elements ?? storage }

  /// Keeps the elements of a view whose source has died.
  final func keep(_ elements: [Element]) {
    storage = elements
    isView = false
    arrayLife = nil
  }

  public override final var customMirror: Mirror {
    Mirror(self, unlabeledChildren: elements, displayStyle: .collection)
  }

  /// The elements, as a plain array: O(1), and O(n) for a view. If the result is still retained at
  /// the next edit of an array, that edit copies all elements.
  @inlinable public final var elements: [Element] {
    isView || isTracking() ? readAll() : storage
  }

  @inline(never) @usableFromInline final func readAll() -> [Element] {
    readView()?.elements ?? storage
  }

  /// Records a read. Brings a view up to date before, and returns its node.
  private func readView() -> ViewNode<Element>? {
    var rounds = 0
    // An element that the view releases may die, and thereby change the view again.
    while let view, rounds == 0 || view.canRefresh, rounds <= Diagnostics.feedbackLimit {
      Transaction.current.perform { view.refresh(of: self, in: .current) }
      rounds += 1
    }
    track()
    return view
  }

  // Proof of the cast: a view has been created with its node.
  private var view: ViewNode<Element>? {
    isView ? node.map { cast($0, to: ViewNode<Element>.self) } : nil
  }

  @inlinable public subscript(index: Int) -> Element {
    isView || isTracking() ? read(at: index) : storage[index]
  }

  @inlinable public subscript(range: Range<Int>) -> ArraySlice<Element> { elements[range] }

  @inline(never) @usableFromInline final func read(at index: Int) -> Element {
    readView()?.element(at: index) ?? storage[index]
  }

  /// The index of an element in the array that this one is a view of: of the element that it is, is made
  /// of, or belongs to; of the first of a section's elements. In a section, and in an array that is no view,
  /// the index itself.
  ///
  /// - Parameter index: the index of an element of the view.
  /// - Complexity: O(log n).
  public final func sourceIndex(of index: Int) -> Int {
    readView()?.sourceIndex(of: index) ?? index
  }

  /// The index in this view of an element of its array; nil if the view leaves it out. For an element that
  /// stands for several, the index of the first.
  ///
  /// - Parameter index: the index of an element in the array that this one is a view of.
  /// - Complexity: O(log n).
  public final func index(ofSource index: Int) -> Int? {
    if let view = readView() { view.index(ofSource: index) } else { index }
  }

  @inline(never) @usableFromInline final func readCount() -> Int {
    readView()?.count ?? storage.count
  }

  // Its views need the elements after the death of the array. Views of a view that has ended retain it; its
  // elements may be sections, which retain the node.
  deinit {
    if let node, !isView, !node.hasEnded { node.last?.contents.withLock { $0 = storage } }
  }
}

extension LiveArray: RandomAccessCollection {
  @inlinable public var startIndex: Int { 0 }

  @inlinable public var endIndex: Int { isView || isTracking() ? readCount() : storage.count }

  /// Iterates over the elements that the array has at the time of the call. The loop may edit the
  /// array.
  @inlinable public func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }

  /// The results of `transform` for the elements that the array has at the time of the call.
  @inlinable public func map<Result, Failure: Error>(
    _ transform: (Element) throws(Failure) -> Result
  ) throws(Failure) -> [Result] { try elements.map(transform) }
}

extension LiveArray: Equatable where Element: Equatable {
  public static func == (left: LiveArray, right: LiveArray) -> Bool {
    left.elements == right.elements
  }
}

extension LiveArray: CustomStringConvertible {
  public var description: String { elements.description }
}

extension LiveArray: Encodable where Element: Encodable {
  public func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
}
