/// Reads or sets a property of an object, and returns its value. The last parameter gives the value
/// to set: an optional value would cost a look-up of its type in each call.
@usableFromInline typealias LeafAccess<Value> = (AnyObject, LeafRequest, () -> Value) -> Value

/// What a ``LeafAccess`` is to do. A transaction asks for the key path, like ``PropertyAccess``.
@usableFromInline enum LeafRequest {
  case get(Transaction?)
  case set
}

/// Reads and sets the property at `keyPath` of an object. Always inlined, so that the closure is
/// made where the key path is a literal, and the key path is folded into an access.
@inlinable @inline(__always) func leafAccess<Object: AnyObject, Value>(
  @_eagerMove _ keyPath: __owned ReferenceWritableKeyPath<Object, Value>
) -> LeafAccess<Value> {
  { object, access, newValue in
    if case .get(let transaction?) = access { identify({ keyPath }, in: transaction) }
    // Proof of the cast: a key path of a chain is used with the objects that its hops lead to, and
    // one of a binding's end with the object of the end.
    let object = cast(object, to: Object.self)
    guard case .set = access else { return object[keyPath: keyPath] }
    object[keyPath: keyPath] = newValue()
    return newValue()
  }
}

func getter<Value>(_ access: @escaping LeafAccess<Value>) -> PropertyAccess<Value> {
  // Only `.set` asks for a value.
  { access($0, .get($1)) { fatalError("no value is set") } }
}

/// A ``TargetChain`` whose end can be written: the target of a binding, or the source of a two-way
/// binding.
@dynamicMemberLookup public struct WritableKeyPathChain<Root: PropertyObservable, Value> {
  private let leaf: ChainLeaf<Value>
  /// Sets the value in the object that has the observed property.
  private let set: (AnyObject, Value) -> Void

  init(_ leaf: ChainLeaf<Value>, set: @escaping (AnyObject, Value) -> Void) {
    (self.leaf, self.set) = (leaf, set)
  }

  /// A chain to a property: `unwrap` finds the property's holder in the value of `previous`, and
  /// `access` reads and sets the property.
  @usableFromInline init<Previous, Holder>(
    after previous: ChainLeaf<Previous>?, _ unwrap: @escaping (Previous) -> Holder?,
    _ access: @escaping LeafAccess<Value>
  ) {
    let leaf = ChainLeaf(after: previous, root: Root.self, unwrap, getter(access))
    let isOfOwner = leaf.previous === previous
    self.init(leaf) { owner, value in
      // Behind an object that is not observable, the property's holder has to be found first.
      let holder = isOfOwner ? owner : previous?.read(owner).flatMap(unwrap) as AnyObject?
      if let holder { _ = access(holder, .set) { value } }
    }
  }

  /// A member of the value, which is set by setting the whole value; or a property of an object of
  /// protocol type.
  @_disfavoredOverload @inlinable
  public subscript<Member>(
    dynamicMember keyPath: WritableKeyPath<Value, Member>
  ) -> WritableKeyPathChain<Root, Member> {
    member(
      { $0 }, { holder, _ in held(by: holder, as: Value.self)[keyPath: keyPath] },
      { $0[keyPath: keyPath] = $1 })
  }

  /// A member of a value, or a property of an object, that may be missing.
  @_disfavoredOverload @inlinable
  public subscript<Wrapped, Member>(
    dynamicMember keyPath: WritableKeyPath<Wrapped, Member>
  ) -> WritableKeyPathChain<Root, Member> where Value == Wrapped? {
    member(
      { $0 }, { holder, _ in held(by: holder, as: Wrapped.self)[keyPath: keyPath] },
      { $0?[keyPath: keyPath] = $1 })
  }

  @usableFromInline func member<Holder, Member>(
    _ unwrap: @escaping (Value) -> Holder?, _ read: @escaping PropertyAccess<Member>,
    _ setMember: @escaping (inout Value, Member) -> Void
  ) -> WritableKeyPathChain<Root, Member> {
    let member = ChainLeaf(after: leaf, root: Root.self, unwrap, read)
    let isOfObject = member.previous === leaf
    return WritableKeyPathChain<Root, Member>(member) { [leaf, set] owner, member in
      guard var value = isOfObject ? owner as? Value : leaf.read(owner) else { return }
      setMember(&value, member)
      if !isOfObject { set(owner, value) }
    }
  }
}

/// The result of a chain's closure. Do not conform other types to it.
public protocol ChainEnd<Root, Value> {
  /// The type of the object at which the chain begins.
  associatedtype Root: PropertyObservable
  /// The type of the property at the end.
  associatedtype Value
  /// The type of the `mode:` of a binding that has the chain as its source: ``BindingMode``, or
  /// `Never` for a chain that is only read.
  associatedtype Mode
  /// The mode of such a binding.
  static func mode(_ mode: Mode?) -> BindingMode
  /// The chain in the form that a binding takes.
  var bound: KeyPathChain<Root, Value> { get }
}

extension KeyPathChain: ChainEnd {
  /// The chain is only read.
  public static func mode(_ mode: Never?) -> BindingMode { .oneWay }
  /// The chain in the form that a binding takes.
  public var bound: KeyPathChain<Root, Value> { self }
}

extension WritableKeyPathChain: ContinuedChain {
  /// The chain is read and written.
  @inlinable public static func mode(_ mode: BindingMode?) -> BindingMode { mode ?? .oneWay }
  /// The chain in the form that a binding takes.
  public var bound: KeyPathChain<Root, Value> { KeyPathChain(leaf: leaf, set: set) }
}
