/// A path from an object, one hop at a time, that retains nobody on it.
///
/// Chains are written in the closure of `observeWeakly(options:_:)`; optional hops need no `?`:
///
/// ```swift
/// person.observeWeakly { $0.manager.address.city }   // Observable<String?>
/// ```
///
/// Each hop observes one property of the object the former hop leads to, the way `flatMapLatest`
/// follows the latest inner sequence; when an object on the way dies, its hop leads nowhere. A
/// property of a value (a struct or tuple) is read from the property that holds the value.
@dynamicMemberLookup
public struct KeyPathChain<Root: PropertyObservable, Value> {
  /// Feeds an observer with what the chain leads to, from a root on. No path for the chain's
  /// beginning, which leads to the root.
  let path: ((Root, ChainObserver<Value>, SubscriptionContext) -> Void)?

  init(_ path: ((Root, ChainObserver<Value>, SubscriptionContext) -> Void)?) { self.path = path }

  @usableFromInline
  static var beginning: KeyPathChain<Root, Root> { KeyPathChain<Root, Root>(nil) }

  /// A hop from an object.
  @inlinable
  public subscript<Next>(
    dynamicMember keyPath: KeyPath<Value, Next>
  ) -> KeyPathChain<Root, Next> where Value: PropertyObservable {
    @inline(__always) get {
      KeyPathChain<Root, Next>(
        self,
        hop: PropertyPath {
          $1?({ keyPath })
          return $0[keyPath: keyPath]
        }, from: { $0 }, as: ChainHop<Value, Next>.self, ChainHop<Value, Next>.Attachment.self)
    }
  }

  /// A hop from an object that may be missing.
  @inlinable
  public subscript<Object: PropertyObservable, Next>(
    dynamicMember keyPath: KeyPath<Object, Next>
  ) -> KeyPathChain<Root, Next> where Value == Object? {
    @inline(__always) get {
      KeyPathChain<Root, Next>(
        self,
        hop: PropertyPath {
          $1?({ keyPath })
          return $0[keyPath: keyPath]
        }, from: { $0 }, as: ChainHop<Object, Next>.self, ChainHop<Object, Next>.Attachment.self)
    }
  }

  /// A property of a value.
  @inlinable
  public subscript<Next>(dynamicMember keyPath: KeyPath<Value, Next>) -> KeyPathChain<Root, Next> {
    @inline(__always) get { KeyPathChain<Root, Next>(self) { $0[keyPath: keyPath] } }
  }

  /// A property of a value that may be missing.
  @inlinable
  public subscript<Wrapped, Next>(
    dynamicMember keyPath: KeyPath<Wrapped, Next>
  ) -> KeyPathChain<Root, Next> where Value == Wrapped? {
    @inline(__always) get { KeyPathChain<Root, Next>(self) { $0?[keyPath: keyPath] } }
  }

  /// `chain`, lengthened by a property of the object it leads to.
  ///
  /// An initialiser, because it takes the closure over: a closure that is only lent is not folded.
  ///
  /// - Parameters:
  ///   - hopType, attachmentType: what is made for each subscription and each object, looked up in the
  ///     client, where the types are known and the look-up is done once.
  @usableFromInline
  init<Former, Object: PropertyObservable>(
    _ chain: KeyPathChain<Root, Former>, hop: PropertyPath<Object, Value>,
    from object: @escaping (Former) -> Object?,
    as hopType: ChainHop<Object, Value>.Type,
    _ attachmentType: ChainHop<Object, Value>.Attachment.Type
  ) {
    self.init { root, downstream, context in
      let hop = hopType.init(hop, downstream, attachmentType)
      context.push(hop)
      if let path = chain.path {
        path(
          root,
          ChainObserver(next: { hop.follow(object($0)) }, broken: { hop.follow(nil) }),
          context)
      } else if let root = root as? Former {
        // The chain's beginning: Former is Root.
        hop.follow(object(root))
      }
    }
  }

  /// `chain`, lengthened by a property of the value it leads to.
  @usableFromInline
  init<Former>(_ chain: KeyPathChain<Root, Former>, _ read: @escaping (Former) -> Value?) {
    self.init(
      chain.path.map { path in
        { root, downstream, context in
          path(
            root,
            ChainObserver(
              next: { former in
                if let value = read(former) { downstream.next(value) } else { downstream.broken() }
              },
              broken: downstream.broken),
            context)
        }
      })
  }
}

/// An observer of a chain, or of the beginning of one: gets what it leads to, or that it is broken.
struct ChainObserver<Value> {
  let next: (Value) -> Void
  let broken: () -> Void
}

extension PropertyObservable {
  /// Follows a chain of properties without retaining anyone on it.
  ///
  /// | event | what is emitted |
  /// | --- | --- |
  /// | subscribe, `.initial` | one: the leaf's value, or nil if the chain is broken |
  /// | subscribe, `.new` only | nothing |
  /// | leaf set | one, also when equal |
  /// | hop replaced | one: the new leaf's value; the detached branch is silent from then on |
  /// | hop becomes nil, or its object dies | one nil; while broken, nothing |
  /// | nil hop gets an object | one: its leaf's value, also when equal to the one before the gap |
  /// | root dies | nil unless the last emission was nil, then completion |
  ///
  /// - Timing: synchronous, on the mutating thread.
  /// - Lifetime: retains neither the object nor any hop nor the leaf.
  /// - Complexity: a leaf set is O(1), whatever the length of the chain; replacing a hop costs the
  ///   hops after it.
  /// - Parameters:
  ///   - options: whether to emit the value there is (`.initial`) and the changes (`.new`).
  ///   - path: the chain: `{ $0.manager.address.city }`.
  @inlinable
  public func observeWeakly<Leaf>(
    options: KeyValueObservingOptions = [.initial, .new],
    _ path: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Leaf>
  ) -> Observable<Leaf?> {
    chainObservation(path(KeyPathChain<Self, Self>.beginning), options) { value, next in
      next(value)
      return false
    }
  }

  /// Follows a chain whose leaf is optional: nil stands for a nil leaf and for a broken chain.
  @inlinable
  public func observeWeakly<Leaf>(
    options: KeyValueObservingOptions = [.initial, .new],
    _ path: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Leaf?>
  ) -> Observable<Leaf?> {
    chainObservation(path(KeyPathChain<Self, Self>.beginning), options) { value, next in
      next(value)
      return value == nil
    }
  }

  /// - Parameter deliver: delivers a value as the leaf, and returns whether that is nil.
  @usableFromInline
  func chainObservation<Value, Leaf>(
    _ chain: KeyPathChain<Self, Value>, _ options: KeyValueObservingOptions,
    _ deliver: @escaping (Value, (Leaf?) -> Void) -> Bool
  ) -> Observable<Leaf?> {
    Source { [weak self] downstream, context in
      guard let self else { return downstream.terminate(nil) }
      let output = ChainOutput(options, deliver, downstream)
      properties.death.whenEnded(in: context, output.rootDied)
      if let path = chain.path {
        path(self, ChainObserver(next: output.next, broken: output.broken), context)
      } else if let root = self as? Value {
        output.next(root)
      }
      output.start()
    }
  }
}

/// One hop of a chain: `flatMapLatest { $0.map { $0.observe(hop) } ?? .just(nil) }`, fused with the
/// observation it switches to, and with nil in the place of its completion (which is the death of
/// the object).
///
///     upstream   --A--------B-----nil--
///     A.hop        1--2--3
///     B.hop                 4--5
///     downstream --1--2--3--4--5--nil--
///
/// One serializer orders the two sides: an element of a detached object, also one under way, is
/// dropped. Attaching inside the serializer is sound here, where it is not in `flatMapLatest`: the
/// inner sequence is a property, which never emits without end.
@usableFromInline
final class ChainHop<Object: PropertyObservable, Next>: Teardown, @unchecked Sendable {
  // Proof of @unchecked: `current` and `isDisposed` belong to the owner of the serializer.
  fileprivate let path: PropertyPath<Object, Next>
  private let downstream: ChainObserver<Next>
  private let serializer = Serializer()
  // Proof of unchecked: the serializer has one owner at a time.
  @exclusivity(unchecked)
  private var current: Attachment?
  @exclusivity(unchecked)
  private var isDisposed = false
  /// Kept, because looking up a generic class costs more than making one of its objects.
  private let attachmentType: Attachment.Type

  required init(
    _ path: PropertyPath<Object, Next>, _ downstream: ChainObserver<Next>,
    _ attachmentType: Attachment.Type
  ) {
    self.attachmentType = attachmentType
    self.path = path
    self.downstream = downstream
  }

  /// Leaves the former object and observes this one.
  func follow(_ object: Object?) { serializer.run { self.attach(object) } }

  fileprivate func next(_ value: Next, of attachment: Attachment) {
    serializer.run { if attachment === self.current { self.downstream.next(value) } }
  }

  fileprivate func ended(_ attachment: Attachment) { serializer.run { self.lose(attachment) } }

  @usableFromInline
  override func dispose() { serializer.run { self.close() } }

  private func lose(_ attachment: Attachment) {
    guard attachment === current else { return }
    current = nil
    downstream.broken()
  }

  private func close() {
    isDisposed = true
    detach()
  }

  private func attach(_ object: Object?) {
    guard !isDisposed else { return }
    detach()
    guard let object else { return downstream.broken() }
    let attachment = attachmentType.init(self, object)
    current = attachment
    path.attach(
      AnyObserver(next: attachment.next, terminate: attachment.terminate), to: object,
      in: attachment, guess: attachment.settle, after: downstream.next)
  }

  private func detach() {
    let former = current
    current = nil
    former?.dispose()
  }

  /// The observation of one object.
  @usableFromInline
  final class Attachment: SubscriptionContext, @unchecked Sendable {
    // Proof of @unchecked: immutable, above its superclass.
    private let hop: ChainHop
    /// Proof of unowned(unsafe): used inside the object's own setters only.
    private unowned(unsafe) let object: Object

    required init(_ hop: ChainHop, _ object: Object) {
      self.hop = hop
      self.object = object
    }

    func next(_ value: Next) { hop.next(value, of: self) }

    func terminate(_: (any Error)?) {
      dispose()
      hop.ended(self)
    }

    func settle(
      _ node: PropertyNode<Next>, _ keyPath: AnyKeyPath?, _ observer: AnyObserver<Next>
    ) -> AnyObserver<Next>? {
      hop.path.settle(object, node, keyPath, observer, in: self)
    }
  }
}

/// The end of a chain, where the emission table of `observeWeakly` is kept.
private final class ChainOutput<Value, Leaf> {
  private let options: KeyValueObservingOptions
  private let deliver: (Value, (Leaf?) -> Void) -> Bool
  private let downstream: AnyObserver<Leaf?>
  private let serializer = Serializer()
  /// Owned by the serializer's owner, as are the others.
  private var isStarting = true
  private var isBroken = false
  private var isNil = false

  init(
    _ options: KeyValueObservingOptions, _ deliver: @escaping (Value, (Leaf?) -> Void) -> Bool,
    _ downstream: AnyObserver<Leaf?>
  ) {
    self.options = options
    self.deliver = deliver
    self.downstream = downstream
  }

  func next(_ value: Value) { serializer.run { self.emit(value) } }

  func broken() { serializer.run { self.emitNil() } }

  /// From now on what comes is a change.
  func start() { serializer.run { self.isStarting = false } }

  func rootDied() { serializer.run { self.close() } }

  private func close() {
    if !isNil { emitNil() }
    downstream.terminate(nil)
  }

  private var isWanted: Bool { options.contains(isStarting ? .initial : .new) }

  private func emit(_ value: Value) {
    isBroken = false
    isNil = deliver(value, isWanted ? downstream.next : { _ in })
  }

  private func emitNil() {
    guard !isBroken else { return }
    isBroken = true
    isNil = true
    if isWanted { downstream.next(nil) }
  }
}
