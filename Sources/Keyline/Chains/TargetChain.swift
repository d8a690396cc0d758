import KeylineCore

/// The object at which a chain of a binding begins: the argument of the closures of `bind`.
///
/// Its properties are mutating, so that a key path does not stand in for the closure (B8).
@dynamicMemberLookup public struct ChainStart<Root: PropertyObservable> {
  @usableFromInline init() {}

  /// A property that is only read: on the way, or the last one.
  @_disfavoredOverload @inlinable @inline(__always)
  public subscript<Next>(dynamicMember keyPath: KeyPath<Root, Next>) -> TargetChain<Root, Next> {
    mutating get { TargetChain<Root, Root>.beginning[dynamicMember: keyPath] }
  }

  /// The last property, which can be written.
  @inlinable @inline(__always)
  public subscript<Next>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Root, Next>
  ) -> TargetLeaf<Root, Next> {
    mutating get { TargetChain<Root, Root>.beginning[dynamicMember: keyPath] }
  }
}

/// A path to a property at one end of a binding, as the closures of `bind` write it.
///
/// ```swift
/// source.bind(\.volume, to: root, { $0.player.output.gain })
/// ```
///
/// The last property of what is written (a target, or a source of a binding both ways) must be one that
/// can be set where the closure is written: a constant, a get-only property or one with `private(set)`
/// does not compile (B8).
@dynamicMemberLookup public struct TargetChain<Root: PropertyObservable, Value> {
  @usableFromInline let chain: KeyPathChain<Root, Value>

  @usableFromInline init(_ chain: KeyPathChain<Root, Value>) { self.chain = chain }

  /// Leads to the root.
  @usableFromInline static var beginning: TargetChain<Root, Root> {
    TargetChain<Root, Root>(KeyPathChain<Root, Root>.beginning)
  }

  /// A property that is only read: on the way, or the last one.
  @_disfavoredOverload @inlinable @inline(__always)
  public subscript<Next>(dynamicMember keyPath: KeyPath<Value, Next>) -> TargetChain<Root, Next> {
    TargetChain<Root, Next>(chain[dynamicMember: keyPath])
  }

  /// The last property, which can be written.
  @inlinable @inline(__always)
  public subscript<Next>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Value, Next>
  ) -> TargetLeaf<Root, Next> {
    TargetLeaf<Root, Next>(after: chain.leaf, { $0 }) { holder, transaction, value in
      if let transaction { identify({ keyPath }, in: transaction) }
      let owner = held(by: holder, as: Value.self)
      guard let value else { return owner[keyPath: keyPath] }
      owner[keyPath: keyPath] = value
      return value
    }
  }
}

extension TargetChain {
  /// A property that is only read, of an object that may be missing.
  @_disfavoredOverload @inlinable @inline(__always)
  public subscript<Wrapped, Next>(
    dynamicMember keyPath: KeyPath<Wrapped, Next>
  ) -> TargetChain<Root, Next> where Value == Wrapped? {
    TargetChain<Root, Next>(chain[dynamicMember: keyPath])
  }

  /// The last property, which can be written, of an object that may be missing.
  @inlinable @inline(__always)
  public subscript<Wrapped, Next>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Wrapped, Next>
  ) -> TargetLeaf<Root, Next> where Value == Wrapped? {
    TargetLeaf<Root, Next>(after: chain.leaf, { $0 }) { holder, transaction, value in
      if let transaction { identify({ keyPath }, in: transaction) }
      let owner = held(by: holder, as: Wrapped.self)
      guard let value else { return owner[keyPath: keyPath] }
      owner[keyPath: keyPath] = value
      return value
    }
  }
}

/// Reads a property of an object or, given a value, sets it; returns the value. Given a transaction, it
/// stores its key path there, as for ``PropertyAccess``. One closure, spelt out wherever a key path comes
/// in: passed to a function, the key path would not be folded.
@usableFromInline typealias LeafAccess<Value> = (AnyObject, Transaction?, Value?) -> Value

/// The end of a ``TargetChain``: a property that can be written.
@dynamicMemberLookup public struct TargetLeaf<Root: PropertyObservable, Value> {
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
  ) -> TargetLeaf<Root, Next> {
    chain[dynamicMember: keyPath]
  }

  @usableFromInline var chain: TargetChain<Root, Value> {
    TargetChain(bound)
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
    TargetLeaf<Root, Member>(ChainLeaf(after: leaf, root: Root.self, { $0 }, read)) {
      [leaf] owner, member in
      guard var value = leaf.read(owner) else { return }
      setMember(&value, member)
      leaf.set?(owner, value)
    }
  }
}

/// What the closure of a chain in `bind` leads to: do not conform other types to it.
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

extension TargetChain: ChainEnd {
  /// It is only read.
  public typealias Mode = OneWayBindingMode
  /// The chain, as a binding takes it.
  public var bound: KeyPathChain<Root, Value> { chain }
}

extension TargetLeaf: ChainEnd {
  /// It is read and written.
  public typealias Mode = BindingMode
  /// The chain, as a binding takes it.
  public var bound: KeyPathChain<Root, Value> { KeyPathChain(leaf: leaf) }
}
