// Chains: paths from an object to a leaf, one object at a time, that retain nothing on the way.

/// A path from an object, one hop at a time, that retains nothing on it.
///
/// Chains are written in the closure of `observeWeakly(options:_:)`; optional hops need no `?`:
///
/// ```swift
/// _ = person.observeWeakly { $0.manager.address.city }   // Observable<String?>
/// ```
///
/// A chain is the path to the leaf's owner, and the leaf. Each hop observes one property of the
/// object the previous hop leads to; when an object on the way dies, the chain is broken. A
/// property of a value (a struct or tuple) is read together with the property that holds the value.
/// Whether a hop is an object is determined from its type, when the chain is made.
@dynamicMemberLookup public struct KeyPathChain<Root: PropertyObservable, Value> {
  /// The last property; nil for the beginning of a chain.
  @usableFromInline let leaf: ChainLeaf<Value>?

  /// Leads to the root.
  @usableFromInline static var beginning: KeyPathChain<Root, Root> {
    KeyPathChain<Root, Root>(leaf: nil)
  }

  init(leaf: ChainLeaf<Value>?) { self.leaf = leaf }

  /// A property of the object, or of the value, that the chain leads to.
  ///
  /// The closure is made last, with nothing after it but a store: then the optimiser turns it into
  /// a plain function, in which the key path is folded into an access.
  @inlinable @inline(__always)
  public subscript<Next>(dynamicMember keyPath: KeyPath<Value, Next>) -> KeyPathChain<Root, Next> {
    KeyPathChain<Root, Next>(after: leaf, { $0 }) { holder, transaction in
      if let transaction { identify({ keyPath }, in: transaction) }
      return held(by: holder, as: Value.self)[keyPath: keyPath]
    }
  }

  /// The chain to the property that `access` reads of the holder that `unwrap` finds in what `leaf` leads to.
  @usableFromInline init<Previous, Holder>(
    after leaf: ChainLeaf<Previous>?, _ unwrap: @escaping (Previous) -> Holder?,
    _ access: @escaping PropertyAccess<Value>
  ) {
    self.init(leaf: ChainLeaf(after: leaf, root: Root.self, unwrap, access))
  }
}

extension KeyPathChain {
  /// A property of the object, or of the value, that the chain leads to and that may be missing.
  @_disfavoredOverload @inlinable @inline(__always)
  public subscript<Wrapped, Next>(
    dynamicMember keyPath: KeyPath<Wrapped, Next>
  ) -> KeyPathChain<Root, Next> where Value == Wrapped? {
    KeyPathChain<Root, Next>(after: leaf, { $0 }) { holder, transaction in
      if let transaction { identify({ keyPath }, in: transaction) }
      return held(by: holder, as: Wrapped.self)[keyPath: keyPath]
    }
  }
}

/// The beginning of a chain that is observed: the argument of its closure.
///
/// Reading a property of it is mutating, so that a key path does not stand in for the closure.
@dynamicMemberLookup public struct ChainRoot<Root: PropertyObservable> {
  @usableFromInline init() {}

  /// The chain of one property.
  @inlinable @inline(__always)
  public subscript<Next>(dynamicMember keyPath: KeyPath<Root, Next>) -> KeyPathChain<Root, Next> {
    mutating get { KeyPathChain<Root, Root>.beginning[dynamicMember: keyPath] }
  }
}

extension PropertyObservable {
  /// The last property of the chain that `path` leads through.
  @inlinable @inline(__always) func leaf<Leaf>(
    of path: (inout ChainRoot<Self>) -> KeyPathChain<Self, Leaf>
  ) -> ChainLeaf<Leaf>? {
    var root = ChainRoot<Self>()
    return path(&root).leaf
  }
}

// MARK: Hops

/// One observed property on a chain, as it is found in each object on the way.
@usableFromInline class ChainHop {
  /// The hop to the object that has the property; nil if that is the root.
  final let previous: ChainHop?
  /// Which property of the chain it is, counted from 0.
  final let index: Int
  /// Which property of the chain the value is that it leads to: this one, or a member of its value.
  final let leafIndex: Int
  /// The node of the property in an object; nil if it has no such property, which has been reported.
  final let node: (AnyObject, Transaction) -> Node?

  init(
    after previous: ChainHop?, index: Int, leafIndex: Int,
    node: @escaping (AnyObject, Transaction) -> Node?
  ) {
    self.previous = previous
    self.index = index
    self.leafIndex = leafIndex
    self.node = node
  }

  /// The object that the property of an object leads to.
  func next(of owner: AnyObject) -> AnyObject? { nil }

  /// This hop and those before it, the first one first.
  final var path: [ChainHop] {
    var hops: [ChainHop] = []
    var hop: ChainHop? = self
    while let current = hop {
      hops.append(current)
      hop = current.previous
    }
    return hops.reversed()
  }
}

/// The last property of a chain, or of the part of it that has been written.
///
/// A member of a value (of a struct, or of an object that cannot be observed) is read together with the
/// property that holds the value: that one is observed.
@usableFromInline final class ChainLeaf<Value>: ChainHop {
  /// The value, read from the object that has the observed property; nil if it is missing.
  @usableFromInline final let read: (AnyObject) -> Value?
  /// Reads the value of a property, which is never missing; nil for a member of one.
  @usableFromInline final let direct: PropertyAccess<Value>?
  /// Sets the value, in the object that has the observed property; nil if that cannot be done.
  var set: ((AnyObject, Value) -> Void)?
  /// Whether what it leads to is an object whose properties can be observed.
  private lazy var leadsToObject = isReferenceToObservable(Value.self)

  /// - Parameters:
  ///   - leaf: what leads to the holder of the property.
  ///   - unwrap: the holder in a value of `leaf`; nil if it is missing.
  ///   - access: reads the property of the holder.
  init<Previous, Holder, Root>(
    after leaf: ChainLeaf<Previous>?, root: Root.Type, _ unwrap: @escaping (Previous) -> Holder?,
    _ access: @escaping PropertyAccess<Value>
  ) {
    guard let leaf, !leaf.leadsToObject else {
      let path = PropertyPath(access)
      let index = leaf.map { $0.leafIndex + 1 } ?? 0
      read = path.read
      direct = access
      super.init(after: leaf, index: index, leafIndex: index) { path.node(of: $0, .hop, in: $1) }
      return
    }
    let access =
      Holder.self is AnyClass ? reportingUnobservable(access, of: Holder.self, root) : access
    read = { owner in
      leaf.read(owner).flatMap(unwrap).map { access(holder(of: $0), nil) }
    }
    direct = nil
    super.init(
      after: leaf.previous, index: leaf.index, leafIndex: leaf.leafIndex + 1, node: leaf.node)
  }

  /// A leaf that is looked up in each object.
  init(
    after previous: ChainHop?, index: Int,
    node: @escaping (AnyObject, Transaction) -> Node?, read: @escaping (AnyObject) -> Value?
  ) {
    self.read = read
    direct = nil
    super.init(after: previous, index: index, leafIndex: index, node: node)
  }

  override func next(of owner: AnyObject) -> AnyObject? {
    read(owner).flatMap { Optionals.reference(in: $0) }
  }
}

/// Whether values of `type` are objects whose properties can be observed: of such a class, or of a
/// protocol that only classes conform to.
func isReferenceToObservable(_ type: Any.Type) -> Bool {
  let type = Optionals.wrapped(in: type)
  // The class first: a conformance is looked up, which takes longer than all the rest.
  return type is ReactiveBase.Type || type is any PropertyObservable.Type
    || !(type is AnyClass) && Optionals.isReference(type)
}

// MARK: Members of values

/// The object that `value` is, or one that holds it.
private func holder<Value>(of value: Value) -> AnyObject {
  Value.self is AnyClass ? value as AnyObject : ValueHolder(value)
}

/// The value that `holder` is, or holds.
@inlinable @inline(__always)
func held<Value>(by holder: AnyObject, as type: Value.Type) -> Value {
  // Proof of the cast: a class type is a reference, and the object came out of a value of it.
  type is AnyClass ? reference(holder, as: type) : heldValue(by: holder)
}

@usableFromInline func heldValue<Value>(by holder: AnyObject) -> Value {
  if let holder = holder as? ValueHolder<Value> { return holder.value }
  guard let value = holder as? Value else { fatalError("a holder of another value") }
  return value
}

/// Holds a value whose members a chain reads.
private final class ValueHolder<Value> {
  let value: Value

  init(_ value: Value) { self.value = value }
}

/// `access`, which reports its property the first time: the changes of a class that is not observable go
/// unnoticed. Constants do not change.
private func reportingUnobservable<Value>(
  _ access: @escaping PropertyAccess<Value>, of type: Any.Type, _ root: Any.Type
) -> PropertyAccess<Value> {
  var isReported = false
  return { holder, transaction in
    if !isReported {
      isReported = true
      let transaction = Transaction.current
      let keyPath = transaction.identify(holder) { _ = access(holder, transaction) }.keyPath
      if let keyPath { reportUnobservable(keyPath, of: type, root) }
    }
    return access(holder, transaction)
  }
}

private func reportUnobservable(_ keyPath: AnyKeyPath, of type: Any.Type, _ root: Any.Type) {
  // A stored property describes itself as `\Class.name`, a computed one by an address.
  let description = "\(keyPath)".split(separator: ".", maxSplits: 1).last.map(String.init)
  let name = description.flatMap { $0.hasPrefix("<") ? nil : $0 }
  guard name == nil || Swift.type(of: keyPath) is any WritableKeyPathType.Type else { return }
  Diagnostics.report(
    .unobservablePath,
    "a chain of \(root) leads through this class, whose properties are not observable: "
      + "changes of this one go unnoticed",
    of: type, property: name, once: "\(type) \(keyPath)")
}

/// Distinguishes key paths to variables from those to constants.
private protocol WritableKeyPathType {}
extension WritableKeyPath: WritableKeyPathType {}
