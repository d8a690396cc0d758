/// One change of a property, as `observeChanges` emits it.
///
/// ```swift
/// _ = person.observeChanges(\.name).subscribe(onNext: { print($0.old!, "→", $0.new!) })
/// person.name = "Bea"
/// _ = person.observeChanges { $0.manager.name }.subscribe(onNext: { print($0.cause) })
/// person.manager = nil
/// ```
/// ```text
/// Ada → Bea
/// hopBecameNil(0)
/// ```
///
/// The `new` of each change is the `old` of the next. No value is missing and none is repeated,
/// even if observers set the property again.
///
/// - SeeAlso: KVO's change dictionary, from which the options and kinds are taken.
public struct PropertyChange<Value> {
  /// The kind of change.
  public enum Kind: Hashable, Sendable {
    /// The value of the property, or at the end of the path, was set.
    case setting
    /// Elements were inserted into the collection; `indexes` are their positions after the change.
    case insertion
    /// Elements were removed from the collection; `indexes` are their positions before the change.
    case removal
    /// Elements at `indexes` were replaced.
    case replacement
    /// An element of the collection was moved from one index to another; `indexes` contains both.
    case movement(from: Int, to: Int)
  }

  /// Whether the value was set, or how a collection was edited.
  public internal(set) var kind = Kind.setting
  /// The value before the change. Nil without the option `.old`, at first, on a broken chain, and
  /// for an object that has died in the meantime.
  public internal(set) var old: Value?
  /// The value after the change. Nil without the option `.new`, on a broken chain, and before the
  /// store.
  public internal(set) var new: Value?
  /// The positions of the changed elements of a collection.
  public internal(set) var indexes: RangeSet<Int>?
  /// Whether this announces a change before the store (`.prior`).
  public internal(set) var isPrior = false
  /// Why the value has changed.
  public internal(set) var cause = ChangeCause.set
}

extension PropertyChange: Sendable where Value: Sendable {}
extension PropertyChange: Equatable where Value: Equatable {}

/// Why the value at the end of a path has changed. Hops count from 0, in the order in which they
/// are written.
public enum ChangeCause: Hashable, Sendable {
  /// The value was current at the time of subscription.
  case initial
  /// The property itself was set.
  case set
  /// A hop before the leaf was set, and leads to an object.
  case hopReplaced(Int)
  /// A hop before the leaf became nil.
  case hopBecameNil(Int)
  /// The object behind a hop has died; for the index of the leaf, the object that the weak leaf
  /// referred to.
  case hopDied(Int)
  /// The observed object has died.
  case rootDied
}

extension PropertyObservable {
  /// Emits every change of `keyPath`, with the values before and after.
  ///
  /// - Timing: as for `observe(_:options:)`, after the store. With `.prior`, one more change is
  ///   emitted before the store, even for a set that turns out to leave the value of the path
  ///   unchanged.
  /// - Lifetime: retains neither the object nor any hop; completes when the object dies. With
  ///   `.old`, the last value is retained until the next change. An object is then retained weakly,
  ///   unless the path is a strong property of the observed object's own class and `.prior` is not
  ///   among the options.
  /// - Complexity: as for `observe(_:options:)`. With `.old`, an in-place change of a collection
  ///   copies it first; without observers with `.old`, it does not.
  /// - Parameters:
  ///   - keyPath: a path as for `observe(_:options:)`.
  ///   - options: the values that a change holds (`.old`, `.new`), and whether to emit a change at
  ///     first (`.initial`) and before each store (`.prior`). A set of the same property inside such a call is not
  ///     announced.
  @inlinable @inline(__always) public func observeChanges<Value>(
    _ keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = [.old, .new]
  ) -> PropertySequence<PropertyChange<Value>> { changes(PropertyPath(keyPath), options) { $0 } }

  /// The observable behind `observeChanges`.
  ///
  /// - Parameter content: the value in a change; nil if there is none.
  @usableFromInline func changes<Value, Content>(
    _ path: PropertyPath<Value>, _ options: KeyValueObservingOptions = [.initial, .new],
    named name: StaticString = #function, _ content: @escaping (Value) -> Content?
  ) -> PropertySequence<PropertyChange<Content>> {
    PropertySequence(name) { [weak self] observer, context in
      guard let self else { return context.finish(observer.terminate) }
      path.attach(
        to: self, in: context, observer.terminate,
        first: { value, recorder in
          if let recorder { return recorder.record(value, .initial) }
          guard options.contains(.initial) else { return }
          let new = options.contains(.new) ? content(value) : nil
          observer.next(PropertyChange(new: new, cause: .initial))
        }
      ) { ChangeRecorder($0, context, options, path.access, content, observer) }
    }
  }
}

/// Turns values into changes: the old value is the last one delivered to this observer.
private final class ChangeRecorder<Value, Content>: ValueObserver<Value>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.
  private let options: KeyValueObservingOptions
  private let access: PropertyAccess<Value>
  /// The value in a change; nil if there is none.
  private let content: (Value) -> Content?
  private let downstream: AnyObserver<PropertyChange<Content>>
  /// Whether the values are objects that are referenced weakly: the property does not retain them.
  private let isObject: Bool
  private var last = Remembered<Content>()

  init(
    _ node: Node, _ context: SubscriptionContext, _ options: KeyValueObservingOptions,
    _ access: @escaping PropertyAccess<Value>, _ content: @escaping (Value) -> Content?,
    _ downstream: AnyObserver<PropertyChange<Content>>
  ) {
    (self.options, self.downstream) = (options, downstream)
    self.access = access
    self.content = content
    let isRetained = !node.isComputed && !node.state.contains(.weak)
    isObject = options.contains(.old) && !isRetained && Optionals.isReference(Content.self)
    super.init(node, context)
    if options.contains(.prior) { Transaction.announcedCount.add(1, ordering: .relaxed) }
  }

  deinit {
    if options.contains(.prior) { Transaction.announcedCount.subtract(1, ordering: .relaxed) }
  }

  override func announce() {
    guard options.contains(.prior) else { return }
    Instrumentation.enter(.announce(node))
    defer { Instrumentation.leave() }
    guard options.contains(.old) else { return downstream.next(PropertyChange(isPrior: true)) }
    // A set inside a delivery is announced with the value stored, which is still to be delivered.
    let stored = node.owner.object.flatMap { content(access($0, nil)) }
    downstream.next(PropertyChange(old: stored ?? old, isPrior: true))
  }

  override func receive(_ value: Value) {
    let isDeath = node.state.contains(.deliversDeath)
    record(value, node.chain?.cause ?? (isDeath ? .hopDied(0) : .set))
  }

  override func complete() { context.finish(downstream.terminate) }

  func record(_ value: Value, _ cause: ChangeCause) {
    let (value, old) = (content(value), cause == .initial ? nil : old)
    if options.contains(.old) {
      last.forget(isReference: isObject)
      if let value { last.store(value, isReference: isObject) }
    }
    guard cause != .initial || options.contains(.initial) else { return }
    let new = options.contains(.new) ? value : nil
    downstream.next(PropertyChange(old: old, new: new, cause: cause))
  }

  // For a dead object, this is nil wrapped in `Content` if `Content` is optional, and otherwise nil.
  private var old: Content? {
    last.load() ?? (isObject ? Optionals.value(nil, as: Content.self) : nil)
  }
}
