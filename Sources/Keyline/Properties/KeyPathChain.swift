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
  /// Feeds an observer with what the chain leads to, from a root on: nil while it is broken. No path
  /// for the chain's beginning, which leads to the root.
  let path: ((Root, AnyObserver<Value?>, SubscriptionContext) -> Void)?

  init(_ path: ((Root, AnyObserver<Value?>, SubscriptionContext) -> Void)?) { self.path = path }

  @usableFromInline
  static var beginning: KeyPathChain<Root, Root> { KeyPathChain<Root, Root>(nil) }

  /// A hop from an object.
  @inlinable
  public subscript<Next>(
    dynamicMember keyPath: KeyPath<Value, Next>
  ) -> KeyPathChain<Root, Next> where Value: PropertyObservable {
    @inline(__always) get {
      hop(PropertyPath(identify: { keyPath }, read: { $0[keyPath: keyPath] }), from: { $0 })
    }
  }

  /// A hop from an object that may be missing.
  @inlinable
  public subscript<Object: PropertyObservable, Next>(
    dynamicMember keyPath: KeyPath<Object, Next>
  ) -> KeyPathChain<Root, Next> where Value == Object? {
    @inline(__always) get {
      hop(PropertyPath(identify: { keyPath }, read: { $0[keyPath: keyPath] }), from: { $0 })
    }
  }

  /// A property of a value.
  @inlinable
  public subscript<Next>(dynamicMember keyPath: KeyPath<Value, Next>) -> KeyPathChain<Root, Next> {
    @inline(__always) get { project { $0[keyPath: keyPath] } }
  }

  /// A property of a value that may be missing.
  @inlinable
  public subscript<Wrapped, Next>(
    dynamicMember keyPath: KeyPath<Wrapped, Next>
  ) -> KeyPathChain<Root, Next> where Value == Wrapped? {
    @inline(__always) get { project { $0?[keyPath: keyPath] } }
  }

  /// Lengthens the chain by a property of the object it leads to.
  @usableFromInline
  func hop<Object: PropertyObservable, Next>(
    _ next: PropertyPath<Object, Next>, from object: @escaping (Value) -> Object?
  ) -> KeyPathChain<Root, Next> {
    KeyPathChain<Root, Next> { root, downstream, context in
      let hop = ChainHop(next, downstream)
      context.push(hop)
      if let path {
        path(
          root,
          AnyObserver(next: { hop.follow($0.flatMap(object)) }, terminate: downstream.terminate),
          context)
      } else {
        // The chain's beginning: Value is Root.
        hop.follow((root as? Value).flatMap(object))
      }
    }
  }

  /// Lengthens the chain by a property of the value it leads to.
  @usableFromInline
  func project<Next>(_ read: @escaping (Value) -> Next?) -> KeyPathChain<Root, Next> {
    KeyPathChain<Root, Next>(
      path.map { path in
        { root, downstream, context in
          path(
            root,
            AnyObserver(
              next: { downstream.next($0.flatMap(read)) }, terminate: downstream.terminate),
            context)
        }
      })
  }
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
    chainObservation(path(KeyPathChain<Self, Self>.beginning), options, flatten: { $0 })
  }

  /// Follows a chain whose leaf is optional: nil stands for a nil leaf and for a broken chain.
  @inlinable
  public func observeWeakly<Leaf>(
    options: KeyValueObservingOptions = [.initial, .new],
    _ path: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Leaf?>
  ) -> Observable<Leaf?> {
    chainObservation(path(KeyPathChain<Self, Self>.beginning), options, flatten: { $0 ?? nil })
  }

  @usableFromInline
  func chainObservation<Value, Leaf>(
    _ chain: KeyPathChain<Self, Value>, _ options: KeyValueObservingOptions,
    flatten: @escaping (Value?) -> Leaf?
  ) -> Observable<Leaf?> {
    Source { [weak self] downstream, context in
      guard let self else { return downstream.terminate(nil) }
      let output = ChainOutput(options, flatten, downstream)
      properties.death.ended.run(in: context.child(), next: { _ in }, terminate: output.rootDied)
      if let path = chain.path {
        path(self, AnyObserver(next: output.next, terminate: output.rootDied), context)
      } else {
        output.next(self as? Value)
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
private final class ChainHop<Object: PropertyObservable, Next>: Teardown, @unchecked Sendable {
  // Proof of @unchecked: `current` and `isDisposed` belong to the owner of the serializer.
  fileprivate let path: PropertyPath<Object, Next>
  private let downstream: AnyObserver<Next?>
  private let serializer = Serializer<Message>()
  private var current: Attachment?
  private var isDisposed = false

  private enum Message {
    case follow(Object?)
    case next(Next, Attachment)
    case ended(Attachment)
    case dispose
  }

  init(_ path: PropertyPath<Object, Next>, _ downstream: AnyObserver<Next?>) {
    self.path = path
    self.downstream = downstream
  }

  /// Leaves the former object and observes this one.
  func follow(_ object: Object?) {
    guard serializer.enter() else { return queue(.follow(object)) }
    attach(object)
    leave()
  }

  fileprivate func next(_ value: Next, of attachment: Attachment) {
    guard serializer.enter() else { return queue(.next(value, attachment)) }
    if attachment === current { downstream.next(value) }
    leave()
  }

  fileprivate func ended(_ attachment: Attachment) { queue(.ended(attachment)) }

  override func dispose() { queue(.dispose) }

  @inline(never)
  private func queue(_ message: @autoclosure () -> Message) { serializer.send(message(), handle) }

  @inline(__always)
  private func leave() {
    if !serializer.tryLeave() { drain() }
  }

  @inline(never)
  private func drain() { serializer.leave(handle) }

  private func handle(_ message: Message) {
    switch message {
    case .follow(let object): attach(object)
    case .next(let value, let attachment):
      if attachment === current { downstream.next(value) }
    case .ended(let attachment):
      guard attachment === current else { return }
      current = nil
      downstream.next(nil)
    case .dispose:
      isDisposed = true
      detach()
    }
  }

  private func attach(_ object: Object?) {
    guard !isDisposed else { return }
    detach()
    guard let object else { return downstream.next(nil) }
    let attachment = Attachment(self, object)
    current = attachment
    path.attach(
      AnyObserver(next: attachment.next, terminate: attachment.terminate), to: object,
      in: attachment, guess: attachment, after: { downstream.next($0) })
  }

  private func detach() {
    let former = current
    current = nil
    former?.dispose()
  }

  /// The observation of one object.
  fileprivate final class Attachment: SubscriptionContext, PathGuess, @unchecked Sendable {
    // Proof of @unchecked: immutable, above its superclass.
    private let hop: ChainHop
    /// Proof of unowned(unsafe): used inside the object's own setters only.
    private unowned(unsafe) let object: Object

    init(_ hop: ChainHop, _ object: Object) {
      self.hop = hop
      self.object = object
    }

    func next(_ value: Next) { hop.next(value, of: self) }

    func terminate(_: (any Error)?) {
      dispose()
      hop.ended(self)
    }

    func isRight(about keyPath: AnyKeyPath) -> Bool { hop.path.identify() == keyPath }

    func observer(
      insteadOf observer: AnyObserver<Next>, of node: PropertyNode<Next>,
      in context: SubscriptionContext
    ) -> AnyObserver<Next> {
      TrackedObservation(object, hop.path.read, observer, context).observer(of: node)
    }
  }
}

/// The end of a chain, where the emission table of `observeWeakly` is kept.
private final class ChainOutput<Value, Leaf> {
  private let options: KeyValueObservingOptions
  private let flatten: (Value?) -> Leaf?
  private let downstream: AnyObserver<Leaf?>
  private let serializer = Serializer<Message>()
  /// Owned by the serializer's owner, as are the others.
  private var isStarting = true
  private var isBroken = false
  private var isNil = false

  private enum Message {
    case next(Value?)
    case started
    case rootDied
  }

  init(
    _ options: KeyValueObservingOptions, _ flatten: @escaping (Value?) -> Leaf?,
    _ downstream: AnyObserver<Leaf?>
  ) {
    self.options = options
    self.flatten = flatten
    self.downstream = downstream
  }

  func next(_ value: Value?) {
    guard serializer.enter() else { return queue(value) }
    emit(value)
    if !serializer.tryLeave() { drain() }
  }

  @inline(never)
  private func queue(_ value: Value?) { serializer.send(.next(value), handle) }

  @inline(never)
  private func drain() { serializer.leave(handle) }

  /// From now on what comes is a change.
  func start() { serializer.send(.started, handle) }

  func rootDied(_: (any Error)?) { serializer.send(.rootDied, handle) }

  private func handle(_ message: Message) {
    switch message {
    case .next(let value): emit(value)
    case .started: isStarting = false
    case .rootDied:
      if !isNil { emit(nil) }
      downstream.terminate(nil)
    }
  }

  private func emit(_ value: Value?) {
    let wasBroken = isBroken
    isBroken = value == nil
    if isBroken && wasBroken { return }
    let leaf = flatten(value)
    isNil = leaf == nil
    if options.contains(isStarting ? .initial : .new) { downstream.next(leaf) }
  }
}
