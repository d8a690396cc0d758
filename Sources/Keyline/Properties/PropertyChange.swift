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
  /// A hop before the leaf leads to another object, or to an object after nil.
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
      let recorder = ChangeRecorder<Content>(options, observer.next)
      // A set inside a delivery is announced with the value stored, which is still to be delivered.
      recorder.stored = { [weak self] in self.flatMap { content(path.read($0)) } }
      path.attach(
        to: self, in: context, observer.withNext { recorder.record(content($0)) },
        prior: recorder.prior, first: { recorder.begin(content($0), $1) })
    }
  }
}

/// Turns values into changes, for one observer: the old value is the last one delivered to that
/// observer.
final class ChangeRecorder<Value> {
  private let options: KeyValueObservingOptions
  private let downstream: (PropertyChange<Value>) -> Void
  /// The node that delivers the values, which lives as long as the observation.
  private var node: Node?
  /// Whether the values are objects that are referenced weakly: the property does not retain them.
  private var isObject: Bool
  /// Reads the value before an announced change; nil for a chain.
  var stored: () -> Value? = { nil }
  private var last = Remembered<Value>()

  init(_ options: KeyValueObservingOptions, _ downstream: @escaping (PropertyChange<Value>) -> Void)
  {
    self.options = options
    isObject = options.contains(.old) && Optionals.isReference(Value.self)
    self.downstream = downstream
  }

  /// Called before each store; nil without the option `.prior`.
  var prior: (() -> Void)? {
    options.contains(.prior)
      ? { [self] in
        let old = options.contains(.old) ? stored() ?? old : nil
        downstream(PropertyChange(old: old, isPrior: true))
      } : nil
  }

  /// Records the first value, delivered by `node`.
  func begin(_ value: Value?, _ node: Node?) {
    self.node = node
    if let node, !node.isComputed, !node.state.contains(.weak) { isObject = false }
    record(value, .initial)
  }

  /// Records the next value; nil stands for no value.
  func record(_ value: Value?) {
    let isDeath = node?.state.contains(.deliversDeath) == true
    record(value, node?.chain?.cause ?? (isDeath ? .hopDied(0) : .set))
  }

  private func record(_ value: Value?, _ cause: ChangeCause) {
    let old = cause == .initial ? nil : old
    if options.contains(.old) {
      last.forget(isReference: isObject)
      if let value { last.store(value, isReference: isObject) }
    }
    guard cause != .initial || options.contains(.initial) else { return }
    let new = options.contains(.new) ? value : nil
    downstream(PropertyChange(old: old, new: new, cause: cause))
  }

  // For a dead object, this is nil wrapped in `Value` if `Value` is optional, and otherwise nil.
  private var old: Value? { last.load() ?? (isObject ? Optionals.value(nil, as: Value.self) : nil) }
}
