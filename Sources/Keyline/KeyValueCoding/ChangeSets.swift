/// The properties of one object that one scope has changed: what `observeChangeSets()` emits.
///
/// ```swift
/// _ = document.observeChangeSets().subscribe(onNext: { changes in
///   isDirty = true
///   journal.append(changes)                     // journal.removeLast().undo()
///   print(changes.map { "\($0.name): \($0.old ?? "nil") → \($0.new ?? "nil")" })
/// })
/// batchUpdates {
///   document.title = "Laws"
///   document.pages = 3
/// }
/// ```
/// ```text
/// ["title: Untitled → Laws", "pages: nil → 3"]
/// ```
///
/// - Lifetime: retains the values, and not the object.
public struct ChangeSet: RandomAccessCollection {
  /// One property's change.
  public struct Change {
    /// The name of the property.
    public let name: String
    /// The value before the scope, nil if that was nil; for an object, nil if it has died meanwhile.
    public let old: Any?
    /// The value after it.
    public let new: Any?
  }

  fileprivate let changes: [Change]
  fileprivate weak var object: (any PropertyObservable)?

  public var startIndex: Int { changes.startIndex }
  public var endIndex: Int { changes.endIndex }
  public subscript(index: Int) -> Change { changes[index] }

  /// The names of the properties, in the order in which they were first changed.
  public var names: [String] { changes.map(\.name) }

  /// Sets the properties to their former values, in one batch. Nothing, if the object has died.
  ///
  /// - Errors: a value that a rule refuses, or that belongs to a binding, stays.
  /// - Parameter other: an object in the place of the one that was observed.
  public func undo(on other: (any PropertyObservable)? = nil) {
    set(changes.reversed(), \.old, of: other)
  }

  /// Sets the properties to the values after the scope, in one batch.
  public func redo(on other: (any PropertyObservable)? = nil) { set(changes, \.new, of: other) }

  private func set(
    _ changes: some Sequence<Change>, _ value: KeyPath<Change, Any?>,
    of other: (any PropertyObservable)?
  ) {
    guard let object = other ?? object else { return }
    batchUpdates {
      for change in changes {
        do {
          try object.setValue(change[keyPath: value], forKey: change.name)
        } catch {
          Diagnostics.report(
            .misuse, "\(error)", type: "\(type(of: object))", property: change.name)
        }
      }
    }
  }
}

extension PropertyObservable {
  /// Emits which of the object's own `@Observed` and `@WeakObserved` properties have changed, with
  /// the values before and after: for dirty flags, autosave, undo and change journals.
  ///
  /// What one scope changes, the outermost set or batch with all that its observers set, is one
  /// emission; properties that are equal to what they were (`==`, objects by identity) are left out,
  /// and so is an emission without any. Edits of an ``ObservableArray`` are emitted by the array.
  ///
  /// - Timing: when the scope closes, after everything else: what has been computed, and what bindings
  ///   have written. Nothing is emitted that has been disposed until then.
  /// - Lifetime: does not retain the object; completes when it dies. The current values are retained
  ///   until they change, objects weakly behind weak properties.
  /// - Complexity: subscribing is O(properties), a change O(properties that the scope has
  ///   changed). A collection that is changed in place is copied first. Free for objects that are not
  ///   observed so.
  public func observeChangeSets() -> PropertySequence<ChangeSet> {
    PropertySequence(named: #function) { [weak self] observer, context in
      guard let self else { return observer.terminate(nil) }
      let collector = ChangeCollector(self, context, observer.next)
      Transaction.current.perform {
        let table = PropertyTable.of(type(of: self))
        StoredProperties.forEachField(of: type(of: self), unwrapped: true) { storage, _, label in
          let name = StoredProperties.name(ofWrapper: label)
          if storage is any PropertyStorage.Type {
            table[name]?.follow(self, by: collector, in: context.child())
          }
          return false
        }
      }
      properties.death.whenEnded(in: context) { observer.terminate(nil) }
    }
  }
}

extension NamedPropertyType {
  fileprivate func follow(
    _ object: AnyObject, by collector: ChangeCollector,
    in context: SubscriptionContext
  ) {
    let recorder = ChangeRecorder<Value>([.old, .new]) { [name] change in
      collector.record(
        name, from: change.old.flatMap { Optionals.content(of: $0) },
        to: change.new.flatMap { Optionals.content(of: $0) })
    }
    path.attach(
      to: object, in: context,
      // First, so that a change is listed before those that its observers make.
      .init(next: recorder.record, terminate: { _ in }, isFirst: true), first: recorder.begin)
  }
}

/// Collects what a scope changes, and emits it at the end.
private final class ChangeCollector {
  private weak var object: (any PropertyObservable)?
  private let context: SubscriptionContext
  private let emit: (ChangeSet) -> Void
  private var changes: [ChangeSet.Change] = []
  /// Counts the emissions of one transaction (P3).
  private let node: Node

  init(
    _ object: any PropertyObservable, _ context: SubscriptionContext,
    _ emit: @escaping (ChangeSet) -> Void
  ) {
    self.object = object
    self.context = context
    self.emit = emit
    node = Node(owner: object.properties.contents, isComputed: true)
  }

  func record(_ name: String, from old: Any?, to new: Any?) {
    if changes.isEmpty { Transaction.current.atEnd(emitChanges) }
    if let index = changes.firstIndex(where: { $0.name == name }) {
      changes[index] = ChangeSet.Change(name: name, old: changes[index].old, new: new)
    } else {
      changes.append(ChangeSet.Change(name: name, old: old, new: new))
    }
  }

  private func emitChanges() {
    let changed = changes.filter { !$0.isRestored }
    changes = []
    guard !changed.isEmpty, context.isActive, let object, Transaction.current.admits(node) else {
      return
    }
    emit(ChangeSet(changes: changed, object: object))
  }
}

extension ChangeSet.Change {
  /// Whether the value is the one before the scope.
  fileprivate var isRestored: Bool {
    guard let old, let new else { return old == nil && new == nil }
    func isSame<Value>(_ old: Value) -> Bool {
      (new as? Value).map { Equality<Value>.of(old, $0) == true } ?? false
    }
    return _openExistential(old, do: isSame)
  }
}
