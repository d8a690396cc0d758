// Collections: observable arrays, dictionaries and sets, their edits, and live views of arrays.

/// One edit of an observable collection.
///
/// `observeChanges` accepts every collection whose edits conform; generic code can keep a copy of
/// one.
public protocol CollectionEdit: CustomDebugStringConvertible {
  /// The plain collection that the edit applies to, such as `[Element]`.
  associatedtype Contents
  /// Replaces all contents. Emitted in place of edits that were not delivered, because a feedback
  /// loop was stopped.
  static func reset(_ contents: Contents) -> Self
  /// The edit that leads back; nil for a reset, whose former contents are not known.
  var inverse: Self? { get }
  /// Applies the edit to a copy of the contents.
  func apply(to contents: inout Contents)
  /// The edit with key-value observing's kind; `setting` for a reset.
  var change: PropertyChange<Contents> { get }
  /// The edits of one emission as changes, in order.
  static func changes(of edits: [Self]) -> [PropertyChange<Contents>]
}

extension CollectionEdit {
  /// One change for each run of insertions, or of removals.
  public static func changes(of edits: [Self]) -> [PropertyChange<Contents>] {
    edits.reduce(into: []) { changes, edit in
      let change = edit.change
      guard let last = changes.indices.last, changes[last].kind == change.kind,
        change.kind == .insertion || change.kind == .removal
      else { return changes.append(change) }
      if changes[last].new != nil { edit.apply(to: &changes[last].new!) }
      if changes[last].old != nil { edit.inverse?.apply(to: &changes[last].old!) }
    }
  }

  /// `insertion([2], at: 1)`, also inside an array.
  public var debugDescription: String {
    Mirror(reflecting: self).children.map { name, value in
      let isTuple = Mirror(reflecting: value).displayStyle == .tuple
      return (name ?? "") + (isTuple ? "\(value)" : "(\(String(reflecting: value)))")
    }.joined()
  }
}

/// An object whose contents change by exact edits: the base of ``ObservableArray``, of its views,
/// and of ``ObservableDictionary`` and ``ObservableSet``.
///
/// A read is recorded like a read of an observed property, and any chain can lead through the
/// collection. The laws of ``ReactiveObject`` hold for edits: they are delivered after they are
/// made (P1), in order, and edits made by observers follow (P3); observing does not retain the
/// collection (P5). A computed property that reads the collection is evaluated on the current
/// contents.
///
/// A feedback loop, in which each delivery causes the next edit, is stopped after
/// `Diagnostics.feedbackLimit` rounds and reported. One reset replaces the deliveries that are left
/// out. An edit made during the delivery of that reset is not delivered; the next edit is then
/// delivered as a reset.
public class ObservableCollection<Edit: CollectionEdit>: ReactiveObject, ObservedCollection {
  @usableFromInline final var node: EditNode<Edit>?
  /// The life of the array below a view, until which a subscription retains the view; nil for all other
  /// collections.
  final var arrayLife: ObjectLife?

  public final var edited: ObservableCollection? { self }

  @usableFromInline override init() {}

  /// The edits from the time of subscription on; the edits of one call, or of one batch, are one
  /// emission.
  ///
  /// - Timing: after the contents have changed, synchronously, on the mutating thread, in the order
  ///   of the edits. An edit made by an observer is delivered after the delivery under way. A view
  ///   of an array emits when the outermost set closes.
  /// - Lifetime: retains a view, until the array below it dies, and no other collection; completes when
  ///   the collection dies, or at once if it is dead already.
  /// - Complexity: O(size of the edit), and O(observers).
  public final var changes: Observable<[Edit]> { contentsAndChanges.skip(1).named() }

  /// What a subscription retains besides a view: the view of which it is an element.
  var anchor: AnyObject? { nil }

  /// The contents, for the library: the read is not recorded.
  var snapshot: Edit.Contents { fatalError("each collection has contents") }

  /// Emits the current contents as a reset, and then the edits.
  final var contentsAndChanges: Observable<[Edit]> { values({ [.reset($0)] }) { $0 } }

  /// Emits a value made from the current contents, and then values made from the edits of each
  /// emission.
  final func values<Value>(
    _ first: @escaping (Edit.Contents) -> Value, _ next: @escaping ([Edit]) -> Value?
  ) -> Observable<Value> {
    let view = arrayLife.map { _ in (self, anchor) }
    return _Source { [weak self, arrayLife] observer, context in
      guard let self else { return observer.terminate(nil) }
      // Retained by the array, and not by its own observer: the array may die on another thread, where
      // nothing else would end that circle. Until all has settled, as the view itself ends then.
      var retained = view
      arrayLife?.when(.dead, in: context) {
        Transaction.current.atEnd { withExtendedLifetime(retained.take()) {} }
      }
      let transaction = Transaction.current
      transaction.perform {
        let node = observedNode()
        node.owner.use(in: transaction)
        node.refresh(of: self, in: transaction)
        // Edits that the observer finds in the contents already are not delivered to it.
        let start = node.nextNumber
        let later = observer.withNext { (emission: Emission<Edit>) in
          let edits =
            start > emission.number
            ? Array(emission.edits.dropFirst(start - emission.number)) : emission.edits
          if edits.count > 0, let value = next(edits) { observer.next(value) }
        }
        node.join(
          PropertyObserver(node, context, terminate: later.terminate, next: later.next),
          in: transaction, with: self.snapshot
        ) { observer.next(first(self.snapshot)) }
      }
    }
  }

  final func observedNode() -> EditNode<Edit> { node ?? makeNode { EditNode(owner: $0) } }

  final func makeNode(_ make: (RegisteredObject) -> EditNode<Edit>) -> EditNode<Edit> {
    let object = PropertyRegistry.contents(of: self) ?? RegisteredObject(self)
    let made = make(object)
    object.add(made)
    node = made
    return made
  }

  /// Records a read of the contents.
  @inline(never) @usableFromInline final func track() {
    Transaction.withCurrent { if $0.isEvaluating { $0.didRead(observedNode()) } }
  }

  /// Called before every edit.
  @usableFromInline final func willEdit() {
    if let node, node.prepareSet() { Transaction.current.announce(node) }
  }

  /// Called before an in-place access: opens the transaction, so that computed properties are
  /// evaluated after all accesses have ended, including accesses to other properties.
  @usableFromInline final func willModify() {
    Transaction.current.depth += 1
    willEdit()
  }

  /// Called after every edit.
  @usableFromInline final func didEdit(_ edits: [Edit]) {
    guard let node else { return }
    let transaction = Transaction.current
    // Sets made by observers of the announcement settle here, even without an edit.
    guard !edits.isEmpty else { return transaction.perform {} }
    node.record(edits, in: transaction)
    // In a batch, the node takes all edits at the end of the batch.
    let isBatched = transaction.batch.level > 0
    if isBatched, !node.state.contains(.batched) { transaction.releaseUnused(of: node) }
    node.changed(to: isBatched ? Emission(number: 0, edits: []) : node.takeEdits(), from: nil)
  }
}

/// The edits of one emission, which are numbered in the order in which they were made.
@usableFromInline struct Emission<Edit>: CustomReflectable {
  /// The number of the first edit.
  let number: Int
  let edits: [Edit]

  // For traces.
  @usableFromInline var customMirror: Mirror { Mirror(reflecting: edits) }
}

/// The contents of a dead collection, for its views.
final class LastContents<Contents> { let contents = Protected<Contents?>(nil) }

/// The node of a collection. Its values are edits.
@usableFromInline
class EditNode<Edit: CollectionEdit>: PropertyNode<Emission<Edit>>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  /// The number of the edit that will be recorded next.
  final private(set) var nextNumber = 0
  /// The number of the first edit that has not been delivered to observers.
  private final var undelivered = 0
  /// Whether an edit made after a feedback loop was stopped has not been delivered.
  private final var hasMissedEdit = false
  /// Whether views of the collection have been made.
  final var hasViews = false
  /// The last edits, for views: kept until all values are up to date. Elements that have been
  /// removed can die then, and their deaths belong to the same transaction.
  private final var log: [Edit] = []
  /// Receives the contents of a collection that is dying, perhaps on another thread. Retained by its views
  /// only: readers retain the node longer.
  final weak var last: LastContents<Edit.Contents>?

  /// Whether a view has not taken all edits of its source.
  var isBehind: Bool { false }

  /// Brings the contents of a view up to date.
  func refresh(of collection: AnyObject, in transaction: Transaction) {}

  /// Records edits that have been made.
  final func record(_ edits: [Edit], in transaction: Transaction) {
    nextNumber += edits.count
    guard hasViews || isObserved else { return }
    if hasViews, log.count == 0 { transaction.releaseUnused(of: self) }
    // In unspecialised code, taking over an array is faster than appending to an empty one.
    if log.count == 0 { log = edits } else { log += edits }
  }

  // Released after the access, because this may run a deinit that uses the collection.
  override func releaseUnused() { _ = exchange(&log, with: []) }

  /// The edits from `number` on; nil if they are not known any more.
  final func edits(from number: Int) -> ArraySlice<Edit>? {
    let missed = nextNumber - number
    return missed <= log.count ? log.suffix(missed) : nil
  }

  /// Removes and returns the edits that have not been delivered. If an edit was left out after a
  /// loop, returns a reset instead.
  final func takeEdits() -> Emission<Edit> {
    let count = nextNumber - exchange(&undelivered, with: nextNumber)
    let edits = count < log.count ? Array(log.suffix(count)) : log
    if !hasViews { log = [] }
    if hasMissedEdit, !state.contains(.underWay), let reset {
      hasMissedEdit = false
      return reset
    }
    return Emission(number: nextNumber - edits.count, edits: edits)
  }

  /// All contents as one edit; nil if the collection is dead.
  private var reset: Emission<Edit>? {
    (owner.object as? ObservableCollection<Edit>).map {
      Emission(number: nextNumber, edits: [.reset($0.snapshot)])
    }
  }

  /// All edits of the batch being delivered.
  override func currentValue(of owner: AnyObject, in transaction: Transaction) -> Emission<Edit>? {
    takeEdits()
  }

  override func valueAfterLoop(_ emission: Emission<Edit>) -> Emission<Edit> { reset ?? emission }

  override func didLeaveOut() { hasMissedEdit = true }
}
