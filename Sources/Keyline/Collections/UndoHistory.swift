/// Undo and redo for a document: for objects and collections, with all their contents.
///
/// ```swift
/// let history = UndoHistory(document)
/// history.observe(\.canUndo) { undoButton.isEnabled = $0 }
/// batchUpdates {
///   document.title = "Laws"
///   document.chapters.removeAll()
/// }
/// history.undo()                  // the title, and the chapters with their contents
/// ```
///
/// A step is the changes of one outermost set or batch, with all sets by its observers: of `@Observed` and
/// `@WeakObserved` properties, and the edits of ``ObservableArray``, ``ObservableDictionary`` and
/// ``ObservableSet``.
///
/// An object contains the objects in its `@Observed` properties and its constants, and in collections
/// of objects there. Weak properties do not contain objects, and neither do structs and enumerations. An object
/// that has left is followed as long as it lives, because a step may bring it back.
///
/// - Timing: a step is recorded when the outermost set settles. `undo()` and `redo()` take effect at
///   once or, inside a set or batch, when that has settled.
/// - Lifetime: does not retain the roots. The steps retain the values before and after, and removed objects.
/// - Isolation: belongs to the domain of its objects.
public final class UndoHistory: ReactiveObject {
  private struct Step {
    var name: String?
    var changes: [ReversibleChange] = []

    /// The changes of this step and of a later one as changes of one step; nil unless both change the same
    /// properties of the same objects, in any order.
    func changes(joinedTo later: Step) -> [ReversibleChange]? {
      var others = Dictionary(grouping: later.changes.reversed(), by: \.subject)
      let joined = changes.compactMap { first in
        first.subject.flatMap { others[$0]?.popLast() }.map {
          ReversibleChange(properties: $0.properties, undo: first.undo, redo: $0.redo)
        }
      }
      return joined.count == max(changes.count, later.changes.count) ? joined : nil
    }
  }

  /// What to do to undo a change, and to redo it.
  private struct ReversibleChange {
    /// The changed properties; nil for the edit of a collection.
    var properties: ChangeSet?
    let undo: () -> Void
    let redo: () -> Void

    /// The object and its properties; nil for an edit, and once the object has died.
    var subject: [AnyHashable]? {
      properties.flatMap { set in set.object.map { [ObjectIdentifier($0), Set(set.names)] } }
    }
  }

  /// An object that is, or was, part of the document.
  private struct Member {
    weak var object: (any PropertyObservable)?
    let subscriptions = DisposeBag()
  }

  /// The steps to undo, and then those to redo.
  @Observed private var steps: [Step] = []
  /// The number of steps to undo.
  @Observed private var position = 0
  private let limit: Int
  private let coalescing: Duration
  private let scheduler: any SchedulerType
  private var members: [ObjectIdentifier: Member] = [:]
  /// How many members there may be before those that have died are removed.
  private var sweepLimit = 16
  /// The step of the outermost set under way.
  private var pending = Step()
  /// Until when a step is added to the last one, if both change the same properties.
  private var coalescesUntil = Duration.zero
  /// How many steps are being restored: an observer may undo, too.
  private var restoring = 0

  /// - Parameters:
  ///   - roots: the objects and collections of the document.
  ///   - limit: how many steps to keep.
  ///   - coalescing: the longest pause between two steps that become one, if both change the same
  ///     properties of the same objects: typed characters, a slider. Zero: never.
  ///   - scheduler: the clock of `coalescing`.
  public init(
    _ roots: any PropertyObservable..., limit: Int = .max, coalescing: Duration = .zero,
    scheduler: any SchedulerType = MainScheduler.instance
  ) {
    self.limit = limit
    self.coalescing = coalescing
    self.scheduler = scheduler
    super.init()
    follow(roots)
  }

  /// Whether there is a step to undo. Observable.
  public var canUndo: Bool { position > 0 }
  /// Whether there is a step to redo. Observable.
  public var canRedo: Bool { position < steps.count }
  /// The name of the step to undo, as given to `group(_:_:)`. Observable.
  public var undoName: String? { steps.prefix(position).last?.name }
  /// The name of the step to redo. Observable.
  public var redoName: String? { steps.dropFirst(position).first?.name }

  /// Restores the state before the last step, in one batch. The rules of `validate` are not asked: they
  /// accepted these values when they were set. Changes by observers are not recorded meanwhile.
  public func undo() { restore(-1) { $0.changes.reversed().forEach { $0.undo() } } }

  /// Restores the state after the step that was undone last, as `undo()` does. A new step removes all
  /// steps to redo.
  public func redo() { restore(1) { $0.changes.forEach { $0.redo() } } }

  /// Makes one step of all changes by `body`, which may contain several batches. Computed values
  /// settle after `body`, as in a set.
  ///
  /// - Parameter name: names the step, for menus; in a group inside another one, the outer name counts.
  public func group<Result>(_ name: String? = nil, _ body: () throws -> Result) rethrows -> Result {
    try Transaction.current.perform {
      pending.name = pending.name ?? name
      // Without changes, nothing else ends the step.
      afterChanges { [self] in if pending.changes.isEmpty { pending.name = nil } }
      return try body()
    }
  }

  /// Forgets all steps.
  public func removeAll() {
    steps = []
    position = 0
  }

  /// Moves the position by `distance`, over a step that `change` restores, when the step of the outermost
  /// set has ended.
  private func restore(_ distance: Int, _ change: @escaping (Step) -> Void) {
    afterChanges { [self] in
      endStep()
      let index = min(position, position + distance)
      guard steps.indices.contains(index) else { return }
      position += distance
      restoring += 1
      batchUpdates { change(steps[index]) }
      coalescesUntil = .zero
      afterChanges { [self] in restoring -= 1 }
    }
  }

  /// Performs `work` when all changes of the outermost set have been recorded.
  private func afterChanges(_ work: @escaping () -> Void) {
    let transaction = Transaction.current
    transaction.perform { transaction.atEnd { transaction.atEnd(work) } }
  }

  // MARK: Recording

  private func record(_ change: ReversibleChange) {
    guard restoring == 0 else { return }
    if pending.changes.isEmpty { afterChanges { [weak self] in self?.endStep() } }
    pending.changes.append(change)
  }

  private func endStep() {
    let step = exchange(&pending, with: Step())
    guard !step.changes.isEmpty else { return }
    let now = scheduler.now
    steps.removeSubrange(position...)
    if now < coalescesUntil, let last = steps.last, last.name == step.name,
      let joined = last.changes(joinedTo: step)
    {
      steps[position - 1].changes = joined
    } else {
      steps.append(step)
      if steps.count > limit { steps.removeFirst() }
    }
    position = steps.count
    coalescesUntil = now + coalescing
  }

  // MARK: Members

  /// Follows the objects in `values`, and their contents.
  private func follow(_ values: [Any?]) {
    var values = values
    while let value = values.popLast() {
      guard let value = value.flatMap({ Optionals.innermost(of: $0) }) else { continue }
      if type(of: value) is AnyClass {
        values += (value as? any PropertyObservable).map(contents) ?? []
      } else if let container = value as? any Container, type(of: container).holdsObjects {
        values += container.contents.map { $0 as Any? }
      }
    }
  }

  /// Makes `object` a member, and returns its contents; none if it is one already.
  private func contents(of object: any PropertyObservable) -> [Any?] {
    // A member that has died may have had the same address.
    if members[ObjectIdentifier(object)]?.object === object || object is UndoHistory { return [] }
    if members.count >= sweepLimit {
      members = members.filter { $1.object != nil }
      sweepLimit = 2 * members.count + 16
    }
    let member = Member(object: object)
    members[ObjectIdentifier(object)] = member
    if let collection = object as? any EditedCollection {
      recordEdits(of: collection).disposed(by: member.subscriptions)
      return [collection.snapshot]
    }
    let table = PropertyTable.of(type(of: object))
    object.observeChangeSets { [weak self] changes in
      self?.follow(changes.filter { table[$0.name]?.description.isWeak == false }.map(\.new))
      self?.record(.init(properties: changes, undo: { changes.undo() }, redo: { changes.redo() }))
    }.disposed(by: member.subscriptions)
    return Transaction.current.untracked {
      table.recorded.map { $0.description.isWeak ? nil : $0.value(of: object) }
    } + table.constants.map { StoredProperties.load($0.type, of: object, at: $0.offset) }
  }

  private func recordEdits<Source: EditedCollection>(of source: Source) -> any Disposable {
    let areEqual = Equality<Source.Edit.Contents?>.of
    return source.changes.subscribe(onNext: { [weak self, weak source] edits in
      for edit in edits {
        let change = edit.change
        self?.follow([change.new])
        // A replacement by equal elements is no step.
        if change.kind == .replacement, areEqual(change.old, change.new) == true { continue }
        if let inverse = edit.inverse {
          self?.record(.init(undo: { source?.apply(inverse) }, redo: { source?.apply(edit) }))
        } else {
          self?.removeAll()
        }
      }
    })
  }
}

/// A collection that a history follows.
private protocol EditedCollection: ObservedCollection, AnyObject {
  var snapshot: Edit.Contents { get }
  var changes: Observable<[Edit]> { get }
  func apply(_ edit: Edit)
}

extension ObservableArray: EditedCollection {}
extension ObservableDictionary: EditedCollection {}
extension ObservableSet: EditedCollection {}
