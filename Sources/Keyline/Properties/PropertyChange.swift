/// One change of a property: what `observeChanges` emits.
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
/// The `new` of a change is the `old` of the next: no value is left out between them, and none
/// comes twice, also when observers set the property again.
///
/// - SeeAlso: KVO's change dictionary, whose options and kinds these are.
public struct PropertyChange<Value> {
  /// What happened to the value.
  public enum Kind: Hashable, Sendable {
    /// The value was set: the property's own, or what its path leads to.
    case setting
    /// Elements were put into the collection, at `indexes` of the new one.
    case insertion
    /// Elements were taken out of the collection, from `indexes` of the old one.
    case removal
    /// Elements at `indexes` were replaced.
    case replacement
    /// An element of the collection was moved from one index to another; `indexes` are both.
    case movement(from: Int, to: Int)
  }

  /// Whether the value was set, or which edit of a collection it is.
  public internal(set) var kind = Kind.setting
  /// The value before; nil without the option `.old`, or if there was none: at first, and on a
  /// broken chain. Nil, too, for an object that has died meanwhile.
  public internal(set) var old: Value?
  /// The value now; nil without the option `.new`, on a broken chain, and before the store.
  public internal(set) var new: Value?
  /// Which elements of a collection changed.
  public internal(set) var indexes: RangeSet<Int>?
  /// Whether this announces a change before the store (`.prior`).
  public internal(set) var isPrior = false
  /// Why there is another value.
  public internal(set) var cause = ChangeCause.set
}

extension PropertyChange: Sendable where Value: Sendable {}
extension PropertyChange: Equatable where Value: Equatable {}

/// Why the value at the end of a path has changed. Hops count from 0, in the order they are
/// written.
public enum ChangeCause: Hashable, Sendable {
  /// It is the value at the time of subscription.
  case initial
  /// The property itself was set.
  case set
  /// A hop before the leaf leads to another object, or to one after nil.
  case hopReplaced(Int)
  /// A hop before the leaf has become nil.
  case hopBecameNil(Int)
  /// The object behind a hop has died; of the leaf, if that is a weak property.
  case hopDied(Int)
  /// The object observed has died.
  case rootDied
}

extension PropertyObservable {
  /// Emits every change of `keyPath`, with the values before and after.
  ///
  /// - Timing: as for `observe(_:options:)`, after the store; with `.prior`, once more before it,
  ///   and then also for a set that turns out to change nothing the path leads to.
  /// - Lifetime: retains neither the object nor any hop; completes when the object dies. With
  ///   `.old` the last value is retained until the next change: objects weakly, unless the path is
  ///   a strong property of the object's own class, and `.prior` is not among the options.
  /// - Complexity: as for `observe(_:options:)`. With `.old`, a collection that is changed in place
  ///   is copied first; without observers with `.old`, it is not.
  /// - Parameters:
  ///   - keyPath: a path as for `observe(_:options:)`.
  ///   - options: what changes hold (`.old`, `.new`), and whether there is one at first
  ///     (`.initial`) and before each store (`.prior`).
  @inlinable @inline(__always) public func observeChanges<Value>(
    _ keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = [.old, .new]
  ) -> PropertySequence<PropertyChange<Value>> {
    changes(PropertyPath(keyPath), options)
  }

  @usableFromInline func changes<Value>(
    _ path: PropertyPath<Value>, _ options: KeyValueObservingOptions,
    named name: StaticString = #function
  ) -> PropertySequence<PropertyChange<Value>> {
    PropertySequence(named: name) { [weak self] observer, context in
      guard let self else { return observer.terminate(nil) }
      let recorder = ChangeRecorder(options, observer.next)
      path.attach(
        to: self, in: context,
        .init(next: recorder.record, terminate: observer.terminate, prior: recorder.prior),
        first: recorder.begin)
    }
  }
}

/// Makes changes of values, for one observer: the old value is the one delivered to it last.
final class ChangeRecorder<Value> {
  private let options: KeyValueObservingOptions
  private let downstream: (PropertyChange<Value>) -> Void
  /// The node whose values these are; nil for a chain. It lives as long as the observation.
  private weak var node: Node?
  /// Whether an object may be retained, as the property does: else it is referenced weakly.
  private var keepsObjects = false
  private let isObject: Bool
  private var last: Value?
  private weak var lastObject: AnyObject?

  init(_ options: KeyValueObservingOptions, _ downstream: @escaping (PropertyChange<Value>) -> Void)
  {
    self.options = options
    isObject = options.contains(.old) && Optionals.isReference(Value.self)
    self.downstream = downstream
  }

  /// To be called before each store; nil without the option `.prior`.
  var prior: (() -> Void)? {
    options.contains(.prior)
      ? { [self] in downstream(PropertyChange(old: old, isPrior: true)) } : nil
  }

  /// The first value of a property, delivered by `node`.
  func begin(_ value: Value, _ node: Node) {
    self.node = node
    keepsObjects = (node as? PropertyNode<Value>)?.retainsValue == true
    record(value, .initial)
  }

  /// The next value of a property.
  func record(_ value: Value) {
    record(value, node?.isDeliveringDeath == true ? .hopDied(0) : .set)
  }

  /// The next value, nil for none.
  func record(_ value: Value?, _ cause: ChangeCause) {
    let old = cause == .initial ? nil : old
    keep(value)
    guard cause != .initial || options.contains(.initial) else { return }
    let new = options.contains(.new) ? value : nil
    downstream(PropertyChange(old: old, new: new, cause: cause))
  }

  private func keep(_ value: Value?) {
    guard options.contains(.old) else { return }
    let isWeak = isObject && !keepsObjects
    last = isWeak ? nil : value
    lastObject = isWeak ? value.flatMap(Optionals.reference) : nil
  }

  // A dead object is nil where `Value` is optional, and otherwise no value.
  private var old: Value? { last ?? (isObject ? lastObject as? Value : nil) }
}
