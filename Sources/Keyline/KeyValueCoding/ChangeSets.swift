import KeylineCore

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

  private let changes: [Change]
  private weak var object: (any PropertyObservable)?

  fileprivate init(_ changes: [Change], of object: any PropertyObservable) {
    self.changes = changes
    self.object = object
  }

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
    PropertySequence { [weak self] observer, context in
      guard let self else { return observer.terminate(nil) }
      let collector = ChangeCollector(self, observer, in: context)
      Transaction.current.perform {
        let table = PropertyTable.of(type(of: self))
        StoredProperties.forEachField(of: type(of: self), unwrapped: true) { storage, _, label in
          let name = StoredProperties.name(ofWrapper: label)
          if storage is any PropertyStorage.Type {
            table[name]?.follow(self, named: name, by: collector, in: context)
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
    _ object: AnyObject, named name: String, by collector: ChangeCollector,
    in context: SubscriptionContext
  ) {
    let areEqual = Equality<Value>.of
    let recorder = ChangeRecorder<Value>([.old, .new]) { change in
      collector.record(name, change, areEqual)
    }
    path.attach(
      to: object, in: context.child(),
      .init(next: recorder.record, terminate: { _ in }), first: recorder.begin)
  }
}

/// Collects what a scope changes, and emits it at the end.
private final class ChangeCollector {
  private struct Entry {
    let name: String
    let old: Any?
    var new: Any?
    /// Whether a value is the one before the scope.
    let isOld: (Any?) -> Bool
  }

  private weak var object: (any PropertyObservable)?
  private let observer: AnyObserver<ChangeSet>
  private let context: SubscriptionContext
  private var entries: [Entry] = []
  /// How many emissions have caused one another.
  private var round = 0
  private var isEmitting = false

  init(
    _ object: any PropertyObservable, _ observer: AnyObserver<ChangeSet>,
    in context: SubscriptionContext
  ) {
    self.object = object
    self.observer = observer
    self.context = context
  }

  func record<Value>(
    _ name: String, _ change: PropertyChange<Value>, _ areEqual: @escaping (Value, Value) -> Bool?
  ) {
    let new = change.new.flatMap { Optionals.content(of: $0) }
    if let index = entries.firstIndex(where: { $0.name == name }) {
      entries[index].new = new
      return
    }
    if entries.isEmpty {
      round = isEmitting ? round + 1 : 0
      Transaction.current.atEnd(emit)
    }
    let old = change.old
    entries.append(
      Entry(
        name: name, old: old.flatMap { Optionals.content(of: $0) }, new: new,
        isOld: { new in
          guard let old, let new = Optionals.value(new, as: Value.self) else { return false }
          return areEqual(old, new) == true
        }))
  }

  private func emit() {
    let changed = entries.filter { !$0.isOld($0.new) }
    entries = []
    guard !changed.isEmpty, context.isActive, isWithinLimit else { return }
    let changes = changed.map { ChangeSet.Change(name: $0.name, old: $0.old, new: $0.new) }
    guard let object else { return }
    isEmitting = true
    observer.next(ChangeSet(changes, of: object))
    isEmitting = false
  }

  /// Stops observers that change the object in each emission (P3).
  private var isWithinLimit: Bool {
    guard round > 0 else { return true }
    let limit = Diagnostics.feedbackLimit
    if round == limit, let object {
      Diagnostics.report(
        .feedbackLoop,
        "each of \(limit) change sets in a row has caused the next one; what follows is not emitted",
        type: "\(type(of: object))")
    }
    return round < limit
  }
}
