import Synchronization

/// What an observation delivers.
public struct KeyValueObservingOptions: OptionSet, Sendable {
  public let rawValue: Int

  @inlinable
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The value there is when the subscription is made, before `subscribe` returns.
  @inlinable
  public static var initial: KeyValueObservingOptions { KeyValueObservingOptions(rawValue: 1 << 0) }
  /// The value after every change.
  @inlinable
  public static var new: KeyValueObservingOptions { KeyValueObservingOptions(rawValue: 1 << 1) }
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
    PropertyObservation(
      self, options,
      PropertyPath {
        $1?({ keyPath })
        return $0[keyPath: keyPath]
      })
  }
}

extension PropertyObservable {
  /// Emits the values of several key paths as a tuple, now and after every change of anything one of
  /// them reads.
  ///
  /// ```swift
  /// person.observe(\.name, \.age).subscribe(onNext: { name, age in … })
  /// ```
  ///
  /// - Timing: as for `observe(_:options:)` of one path. A change that several paths depend on is one
  ///   emission, with all values up to date.
  /// - Lifetime: retains neither the object nor any hop; completes when the object dies.
  /// - Complexity: all paths are evaluated anew for each change.
  /// - SeeAlso: ReactiveUI's `WhenAnyValue`.
  public func observe<First, Second, each Other>(
    _ first: KeyPath<Self, First>, _ second: KeyPath<Self, Second>,
    _ others: repeat KeyPath<Self, each Other>,
    options: KeyValueObservingOptions = [.initial, .new]
  ) -> Observable<(First, Second, repeat each Other)> {
    PropertyObservation(
      self, options,
      PropertyPath { root, _ in
        (root[keyPath: first], root[keyPath: second], repeat root[keyPath: each others])
      })
  }
}

extension PropertyObservable {
  /// Emits what the observable at the end of `keyPath` emits; when anything on the way changes,
  /// follows the one that is there then.
  ///
  /// ```swift
  /// player.observeLatest(\.track.events)      // of the current track
  /// ```
  ///
  /// - Timing: synchronous. The observable left behind is silent from then on.
  /// - Errors: an error of the observable followed ends the output.
  /// - Lifetime: retains neither the object nor any hop; completes when the object dies.
  /// - SeeAlso: ReactiveX [Switch](https://reactivex.io/documentation/operators/switch.html).
  public func observeLatest<Source: ObservableConvertibleType>(
    _ keyPath: KeyPath<Self, Source>
  ) -> Observable<Source.Element> {
    observe(keyPath).switchLatest().take(until: properties.death.ended)
  }

  /// As `observeLatest(_:)`; while the path leads to nil, nothing is emitted.
  public func observeLatest<Source: ObservableConvertibleType>(
    _ keyPath: KeyPath<Self, Source?>
  ) -> Observable<Source.Element> {
    observe(keyPath).flatMapLatest { $0?.asObservable() ?? .never() }
      .take(until: properties.death.ended)
  }
}

/// A key path as a function.
///
/// One closure that uses a literal key path and nothing else becomes a plain function in which the
/// path is folded into an access; a key path that is kept as such costs some 150 ns per read. Handing
/// the path itself out, and no closure that makes it, would have it made at every read.
@usableFromInline
struct PropertyPath<Root: PropertyObservable, Value> {
  /// Reads from the root, and tells the key path if asked to and if it is one.
  let access: (Root, ((() -> AnyKeyPath) -> Void)?) -> Value

  @usableFromInline
  init(_ access: @escaping (Root, ((() -> AnyKeyPath) -> Void)?) -> Value) { self.access = access }

  /// The value `root` has.
  func read(_ root: Root) -> Value { access(root, nil) }

  /// The key path, if it is one. Reads from `root`, too.
  func identity(_ root: Root) -> AnyKeyPath? {
    var identity: AnyKeyPath?
    _ = access(root) { identity = $0() }
    return identity
  }

  /// Attaches `observer` to whatever the path reads, from `root` on, until `context` ends or the
  /// root dies, which completes it.
  ///
  /// - Parameters:
  ///   - guess: see `PropertyNode.subscribe`.
  ///   - first: gets the value there is, before anything else is delivered.
  @inline(__always)
  func attach(
    _ observer: AnyObserver<Value>, to root: Root, in context: SubscriptionContext,
    guess: @escaping GuessingMember<Value>.Guess, after first: (Value) -> Void
  ) {
    Tracker.evaluate({ read(root) }) { value, reads in
      if let node = reads.single, node.isProperty(of: root), node.elementType == Value.self {
        // Proof: a property's broadcaster of this element type is a PropertyNode<Value>.
        unsafeDowncast(node, to: PropertyNode<Value>.self)
          .subscribe(observer, in: context, guess: guess, after: { first(value) })
      } else {
        if reads.first == nil { reportUnobservable(root) }
        let observation = TrackedObservation(root, read, observer, context)
        observation.follow(reads.all)
        observation.deliver { first(value) }
      }
    }
  }

  /// What is to take the place of `observer`, which stands in the list of `node`, now that the key
  /// path of that property is known: nil if it is this path.
  func settle(
    _ root: Root, _ node: PropertyNode<Value>, _ keyPath: AnyKeyPath?,
    _ observer: AnyObserver<Value>,
    in context: SubscriptionContext
  ) -> AnyObserver<Value>? {
    if let keyPath, keyPath == identity(root) { return nil }
    return TrackedObservation(root, read, observer, context).observer(of: node)
  }

  private func reportUnobservable(_ root: Root) {
    let identity = identity(root).map { "\($0)" } ?? ""
    guard Diagnostics.isNew(.unobservablePath, "\(Root.self) \(identity)") else { return }
    Diagnostics.report(
      .unobservablePath,
      "nothing on this path to a \(Value.self) is observable; its value is emitted once",
      type: "\(Root.self)")
  }
}

/// The observable behind `observe(_:options:)`.
@usableFromInline
final class PropertyObservation<Root: PropertyObservable, Value>: Observable<Value> {
  private weak var root: Root?
  private let path: PropertyPath<Root, Value>
  private let options: KeyValueObservingOptions

  @usableFromInline
  init(
    _ root: Root, _ options: KeyValueObservingOptions, _ path: PropertyPath<Root, Value>
  ) {
    self.root = root
    self.options = options
    self.path = path
  }

  override func run(_ observer: AnyObserver<Value>, in context: SubscriptionContext) {
    guard let root else { return observer.terminate(nil) }
    guard options.contains(.new) else {
      if options.contains(.initial) { observer.next(path.read(root)) }
      root.properties.death.whenEnded(in: context) { observer.terminate(nil) }
      return
    }
    path.attach(
      observer, to: root, in: context,
      guess: { [self] node, keyPath, observer in
        self.root.flatMap { path.settle($0, node, keyPath, observer, in: context) }
      },
      after: { value in if options.contains(.initial) { observer.next(value) } })
  }
}

/// Observes whatever a getter reads, and learns it anew at every evaluation.
final class TrackedObservation<Root: PropertyObservable, Value>: Teardown, @unchecked Sendable {
  // Proof of @unchecked: `dependencies` stands behind its mutex; the rest is immutable, and used on
  // the root's isolation domain.
  private weak var root: Root?
  private let read: (Root) -> Value
  private let output: SerializedObserver<Value>
  private let context: SubscriptionContext
  private let dependencies = Mutex<Unchecked<[Dependency]?>>(Unchecked([]))

  private struct Dependency {
    let node: AnyBroadcaster
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
    super.init()
    context.push(self)
    root.properties.death.whenEnded(in: context) { [output] in output.terminate(nil) }
  }

  /// Runs `body`, which delivers something, before anything that it causes is delivered.
  func deliver(_ body: () -> Void) {
    output.hold()
    body()
    output.resume()
  }

  /// Takes over a membership in `node`, to keep its place among the others there.
  func observer(of node: AnyBroadcaster) -> AnyObserver<Value> {
    let membership = Dependency(node: node, attachment: SubscriptionContext())
    dependencies.withLock { $0.value = [membership] }
    return AnyObserver(
      next: { _ in if membership.attachment.isActive { self.changed() } },
      terminate: { _ in })
  }

  /// Evaluates anew, follows what was read this time, and emits.
  private func changed() {
    guard context.isActive, let root else { return }
    Tracker.evaluate({ read(root) }) { value, reads in
      follow(reads.all)
      output.next(value)
    }
  }

  func follow(_ nodes: [AnyBroadcaster]) {
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
      dependency.node.onEach(in: dependency.attachment, changed)
    }
  }

  override func dispose() {
    let last = dependencies.withLock { dependencies in
      defer { dependencies.value = nil }
      return dependencies
    }
    for dependency in last.value ?? [] { dependency.attachment.dispose() }
  }
}
