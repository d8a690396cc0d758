/// A path to a property to be written: what the closure of a binding's target starts from.
///
/// ```swift
/// source.bind(\.volume, to: root, { $0.player.output.gain })
/// ```
///
/// The last property must be one that can be set where the closure is written: a constant, a
/// get-only property or one with `private(set)` does not compile (B8).
@dynamicMemberLookup public struct TargetChain<Root: PropertyObservable, Value> {
  @usableFromInline let chain: KeyPathChain<Root, Value>

  @usableFromInline init(_ chain: KeyPathChain<Root, Value>) { self.chain = chain }

  /// Leads to the root.
  @usableFromInline static var beginning: TargetChain<Root, Root> {
    TargetChain<Root, Root>(KeyPathChain<Root, Root>.beginning)
  }

  /// A property on the way.
  @inlinable
  public subscript<Next>(
    dynamicMember keyPath: KeyPath<Value, Next>
  ) -> TargetChain<Root, Next> {
    TargetChain<Root, Next>(chain[dynamicMember: keyPath])
  }

  /// The property to be written.
  @inlinable
  public subscript<Next>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Value, Next>
  ) -> TargetLeaf<Root, Next> {
    TargetLeaf<Root, Next>(chain[dynamicMember: keyPath], of: Value.self) {
      $0[keyPath: keyPath] = $1
    }
  }
}

extension TargetChain where Value: OptionalValue {
  /// A property on the way, of an object that may be missing.
  @_disfavoredOverload @inlinable
  public subscript<Next>(
    dynamicMember keyPath: KeyPath<Value.Wrapped, Next>
  ) -> TargetChain<Root, Next> {
    TargetChain<Root, Next>(chain[dynamicMember: keyPath])
  }

  /// The property to be written, of an object that may be missing.
  @_disfavoredOverload @inlinable
  public subscript<Next>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Value.Wrapped, Next>
  ) -> TargetLeaf<Root, Next> {
    TargetLeaf<Root, Next>(chain[dynamicMember: keyPath], of: Value.Wrapped.self) {
      $0[keyPath: keyPath] = $1
    }
  }
}

/// The end of a ``TargetChain``: a property that can be written.
@dynamicMemberLookup public struct TargetLeaf<Root: PropertyObservable, Value> {
  @usableFromInline let chain: KeyPathChain<Root, Value>
  /// Sets the property of an owner.
  @usableFromInline let write: (_ owner: AnyObject, _ value: Value) -> Void

  init(_ chain: KeyPathChain<Root, Value>, write: @escaping (AnyObject, Value) -> Void) {
    self.chain = chain
    self.write = write
  }

  @usableFromInline init<Owner>(
    _ chain: KeyPathChain<Root, Value>, of owner: Owner.Type,
    _ set: @escaping (Owner, Value) -> Void
  ) {
    let isObject = isReferenceToObservable(Owner.self)
    self.init(chain) { owner, value in
      if isObject { set(held(by: owner, as: Owner.self), value) }
    }
  }

  /// A member of the value, which is written by writing all of it.
  @_disfavoredOverload @inlinable
  public subscript<Member>(
    dynamicMember keyPath: WritableKeyPath<Value, Member>
  ) -> TargetLeaf<Root, Member> {
    member(
      { holder, _ in held(by: holder, as: Value.self)[keyPath: keyPath] },
      { $0[keyPath: keyPath] = $1 })
  }

  @usableFromInline func member<Member>(
    _ access: @escaping PropertyAccess<Member>, _ set: @escaping (inout Value, Member) -> Void
  ) -> TargetLeaf<Root, Member> {
    let leaf = chain.leaf
    let write = write
    return TargetLeaf<Root, Member>(
      KeyPathChain(
        chain.placeOfNext((ChainLeaf<Member>.self, ChainAttachment<Member>.self)), access)
    ) {
      owner, member in
      guard case .value(let path)? = leaf?.path(owner) else { return }
      var value = path.read(owner)
      set(&value, member)
      write(owner, value)
    }
  }
}
