/// The node of a live view: a computed node that takes the edits of its source, and turns them into
/// edits of its own.
///
///     source ──edits──▶ view ──edits──▶ views below, observers
///                        ▲
///              elements' nodes, marked by the properties that the view's closure has read
///
/// A view is evaluated when it is read, or when the transaction settles while it or a view below it
/// is observed. An unobserved view that has missed an edit releases its contents.
@usableFromInline
class ViewNode<Output>: EditNode<ArrayEdit<Output>>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  /// Nil after the source has died: its node may retain elements.
  private final var source: Node?

  init<Input>(owner: RegisteredObject, of array: LiveArray<Input>) {
    source = array.observedNode()
    super.init(owner: owner, [.recordsReads, .releasable, .weak])
    guard !array.isView else { return }
    // The array may die on any thread.
    makeSupplement().watch = ReferentWatch(self, of: array.life) { $1.markOutdated($0) }
  }

  // MARK: For subclasses

  /// Takes the edits of the source, and returns the edits of the view.
  func update(of owner: AnyObject, in transaction: Transaction) -> [ArrayEdit<Output>] { [] }

  /// Whether there are contents, which the view keeps when its array dies.
  var hasContents: Bool { false }

  var elements: [Output] { [] }

  var count: Int { elements.count }

  func element(at index: Int) -> Output { elements[index] }

  /// The index in the source of the element at `index`.
  func sourceIndex(of index: Int) -> Int { index }

  /// The index of the first element that the element of the source at `index` has in the view.
  func index(ofSource index: Int) -> Int? { index }

  /// Releases the contents, unless the view has all edits of its source.
  func forgetContents() {}

  /// Releases the results of elements that have left.
  func releaseLeft() {}

  // MARK: Evaluating

  override final func evaluate(of owner: AnyObject, from index: Int, in transaction: Transaction) {
    guard let source else { return }
    self.owner.use(in: transaction)
    // Retained meanwhile: the source may die on another thread, which releases its dependents.
    if let array = source.owner.object {
      if dependencies.isEmpty { depend(on: source) }
      if source.isComputed { transaction.refresh(source, of: array) }
      withExtendedLifetime(array) {}
    }
    if !dependencies.isEmpty { dependencies[0].version = source.version }
    // Proof of the cast: the node belongs to this array.
    let view = cast(owner, to: LiveArray<Output>.self)
    // Closures are not called again once the array is dead: they may use objects that died with it.
    let isFinal = hasContents && view.arrayLife?.isAlive == false
    let edits = isFinal ? [] : update(of: owner, in: transaction)
    if edits.count > 0 {
      version &+= 1
      record(edits, in: transaction)
    }
    if source.hasEnded {
      self.source = nil
      view.keep(elements)
      // A rule that has made a view of one that has ended reads it once it has ended as well.
      guard isObserved || !dependents.isEmpty else { return end() }
      transaction.atEnd { [self] in
        // Kept alive: otherwise the view itself may end, perhaps on another thread.
        withExtendedLifetime(self.owner.object) { if $0 != nil { end() } }
        // Views of this one end as well; rules are not evaluated (D13).
        for reader in self.owner.readers(of: self) where reader.state.contains(.recordsReads) {
          transaction.markOutdated(reader)
        }
      }
    }
  }

  override final func refresh(of view: AnyObject, in transaction: Transaction) {
    if state.contains(.busy) {
      transaction.reportCycle(through: self)
      return
    }
    transaction.openMail(below: self)
    // The source may have died without a notification of a view that had not been read.
    if source?.hasEnded == true { state.insert(.outdated) }
    // The last observer may leave before the view settles.
    if isObserved, mayBeStale { transaction.releaseUnused(of: self) }
    transaction.refresh(self, of: view)
  }

  /// Whether a refresh can evaluate the view.
  final var canRefresh: Bool { mayBeStale && source != nil && !state.contains(.busy) }

  override final func deliver(of owner: AnyObject, in transaction: Transaction) {
    let emission = takeEdits()
    if emission.edits.count == 0 { delivered = version } else { emit(emission, in: transaction) }
  }

  override final func releaseUnused() {
    // The release may outdate this view. It keeps its contents then: an observed view of it settles first.
    let isOutdated = canRefresh
    super.releaseUnused()
    // Retained meanwhile, because the view may die on another thread, which ends the node.
    guard let view = owner.object else { return }
    defer { withExtendedLifetime(view) {} }
    releaseLeft()
    guard isOutdated, !isObserved, let source else { return }
    // The last evaluation releases the elements of a source that has died. Without contents there are none,
    // and closures would be called that may use objects that died with it.
    if source.hasEnded, !isBehind, hasContents { return refresh(of: view, in: .current) }
    forgetContents()
    // Views of this view may have been marked before, and are not marked again.
    for link in dependents where link.isInUse && link.reader.state.contains(.releasable) {
      Transaction.current.releaseUnused(of: link.reader)
    }
  }

  override func releaseContents() {
    super.releaseContents()
    dropDependencies()
    source = nil
  }
}

/// The array that a view follows: its elements at first, and then its edits.
///
/// A class, because unspecialised code looks up the type of a generic structure in each call.
final class ViewSource<Element> {
  private weak var array: LiveArray<Element>?
  /// Another view, also one whose array has died, unless it retains this one, and the view that made it if
  /// it is a section.
  private var retained: (LiveArray<Element>, AnyObject?)?
  private var node: EditNode<ArrayEdit<Element>>?
  private var last: LastContents<[Element]>?
  /// The number of the next edit to take; nil if the elements are needed.
  private var number: Int?

  init(_ array: LiveArray<Element>, isRetained: Bool = true) {
    self.array = array
    let node = array.observedNode()
    node.hasViews = true
    last = node.last ?? LastContents()
    node.last = last
    if array.isView || node.hasEnded, isRetained { retained = (array, array.anchor) }
    self.node = node
  }

  /// Whether the elements have been taken.
  var hasContents: Bool { number != nil }

  /// Whether edits that are known have not been taken.
  var hasEdits: Bool { node != nil && number != node?.nextNumber }

  /// Whether edits have not been taken, or are not known yet.
  var isBehind: Bool { hasEdits || node?.isBehind == true }

  /// The edits since the last call; a reset if they are not known.
  func takeEdits() -> [ArrayEdit<Element>] {
    guard hasEdits, let node else { return [] }
    let former = exchange(&number, with: node.nextNumber)
    if let edits = former.flatMap({ node.edits(from: $0) }) { return Array(edits) }
    while true {
      // An array that is dying on another thread is about to hand over its elements: nothing else
      // comes between the end of weak references and its deinit.
      let contents = array?.snapshot ?? last?.contents.withLock { $0 }
      if let contents { return [.reset(contents)] }
    }
  }

  /// Lets the next call of `takeEdits` return the elements.
  func forget() { number = nil }

  /// Releases the source.
  func release() { _ = (retained.take(), node.take(), last.take()) }
}
