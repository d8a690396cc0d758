/// The changes that one scope has made to the properties of one object, as emitted by
/// `observeChangeSets()`.
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
/// - Lifetime: retains the values, but not the object.
public struct ChangeSet: RandomAccessCollection {
  /// The change of one property.
  public struct Change {
    /// The name of the property.
    public let name: String
    /// The value before the scope; nil if the property was nil, or held an object that has died
    /// since.
    public let old: Any?
    /// The value after the scope.
    public let new: Any?

    /// Whether the property has its value from before the scope again.
    fileprivate var isRestored: Bool {
      guard let old, let new else { return old == nil && new == nil }
      func isSame<Value>(_ old: Value) -> Bool {
        (new as? Value).map { Equality<Value>.of(old, $0) == true } ?? false
      }
      return _openExistential(old, do: isSame)
    }
  }

  let changes: [Change]
  weak var object: (any PropertyObservable)?

  public var startIndex: Int { changes.startIndex }
  public var endIndex: Int { changes.endIndex }
  public subscript(index: Int) -> Change { changes[index] }

  /// The names of the properties, in the order in which their changes were delivered.
  public var names: [String] { changes.map(\.name) }

  /// The change set that leads back: in reverse order, with old and new values exchanged.
  public var inverse: ChangeSet {
    let reversed = changes.reversed().map { Change(name: $0.name, old: $0.new, new: $0.old) }
    return ChangeSet(changes: reversed, object: object)
  }

  /// Sets the properties to their former values, in one batch. Does nothing if the object has died.
  ///
  /// The rules of the object accepted these values when they were set, and are not asked again: the
  /// values on the way, before the last property is set, may be refused by a rule across several.
  ///
  /// - Errors: a property keeps its value if an exclusive binding owns the property, or if a rule of
  ///   another object refuses the value; the refusal is reported.
  /// - Parameter other: the object to change, in place of the observed one. Its rules are asked.
  public func undo(on other: (any PropertyObservable)? = nil) { inverse.redo(on: other) }

  /// Sets the properties to their values after the scope, in one batch.
  public func redo(on other: (any PropertyObservable)? = nil) {
    guard let object = other ?? object else { return }
    batchUpdates {
      for change in changes {
        do {
          try type(of: object).property(change.name).offer(
            change.new, to: object, isRestoring: object === self.object)
        } catch {
          Diagnostics.report(.misuse, "\(error)", of: type(of: object), property: change.name)
        }
      }
    }
  }
}

extension PropertyObservable {
  /// Emits the changes of the object's `@Observed` and `@WeakObserved` properties, with the values
  /// before and after: for dirty flags, autosave, undo and change journals.
  ///
  /// Each scope is one emission: the outermost set or batch, with all sets by its observers.
  /// Properties that equal their former values (`==`, objects by identity) are omitted, and so is
  /// an emission without any change. The death of an object behind a weak property is not listed: there is
  /// no value to restore. The edits of an ``ObservableArray`` are emitted by the array.
  ///
  /// - Timing: when the scope closes, after computed values and the writes of bindings. A
  ///   subscription that was disposed before that receives nothing.
  /// - Lifetime: does not retain the object; completes when the object dies. The current values are
  ///   retained until they change; objects behind weak properties are retained weakly.
  /// - Complexity: subscribing is O(properties), a change O(properties that the scope has changed).
  ///   An in-place change of a collection copies the collection first. Objects without such a
  ///   subscription pay nothing.
  public func observeChangeSets() -> PropertySequence<ChangeSet> {
    PropertySequence { [weak self] observer, context in
      guard let self else { return context.finish(observer.terminate) }
      context.seal()
      let collector = ChangeCollector(self, context, observer.next)
      func follow<Value>(_ property: some NamedPropertyType<Value>) {
        property.path.attach(to: self, in: context, { _ in }, first: { $1?.remember($0) }) {
          RecordedProperty($0, context, property.description.name, collector)
        }
      }
      Transaction.current.perform {
        for property in PropertyTable.of(type(of: self)).recorded { follow(property) }
      }
      life.when(.dead, in: context) { context.finish(observer.terminate) }
    }
  }

  /// Calls `onNext` with the changes of each scope: subscribes to ``observeChangeSets()`` at once.
  @discardableResult public func observeChangeSets(
    file: StaticString = #fileID, line: UInt = #line, _ onNext: @escaping (ChangeSet) -> Void
  ) -> any Disposable { observeChangeSets().subscribe(onNext: onNext, file: file, line: line) }
}

/// Records the changes of one property, with the values before.
private final class RecordedProperty<Value>: ValueObserver<Value>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.
  private let name: String
  private let collector: ChangeCollector
  private var last = Remembered<Value>()

  init(
    _ node: Node, _ context: SubscriptionContext, _ name: String, _ collector: ChangeCollector
  ) {
    (self.name, self.collector) = (name, collector)
    super.init(node, context)
  }

  /// An object behind a weak property is referenced weakly.
  func remember(_ value: Value) {
    last.forget(isReference: node.state.contains(.weak))
    last.store(value, isReference: node.state.contains(.weak))
  }

  override func receive(_ value: Value) {
    let old = last.load()
    remember(value)
    collector.record(
      name, from: old.flatMap { Optionals.content(of: $0) }, to: Optionals.content(of: value))
  }
}

/// Collects the changes of a scope, and emits them at its end.
private final class ChangeCollector {
  private weak var object: (any PropertyObservable)?
  private let context: SubscriptionContext
  private let emit: (ChangeSet) -> Void
  private var changes: [ChangeSet.Change] = []
  /// Counts the emissions in one transaction (P3).
  private var node: Node?

  init(
    _ object: any PropertyObservable, _ context: SubscriptionContext,
    _ emit: @escaping (ChangeSet) -> Void
  ) {
    self.object = object
    self.context = context
    self.emit = emit
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
    let changed = exchange(&changes, with: []).filter { !$0.isRestored }
    guard !changed.isEmpty, context.isActive, let object else { return }
    node = node ?? Node(owner: RegisteredObject.existing(of: object) ?? .init(object))
    guard let node, Transaction.current.admits(node) else { return }
    emit(ChangeSet(changes: changed, object: object))
  }
}
