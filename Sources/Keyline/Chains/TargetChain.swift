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
    TargetLeaf<Root, Next>(after: chain.leaf) { holder, transaction, value in
      if let transaction { identify({ keyPath }, in: transaction) }
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
    TargetLeaf<Root, Next>(unwrapping: chain.leaf) { holder, transaction, value in
      if let transaction { identify({ keyPath }, in: transaction) }
      let owner = held(by: holder, as: Value.Wrapped.self)
      guard let value else { return owner[keyPath: keyPath] }
      owner[keyPath: keyPath] = value
      return nil
    }
  }
}

/// Reads a property of an object, or sets it; given a transaction, it stores its key path there, as for
/// ``PropertyAccess``. One closure, spelt out wherever a key path comes in: passed to a function, the key
/// path would not be folded. Returns the value unless it is given one.
@usableFromInline typealias LeafAccess<Value> = (AnyObject, Transaction?, Value?) -> Value?

/// The end of a ``TargetChain``: a property that can be written.
@dynamicMemberLookup public struct TargetLeaf<Root: PropertyObservable, Value> {
  let leaf: ChainLeaf<Value>
  /// Sets the property of the object that has it.
  let set: (AnyObject, Value) -> Void

  init(_ leaf: ChainLeaf<Value>, set: @escaping (AnyObject, Value) -> Void) {
    self.leaf = leaf
    self.set = set
  }

  /// The property that `access` reads and sets, of what `previous` leads to.
  @usableFromInline init<Holder>(
    after previous: ChainLeaf<Holder>?, _ access: @escaping LeafAccess<Value>
  ) {
    self.init(
      ChainLeaf(after: previous, root: Root.self, { $0 }, readAccess(of: access)),
      set: setter(of: access, after: previous))
  }

  /// As `init(after:_:)`, for what is wrapped in an optional.
  @usableFromInline init<Holder: OptionalValue>(
    unwrapping previous: ChainLeaf<Holder>?, _ access: @escaping LeafAccess<Value>
  ) {
    self.init(
      ChainLeaf(after: previous, root: Root.self, { $0.optional }, readAccess(of: access)),
      set: setter(of: access, after: previous))
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
    _ read: @escaping PropertyAccess<Member>, _ setMember: @escaping (inout Value, Member) -> Void
  ) -> TargetLeaf<Root, Member> {
    let (leaf, set) = (leaf, set)
    return TargetLeaf<Root, Member>(
      ChainLeaf(after: leaf, root: Root.self, { $0 }, read),
      set: { owner, member in
        guard var value = leaf.read(owner) else { return }
        setMember(&value, member)
        set(owner, value)
      })
  }
}

/// The reading half of `access`.
func readAccess<Value>(of access: @escaping LeafAccess<Value>) -> PropertyAccess<Value> {
  { owner, transaction in
    guard let value = access(owner, transaction, nil) else {
      fatalError("an access without a value to set returns one")
    }
    return value
  }
}

/// The setting half of `access`; it does nothing behind a value or an object that is not observable.
private func setter<Holder, Value>(
  of access: @escaping LeafAccess<Value>, after previous: ChainLeaf<Holder>?
) -> (AnyObject, Value) -> Void {
  guard previous == nil || isReferenceToObservable(Holder.self) else { return { _, _ in } }
  return { _ = access($0, nil, $1) }
}
