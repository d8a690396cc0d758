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
    let name: String?
    var changes: [ReversibleChange]
  }

  /// An object that is, or was, part of the document.
  private struct Member {
    weak var object: (any PropertyObservable)?
    let subscriptions = DisposeBag()
  }

  @Observed private var done: [Step] = []
  @Observed private var undone: [Step] = []
  private let limit: Int
  private let coalescing: Duration
  private let scheduler: any SchedulerType
  private var members: [ObjectIdentifier: Member] = [:]
  /// How many members there may be before those that have died are removed.
  private var sweepLimit = 16
  /// The step of the outermost set under way.
  private var pending: Step?
  /// The name of the steps of a group.
  private var groupName: String?
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
  public var canUndo: Bool { !done.isEmpty }
  /// Whether there is a step to redo. Observable.
  public var canRedo: Bool { !undone.isEmpty }
  /// The name of the step to undo, as given to `group(_:_:)`. Observable.
  public var undoName: String? { done.last?.name }
  /// The name of the step to redo. Observable.
  public var redoName: String? { undone.last?.name }

  /// Restores the state before the last step, in one batch. The rules of `validate` are not asked: they
  /// accepted these values when they were set. Changes by observers are not recorded meanwhile.
  public func undo() {
    move(from: \.done, to: \.undone) { $0.changes.reversed().forEach { $0.undo() } }
  }

  /// Restores the state after the step that was undone last, as `undo()` does. A new step removes all
  /// steps to redo.
  public func redo() {
    move(from: \.undone, to: \.done) { $0.changes.forEach { $0.redo() } }
  }

  /// Makes one step of all changes by `body`, which may contain several batches. Computed values
  /// settle after `body`, as in a set.
  ///
  /// - Parameter name: names the step, for menus; in a group inside another one, the outer name counts.
  public func group<Result>(
    _ name: String? = nil, _ body: () throws -> Result
  ) rethrows -> Result {
    try Transaction.current.perform {
      groupName = groupName ?? name
      afterChanges { [self] in groupName = nil }
      return try body()
    }
  }

  /// Forgets all steps.
  public func removeAll() {
    done = []
    undone = []
  }

  /// Restores the last step of `source` when the step of the outermost set has ended.
  private func move(
    from source: ReferenceWritableKeyPath<UndoHistory, [Step]>,
    to target: ReferenceWritableKeyPath<UndoHistory, [Step]>, _ restore: @escaping (Step) -> Void
  ) {
    afterChanges { [self] in
      endStep()
      guard let step = self[keyPath: source].popLast() else { return }
      self[keyPath: target].append(step)
      restoring += 1
      batchUpdates { restore(step) }
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
    if pending == nil {
      pending = Step(name: groupName, changes: [])
      afterChanges { [weak self] in self?.endStep() }
    }
    pending?.changes.append(change)
  }

  private func endStep() {
    guard let step = pending.take() else { return }
    let now = scheduler.now
    let mayJoin = now < coalescesUntil && done.last?.name == step.name
    let last = mayJoin ? done.last?.changes ?? [] : []
    // The changes of both steps, if these concern the same properties.
    let merged = zip(last, step.changes).compactMap { $0.merged(with: $1) }
    if merged.count == last.count, merged.count == step.changes.count {
      done[done.count - 1].changes = merged
    } else {
      done.append(step)
      if done.count > limit { done.removeFirst() }
    }
    undone = []
    coalescesUntil = now + coalescing
  }

  // MARK: Members

  /// Follows the objects in `values`, and their contents.
  private func follow(_ values: [Any?]) {
    var values = values
    while let value = values.popLast() {
      guard let value = value.flatMap({ Optionals.innermost(of: $0) }) else { continue }
      if type(of: value) is AnyClass {
        // A member that has died may have had the same address.
        guard let object = value as? any PropertyObservable,
          members[ObjectIdentifier(object)]?.object !== object
        else { continue }
        values += contents(of: object)
      } else if let container = value as? any Container, type(of: container).holdsObjects {
        values += container.contents.map { $0 as Any? }
      }
    }
  }

  /// Makes `object` a member, and returns its contents.
  private func contents(of object: any PropertyObservable) -> [Any?] {
    if object is UndoHistory { return [] }
    if members.count >= sweepLimit {
      members = members.filter { $1.object != nil }
      sweepLimit = 2 * members.count + 16
    }
    let member = Member(object: object)
    members[ObjectIdentifier(object)] = member
    if let collection = object as? any EditedCollection {
      collection.follow { [weak self] inserted, change in
        self?.follow([inserted])
        if let change { self?.record(change) } else { self?.removeAll() }
      }.disposed(by: member.subscriptions)
      return [collection.snapshot]
    }
    let table = PropertyTable.of(type(of: object))
    let weak = Set(table.recorded.filter(\.description.isWeak).map(\.name))
    object.observeChangeSets { [weak self] changes in
      self?.follow(changes.filter { !weak.contains($0.name) }.map(\.new))
      self?.record(ReversibleChange(changes))
    }.disposed(by: member.subscriptions)
    let values: [Any?] = Transaction.current.untracked {
      table.recorded.map { $0.description.isWeak ? nil : $0.value(of: object) }
    }
    return values
      + table.constants.map { StoredProperties.load($0.type, of: object, at: $0.offset) }
  }
}

/// A change that a history undoes and redoes.
private struct ReversibleChange {
  /// The changed properties; nil for the edit of a collection.
  var properties: ChangeSet?
  let undo: () -> Void
  let redo: () -> Void

  /// The changes of both, if these concern the same properties of one object.
  func merged(with later: ReversibleChange) -> ReversibleChange? {
    guard let first = properties, let second = later.properties, let object = first.object,
      object === second.object, first.names == second.names
    else { return nil }
    let merged = zip(first, second).map {
      ChangeSet.Change(name: $0.name, old: $0.old, new: $1.new)
    }
    return ReversibleChange(ChangeSet(changes: merged, object: object))
  }
}

extension ReversibleChange {
  init(_ changes: ChangeSet) {
    self.init(properties: changes, undo: { changes.undo() }, redo: { changes.redo() })
  }
}

/// A collection that a history follows.
private protocol EditedCollection: AnyObject {
  associatedtype Edit: CollectionEdit
  var snapshot: Edit.Contents { get }
  var changes: Observable<[Edit]> { get }
  func apply(_ edit: Edit)
}

extension ObservableArray: EditedCollection {}
extension ObservableDictionary: EditedCollection {}
extension ObservableSet: EditedCollection {}

extension EditedCollection {
  /// Calls `record` with the insertions of each edit; with no change for a reset, which cannot be undone.
  fileprivate func follow(_ record: @escaping (Any?, ReversibleChange?) -> Void) -> any Disposable {
    let areEqual = Equality<Edit.Contents?>.of
    return changes.subscribe(onNext: { [weak self] edits in
      for edit in edits {
        let change = edit.change
        // A replacement by equal elements is no step.
        if change.kind == .replacement, areEqual(change.old, change.new) == true { continue }
        let reversible = edit.inverse.map { inverse in
          ReversibleChange(undo: { self?.apply(inverse) }, redo: { self?.apply(edit) })
        }
        record(change.new, reversible)
      }
    })
  }
}
