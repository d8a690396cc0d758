/// Reads a property of an object or, given a value, sets it; returns the value. Given a transaction, it
/// stores its key path there, as for ``PropertyAccess``. One closure, spelt out wherever a key path comes
/// in: passed to a function, the key path would not be folded.
@usableFromInline typealias LeafAccess<Value> = (AnyObject, Transaction?, Value?) -> Value

/// The end of a ``TargetChain`` that can be written: the target of a binding, or a source both ways.
@dynamicMemberLookup public struct WritableKeyPathChain<Root: PropertyObservable, Value> {
  let leaf: ChainLeaf<Value>

  init(_ leaf: ChainLeaf<Value>, set: @escaping (AnyObject, Value) -> Void) {
    self.leaf = leaf
    leaf.set = set
  }

  /// The property that `access` reads and sets, of the holder that `unwrap` finds in what `previous` leads to.
  @usableFromInline init<Previous, Holder>(
    after previous: ChainLeaf<Previous>?, _ unwrap: @escaping (Previous) -> Holder?,
    _ access: @escaping LeafAccess<Value>
  ) {
    leaf = ChainLeaf(after: previous, root: Root.self, unwrap) { access($0, $1, nil) }
    // Behind a value, or an object that is not observable, nothing is written.
    if leaf.previous === previous { leaf.set = { _ = access($0, nil, $1) } }
  }

  /// A property of the object, if the property leads to one.
  @inlinable @inline(__always)
  public subscript<Next>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Value, Next>
  ) -> WritableKeyPathChain<Root, Next> where Value: AnyObject {
    TargetChain(bound)[dynamicMember: keyPath]
  }

  /// A property of the object, if there is one.
  @inlinable @inline(__always)
  public subscript<Wrapped, Next>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Wrapped, Next>
  ) -> WritableKeyPathChain<Root, Next> where Value == Wrapped?, Wrapped: AnyObject {
    TargetChain(bound)[dynamicMember: keyPath]
  }

  /// A member of the value, which is written by writing all of it; a property of an object of protocol type.
  @_disfavoredOverload @inlinable
  public subscript<Member>(
    dynamicMember keyPath: WritableKeyPath<Value, Member>
  ) -> WritableKeyPathChain<Root, Member> {
    member(
      { $0 }, { holder, _ in held(by: holder, as: Value.self)[keyPath: keyPath] },
      { $0[keyPath: keyPath] = $1 })
  }

  /// A member of the value, or of the object, that may be missing.
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
    return WritableKeyPathChain<Root, Member>(member) { [leaf] owner, member in
      guard var value = isOfObject ? owner as? Value : leaf.read(owner) else { return }
      setMember(&value, member)
      if !isOfObject { leaf.set?(owner, value) }
    }
  }
}

/// What the closure of a chain leads to: do not conform other types to it.
public protocol ChainEnd<Root, Value> {
  /// The type of the object at which it begins.
  associatedtype Root: PropertyObservable
  /// The type of the property.
  associatedtype Value
  /// The modes of a binding whose source it is.
  associatedtype Mode: BindingModes
  /// The chain, as a binding takes it.
  var bound: KeyPathChain<Root, Value> { get }
}

extension KeyPathChain: ChainEnd {
  /// It is only read.
  public typealias Mode = OneWayBindingMode
  /// The chain, as a binding takes it.
  public var bound: KeyPathChain<Root, Value> { self }
}

extension WritableKeyPathChain: ChainEnd {
  /// It is read and written.
  public typealias Mode = BindingMode
  /// The chain, as a binding takes it.
  public var bound: KeyPathChain<Root, Value> { KeyPathChain(leaf: leaf) }
}
