import KeylineCore

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
  @inlinable @inline(__always)
  public subscript<Next>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Value, Next>
  ) -> TargetLeaf<Root, Next> {
    TargetLeaf<Root, Next>(
      chain.placeOfNext((ChainLeaf<Next>.self, ChainAttachment<Next>.self)), of: Value.self
    ) { holder, identity, value in
      if let identity { leave({ keyPath }, at: identity) }
      let owner = held(by: holder, as: Value.self)
      guard let value else { return owner[keyPath: keyPath] }
      owner[keyPath: keyPath] = value
      return nil
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
  @_disfavoredOverload @inlinable @inline(__always)
  public subscript<Next>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Value.Wrapped, Next>
  ) -> TargetLeaf<Root, Next> {
    TargetLeaf<Root, Next>(
      chain.placeUnwrapping((ChainLeaf<Next>.self, ChainAttachment<Next>.self)),
      of: Value.Wrapped.self
    ) { holder, identity, value in
      if let identity { leave({ keyPath }, at: identity) }
      let owner = held(by: holder, as: Value.Wrapped.self)
      guard let value else { return owner[keyPath: keyPath] }
      owner[keyPath: keyPath] = value
      return nil
    }
  }
}

/// The end of a ``TargetChain``: a property that can be written.
@dynamicMemberLookup public struct TargetLeaf<Root: PropertyObservable, Value> {
  @usableFromInline let chain: KeyPathChain<Root, Value>
  @usableFromInline let access: LeafAccess<Value>

  init(_ chain: KeyPathChain<Root, Value>, _ access: LeafAccess<Value>) {
    self.chain = chain
    self.access = access
  }

  /// The property that `access` reads and sets at `place`, of an `Owner`.
  @usableFromInline init<Owner>(
    _ place: ChainPlace, of owner: Owner.Type, _ access: @escaping LeafAccess<Value>.Property
  ) {
    self.init(
      KeyPathChain(place, LeafAccess.read(by: access)),
      isReferenceToObservable(Owner.self) ? .property(access) : .setter { _, _ in })
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
    _ read: @escaping PropertyAccess<Member>, _ set: @escaping (inout Value, Member) -> Void
  ) -> TargetLeaf<Root, Member> {
    let leaf = chain.leaf
    let access = self.access
    return TargetLeaf<Root, Member>(
      KeyPathChain(
        chain.placeOfNext((ChainLeaf<Member>.self, ChainAttachment<Member>.self)), read),
      .setter { owner, member in
        guard case .value(let path)? = leaf?.path(owner) else { return }
        var value = path.read(owner)
        set(&value, member)
        access.set(owner, value)
      })
  }
}

/// How the leaf of an owner is set.
@usableFromInline enum LeafAccess<Value> {
  /// Sets it.
  case setter((_ owner: AnyObject, _ value: Value) -> Void)
  /// Reads it and leaves its key path, or sets it: one closure, as for ``PropertyAccess``, and spelt
  /// out wherever a key path comes in, because passed to a function it would not be folded. Returns the
  /// value unless it is given one.
  case property(Property)

  @usableFromInline typealias Property = (
    _ owner: AnyObject, _ identity: UnsafeMutablePointer<AnyKeyPath?>?, _ value: Value?
  ) -> Value?

  static func read(by access: @escaping Property) -> PropertyAccess<Value> {
    // Proof of unsafelyUnwrapped: without a value to set, it returns one.
    { access($0, $1, nil).unsafelyUnwrapped }
  }

  @inlinable func set(_ owner: AnyObject, _ value: Value) {
    switch self {
    case .setter(let set): set(owner, value)
    case .property(let access): _ = access(owner, nil, value)
    }
  }
}
