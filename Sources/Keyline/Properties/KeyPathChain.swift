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
  /// What the chain leads to, now and on every change; nil while it is broken. No path for the
  /// chain's beginning, which leads to the root.
  @usableFromInline
  let path: ((Root) -> Observable<Value?>)?

  @usableFromInline
  init(_ path: ((Root) -> Observable<Value?>)?) { self.path = path }

  /// A hop from an object.
  @inlinable
  public subscript<Next>(
    dynamicMember keyPath: KeyPath<Value, Next>
  ) -> KeyPathChain<Root, Next> where Value: PropertyObservable {
    @inline(__always) get { hop(keyPath, through: { $0 }, { $0[keyPath: keyPath] }) }
  }

  /// A hop from an object that may be missing.
  @inlinable
  public subscript<Object: PropertyObservable, Next>(
    dynamicMember keyPath: KeyPath<Object, Next>
  ) -> KeyPathChain<Root, Next> where Value == Object? {
    @inline(__always) get { hop(keyPath, through: { $0 }, { $0[keyPath: keyPath] }) }
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
    _ keyPath: KeyPath<Object, Next>, through object: @escaping (Value) -> Object?,
    _ read: @escaping (Object) -> Next
  ) -> KeyPathChain<Root, Next> {
    func observe(_ object: Object) -> Observable<Next?> {
      PropertyObservation(object, keyPath, [.initial, .new], read: read).map(Optional.some)
    }
    guard let path else {
      // The chain's beginning: Value is Root, and its death ends the sequence.
      return KeyPathChain<Root, Next> { root in
        (root as? Value).flatMap(object).map(observe) ?? .empty()
      }
    }
    return KeyPathChain<Root, Next> { root in
      path(root).flatMapLatest { value in
        value.flatMap(object).map { observe($0).thenBroken() } ?? .just(nil)
      }
    }
  }

  /// Lengthens the chain by a property of the value it leads to.
  @usableFromInline
  func project<Next>(_ read: @escaping (Value) -> Next?) -> KeyPathChain<Root, Next> {
    KeyPathChain<Root, Next>(
      path.map { path in { root in path(root).map { $0.flatMap(read) } } })
  }
}

extension Observable {
  /// Turns the completion of a hop, which is its object's death, into a broken chain.
  fileprivate func thenBroken<Value>() -> Observable<Element> where Element == Value? {
    lift { downstream in
      AnyObserver(
        next: downstream.next,
        terminate: { error in
          downstream.next(nil)
          downstream.terminate(error)
        }
      )
    }
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
    chainObservation(path(KeyPathChain(nil)), options, flatten: { $0 })
  }

  /// Follows a chain whose leaf is optional: nil stands for a nil leaf and for a broken chain.
  @inlinable
  public func observeWeakly<Leaf>(
    options: KeyValueObservingOptions = [.initial, .new],
    _ path: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Leaf?>
  ) -> Observable<Leaf?> {
    chainObservation(path(KeyPathChain(nil)), options, flatten: { $0 ?? nil })
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
        path(self).run(in: context.child(), next: output.next, terminate: output.rootDied)
      } else {
        output.next(self as? Value)
      }
      output.start()
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
