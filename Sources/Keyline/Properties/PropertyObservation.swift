import Synchronization

/// What an observation delivers.
public struct KeyValueObservingOptions: OptionSet, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The value there is when the subscription is made, before `subscribe` returns.
  public static let initial = KeyValueObservingOptions(rawValue: 1 << 0)
  /// The value after every change.
  public static let new = KeyValueObservingOptions(rawValue: 1 << 1)
}

extension PropertyObservable {
  /// Emits the value of `keyPath` now and after every change of anything it reads.
  ///
  /// `keyPath` may lead to a stored property, over several hops, or to a computed property:
  ///
  /// ```swift
  /// person.observe(\.name)            // Observable<String>
  /// person.observe(\.address?.city)   // Observable<String?>; follows replacement of address
  /// person.observe(\.label)           // follows name, address and city
  /// ```
  ///
  /// - Timing: after the store, synchronously, on the mutating thread, in subscription order. Every
  ///   set is one emission, equal values included.
  /// - Lifetime: retains neither the object nor any hop; completes when the object dies, and at once
  ///   if it has died already.
  /// - Complexity: O(1) per set of a stored property, with no key path involved; other paths are
  ///   evaluated anew for each change.
  /// - Parameters:
  ///   - keyPath: a path on which something is `@Observed`. One with nothing observable on it emits
  ///     its value once and is reported as `unobservablePath`.
  ///   - options: whether to emit the value there is (`.initial`) and the changes (`.new`).
  @inlinable @inline(__always)
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = [.initial, .new]
  ) -> Observable<Value> {
    PropertyObservation(self, keyPath, options) { $0[keyPath: keyPath] }
  }
}

/// The observable behind `observe(_:options:)`.
@usableFromInline
final class PropertyObservation<Root: PropertyObservable, Value>: Observable<Value> {
  private weak var root: Root?
  private let keyPath: KeyPath<Root, Value>
  private let options: KeyValueObservingOptions
  private let read: (Root) -> Value

  /// - Parameter read: projects by `keyPath`; a closure made where the path is a literal costs a
  ///   plain access, where `root[keyPath:]` costs some 150 ns.
  @usableFromInline
  init(
    _ root: Root, _ keyPath: KeyPath<Root, Value>, _ options: KeyValueObservingOptions,
    read: @escaping (Root) -> Value
  ) {
    self.root = root
    self.keyPath = keyPath
    self.options = options
    self.read = read
  }

  override func run(_ observer: AnyObserver<Value>, in context: SubscriptionContext) {
    guard let root else { return observer.terminate(nil) }
    let (value, nodes) = Tracker.track { read(root) }
    let initial = options.contains(.initial) ? value : nil
    guard options.contains(.new) else {
      if let initial { observer.next(initial) }
      root.properties.death.ended.run(in: context.child(), next: { _ in }) { _ in
        observer.terminate(nil)
      }
      return
    }
    if nodes.count == 1, let node = nodes[0] as? PropertyNode<Value>, node.owner === root,
      node.keyPath == nil || node.keyPath == keyPath
    {
      StoredObservation(keyPath, node, self, observer, context).start(initial)
    } else {
      reportIfUnobservable(nodes)
      TrackedObservation(root, read, observer, context).start(initial, following: nodes)
    }
  }

  /// Goes on with an evaluation per change. For a path that looked like a stored property.
  fileprivate func track(_ observer: AnyObserver<Value>, in context: SubscriptionContext) {
    guard let root else { return }
    TrackedObservation(root, read, observer, context).changed()
  }

  private func reportIfUnobservable(_ nodes: [any PropertyNodeType]) {
    guard nodes.isEmpty, Unobservable.isNew("\(Root.self) \(keyPath)") else { return }
    Diagnostics.report(
      .unobservablePath,
      "nothing on this path to a \(Value.self) is observable; its value is emitted once",
      type: "\(Root.self)")
  }
}

/// Which unobservable paths have been reported.
private enum Unobservable {
  private static let reported = Mutex<Set<String>>([])

  static func isNew(_ path: String) -> Bool { reported.withLock { $0.insert(path).inserted } }
}

/// Observes a path that reads one property, of the root and of the path's own type.
///
/// That is either the property itself, whose node delivers the new values as they are, or a computed
/// property made from it alone. Which of the two, the property's own key path tells, and that is
/// known from the first set on.
private final class StoredObservation<Root: PropertyObservable, Value> {
  private let keyPath: KeyPath<Root, Value>
  private let node: PropertyNode<Value>
  private let origin: PropertyObservation<Root, Value>
  private let observer: AnyObserver<Value>
  private let context: SubscriptionContext
  private let attachment: SubscriptionContext
  private var isConfirmed: Bool

  init(
    _ keyPath: KeyPath<Root, Value>, _ node: PropertyNode<Value>,
    _ origin: PropertyObservation<Root, Value>, _ observer: AnyObserver<Value>,
    _ context: SubscriptionContext
  ) {
    self.keyPath = keyPath
    self.node = node
    self.origin = origin
    self.observer = observer
    self.context = context
    isConfirmed = node.keyPath != nil
    attachment = isConfirmed ? context : context.child()
  }

  func start(_ initial: Value?) {
    node.subscribe(
      isConfirmed ? observer : AnyObserver(next: next, terminate: observer.terminate),
      in: attachment, after: { if let initial { observer.next(initial) } })
  }

  private func next(_ value: Value) {
    if isConfirmed || node.keyPath == keyPath {
      isConfirmed = true
      observer.next(value)
    } else {
      attachment.dispose()
      origin.track(observer, in: context)
    }
  }
}

/// Observes whatever a getter reads, and learns it anew at every evaluation.
private final class TrackedObservation<Root: PropertyObservable, Value>: Disposable,
  @unchecked Sendable
{
  // Proof of @unchecked: `dependencies` stands behind its mutex; the rest is immutable, and used on
  // the root's isolation domain.
  private weak var root: Root?
  private let read: (Root) -> Value
  private let output: SerializedObserver<Value>
  private let context: SubscriptionContext
  private let dependencies = Mutex<Unchecked<[Dependency]?>>(Unchecked([]))

  private struct Dependency {
    let node: any PropertyNodeType
    let attachment: SubscriptionContext
  }

  init(
    _ root: Root, _ read: @escaping (Root) -> Value, _ observer: AnyObserver<Value>,
    _ context: SubscriptionContext
  ) {
    self.root = root
    self.read = read
    self.context = context
    output = SerializedObserver(observer)
    context.add(self)
    root.properties.death.ended.run(in: context.child(), next: { _ in }) { [output] _ in
      output.terminate(nil)
    }
  }

  func start(_ initial: Value?, following nodes: [any PropertyNodeType]) {
    follow(nodes)
    if let initial { output.next(initial) }
  }

  /// Evaluates anew, follows what was read this time, and emits.
  func changed() {
    guard context.isActive, let root else { return }
    let (value, nodes) = Tracker.track { read(root) }
    follow(nodes)
    output.next(value)
  }

  private func follow(_ nodes: [any PropertyNodeType]) {
    guard let former = dependencies.withLock({ $0 }).value,
      !former.elementsEqual(nodes, by: { $0.node === $1 })
    else { return }
    var leaving = Dictionary(
      former.map { (ObjectIdentifier($0.node), $0) }, uniquingKeysWith: { first, _ in first })
    var following: [ObjectIdentifier: Dependency] = [:]
    var joining: [Dependency] = []
    let next = nodes.map { node in
      let id = ObjectIdentifier(node)
      if let dependency = following[id] ?? leaving.removeValue(forKey: id) {
        following[id] = dependency
        return dependency
      }
      let dependency = Dependency(node: node, attachment: SubscriptionContext())
      following[id] = dependency
      joining.append(dependency)
      return dependency
    }
    // Proof of Unchecked: handed to the mutex that guards it from now on.
    let replacement = Unchecked(Optional(next))
    let isDisposed = dependencies.withLock { dependencies in
      if dependencies.value != nil { dependencies = replacement }
      return dependencies.value == nil
    }
    for dependency in leaving.values { dependency.attachment.dispose() }
    guard !isDisposed else { return }
    for dependency in joining {
      dependency.node.onChange(in: dependency.attachment, changed)
    }
  }

  func dispose() {
    let last = dependencies.withLock { dependencies in
      defer { dependencies.value = nil }
      return dependencies
    }
    for dependency in last.value ?? [] { dependency.attachment.dispose() }
  }
}
