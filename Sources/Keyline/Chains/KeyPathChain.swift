// Chains: paths that lead from object to object to a leaf, and retain no object on the path.

/// A path that leads from an object to a leaf, one hop at a time, and retains no object on the
/// path.
///
/// Chains are written in the closure of `observeWeakly(options:_:)`; optional hops need no `?`:
///
/// ```swift
/// _ = person.observeWeakly { $0.manager.address.city }   // Observable<String?>
/// ```
///
/// A chain consists of the hops to the leaf's owner, and the leaf. Each hop observes one property
/// of the object that the previous hop leads to; when an object on the path dies, the chain is
/// broken. A property of a value (a struct or tuple) is read together with the property that holds
/// the value. The type of a hop determines, when the chain is made, whether the hop leads to an
/// object.
@dynamicMemberLookup public struct KeyPathChain<Root: PropertyObservable, Value> {
  /// The last property; nil for the beginning of a chain.
  @usableFromInline let leaf: ChainLeaf<Value>?
  /// Sets the last property in the object that has the observed one; nil if the chain is only read.
  @usableFromInline let set: ((AnyObject, Value) -> Void)?
  /// The number of properties and members, for inspection.
  package var length: Int { leaf.map { $0.leafIndex + 1 } ?? 0 }

  /// - Parameter leaf: nil for the chain of no hops, which leads to the root.
  @usableFromInline init(leaf: ChainLeaf<Value>?, set: ((AnyObject, Value) -> Void)? = nil) {
    (self.leaf, self.set) = (leaf, set)
  }

  /// A property of the object, or of the value, that the chain leads to.
  ///
  /// The closure is made last, and only stored afterwards, so that the optimiser turns it into a
  /// plain function and folds the key path into an access.
  @inlinable @inline(__always)
  public subscript<Next>(dynamicMember keyPath: KeyPath<Value, Next>) -> KeyPathChain<Root, Next> {
    .init(
      leaf: .init(after: leaf, root: Root.self, { $0 }) { holder, transaction in
        if let transaction { identify({ keyPath }, in: transaction) }
        return held(by: holder, as: Value.self)[keyPath: keyPath]
      })
  }

  /// A property of the object, or of the value, that the chain leads to, if it is not nil.
  @_disfavoredOverload @inlinable @inline(__always)
  public subscript<Wrapped, Next>(
    dynamicMember keyPath: KeyPath<Wrapped, Next>
  ) -> KeyPathChain<Root, Next> where Value == Wrapped? {
    .init(
      leaf: .init(after: leaf, root: Root.self, { $0 }) { holder, transaction in
        if let transaction { identify({ keyPath }, in: transaction) }
        return held(by: holder, as: Wrapped.self)[keyPath: keyPath]
      })
  }
}

/// The beginning of an observed chain: the argument of the chain's closure.
///
/// Its properties have mutating getters, so that a key path cannot replace the closure.
@dynamicMemberLookup public struct ChainRoot<Root: PropertyObservable> {
  @usableFromInline init() {}

  /// A chain of one property.
  @inlinable @inline(__always)
  public subscript<Next>(dynamicMember keyPath: KeyPath<Root, Next>) -> KeyPathChain<Root, Next> {
    mutating get { KeyPathChain<Root, Root>(leaf: nil)[dynamicMember: keyPath] }
  }
}

extension PropertyObservable {
  /// The last property of the chain that `path` describes.
  @inlinable @inline(__always) func leaf<Leaf>(
    of path: (inout ChainRoot<Self>) -> KeyPathChain<Self, Leaf>
  ) -> ChainLeaf<Leaf>? {
    var root = ChainRoot<Self>()
    return path(&root).leaf
  }
}

// MARK: Hops

/// One observed property of a chain, which can be found in any object on the path.
@usableFromInline class ChainHop {
  /// The hop to the object that has the property; nil if that object is the root.
  final let previous: ChainHop?
  /// The position of the property on the chain, counted from 0.
  final var index: Int { Int(positions.index) }
  /// The position of the value that the chain reads here: the position of this property, or of a
  /// member of its value.
  final var leafIndex: Int { Int(positions.leafIndex) }
  private let positions: (index: Int32, leafIndex: Int32)

  init(after previous: ChainHop?, index: Int, leafIndex: Int) {
    self.previous = previous
    positions = (Int32(index), Int32(leafIndex))
  }

  /// The node of the property of `owner`; nil if `owner` has no such property, which has been
  /// reported.
  func node(of owner: AnyObject, in transaction: Transaction) -> Node? { nil }

  /// The object that the property of `owner` leads to.
  ///
  /// - Parameter node: the node of the property, if it has just been brought up to date.
  func next(of owner: AnyObject, at node: Node? = nil) -> AnyObject? { nil }

  /// The hops from the first one to this one.
  final var path: [ChainHop] { sequence(first: self, next: \.previous).reversed() }
}

/// The last property of a chain, or of the part of it that has been written so far.
///
/// A member of a value (of a struct, or of an object that cannot be observed) is read together with
/// the property that holds the value; only that property is observed.
@usableFromInline final class ChainLeaf<Value>: ChainHop {
  /// Reads the value of a property, which is never missing; nil if the value may be missing.
  @usableFromInline final let direct: PropertyAccess<Value>?
  /// Nil if `direct` reads the value, and finds the node.
  private let search: LeafSearch<Value>?

  /// - Parameters:
  ///   - leaf: leads to the holder of the property.
  ///   - unwrap: finds the holder in a value of `leaf`; returns nil if there is none.
  ///   - access: reads the property of the holder.
  @usableFromInline init<Previous, Holder, Root>(
    after leaf: ChainLeaf<Previous>?, root: Root.Type, _ unwrap: @escaping (Previous) -> Holder?,
    _ access: @escaping PropertyAccess<Value>
  ) {
    // Objects whose properties can be observed: of such a class, or of a protocol for classes only. The
    // base class is tested first, because looking up a conformance takes longer than the rest.
    let type = Optionals.innermost(in: Previous.self)
    let isHop =
      type is ReactiveBase.Type || type is any PropertyObservable.Type
      || !(type is AnyClass) && Optionals.isReference(type)
    guard let leaf, !isHop else {
      (direct, search) = (access, nil)
      let index = (leaf?.leafIndex ?? -1) + 1
      super.init(after: leaf, index: index, leafIndex: index)
      return
    }
    let access =
      Holder.self is AnyClass ? reportingUnobservable(access, of: Holder.self, root) : access
    direct = nil
    let isReference = Optionals.isReference(Holder.self)
    search = .by(
      value: { owner in
        leaf.read(owner).flatMap(unwrap)
          .flatMap { isReference ? Optionals.reference(in: $0) : ValueHolder($0) }
          .map { access($0, nil) }
      }, node: leaf.node)
    super.init(after: leaf.previous, index: leaf.index, leafIndex: leaf.leafIndex + 1)
  }

  /// Creates a leaf whose property is looked up by name in each object.
  ///
  /// - Parameter reader: returns a closure that reads the value of the found property; throws if
  ///   the property cannot be read as `Value`.
  init(
    named key: String, after previous: ChainHop?, index: Int,
    _ reader: @escaping (any NamedPropertyType) throws -> (AnyObject) -> Value?
  ) {
    direct = nil
    search = .by(
      value: { owner in NamedPath.property(key, of: owner) { try reader($0)(owner) } },
      node: { owner, transaction in
        NamedPath.property(key, of: owner) { property in
          _ = try reader(property)
          return property.node(of: owner, in: transaction)
        }
      })
    super.init(after: previous, index: index, leafIndex: index)
  }

  /// Reads the value from the object that has the observed property; returns nil if the value is
  /// missing.
  @usableFromInline func read(_ owner: AnyObject) -> Value? {
    if let direct { return direct(owner, nil) }
    return if case .by(let value, _)? = search { value(owner) } else { nil }
  }

  override func node(of owner: AnyObject, in transaction: Transaction) -> Node? {
    guard let direct else {
      return if case .by(_, let node)? = search { node(owner, transaction) } else { nil }
    }
    let (search, value) = transaction.identify(owner) { direct(owner, transaction) }
    // A path for each hop would cost a look-up of its type.
    return search.property(isLenient: false)
      ?? PropertyPath(direct).node(of: owner, .hop, value, found: search)
  }

  override func next(of owner: AnyObject, at node: Node? = nil) -> AnyObject? {
    // A computed property has been read by its node, which is not read again: the object may be
    // another one each time.
    if direct != nil, node?.isHop == true, let value = (node as? ComputedNode<Value>)?.takeValue() {
      return Optionals.reference(in: value)
    }
    // An optional value would cost a look-up of its type.
    if let direct { return Optionals.reference(in: direct(owner, nil)) }
    return read(owner).flatMap { Optionals.reference(in: $0) }
  }
}

/// Reads a leaf that is a member of a value, or is looked up by name, and finds the node of its property.
/// Indirect, because few leaves have it.
private indirect enum LeafSearch<Value> {
  case by(value: (AnyObject) -> Value?, node: (AnyObject, Transaction) -> Node?)
}

// MARK: Members of values

/// The value that `holder` is, or holds.
@inlinable @inline(__always)
func held<Value>(by holder: AnyObject, as type: Value.Type) -> Value {
  // Proof of the cast: a class type is a reference, and the object came out of a value of that
  // type.
  type is AnyClass ? reference(holder, as: type) : heldValue(by: holder)
}

@usableFromInline func heldValue<Value>(by holder: AnyObject) -> Value {
  if let holder = holder as? ValueHolder<Value> { return holder.value }
  return holder as! Value
}

/// Holds a value whose members a chain reads.
private final class ValueHolder<Value> {
  let value: Value

  init(_ value: Value) { self.value = value }
}

/// Wraps `access` so that its first call reports the property: changes in a class that is not
/// observable go unnoticed. A constant never changes, and is not reported.
private func reportingUnobservable<Value>(
  _ access: @escaping PropertyAccess<Value>, of type: Any.Type, _ root: Any.Type
) -> PropertyAccess<Value> {
  var isReported = false
  return { holder, transaction in
    if !isReported {
      isReported = true
      let transaction = Transaction.current
      let keyPath = transaction.identify(holder) { access(holder, transaction) }.search.keyPath
      if let keyPath { reportUnobservable(keyPath, of: type, root) }
    }
    return access(holder, transaction)
  }
}

private func reportUnobservable(_ keyPath: AnyKeyPath, of type: Any.Type, _ root: Any.Type) {
  // The description of a stored property is `\Class.name`; the description of a computed one
  // contains an address.
  let description = "\(keyPath)".split(separator: ".", maxSplits: 1).last.map(String.init)
  let name = description.flatMap { $0.hasPrefix("<") ? nil : $0 }
  guard name == nil || !"\(Swift.type(of: keyPath))".hasPrefix("KeyPath<") else { return }
  Diagnostics.report(
    .unobservablePath,
    "a chain of \(root) leads through this class, whose properties are not observable: "
      + "changes of this property go unnoticed",
    of: type, property: name, once: "\(type) \(keyPath)")
}
