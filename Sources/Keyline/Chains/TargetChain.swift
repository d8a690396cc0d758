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
  ) -> WritableKeyPathChain<Root, Next> {
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
  ) -> WritableKeyPathChain<Root, Next> where Value: AnyObject {
    WritableKeyPathChain<Root, Next>(after: chain.leaf, { $0 }) { holder, transaction, value in
      if let transaction { identify({ keyPath }, in: transaction) }
      let owner = held(by: holder, as: Value.self)
      guard let value else { return owner[keyPath: keyPath] }
      owner[keyPath: keyPath] = value
      return value
    }
  }

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
  ) -> WritableKeyPathChain<Root, Next> where Value == Wrapped?, Wrapped: AnyObject {
    WritableKeyPathChain<Root, Next>(after: chain.leaf, { $0 }) { holder, transaction, value in
      if let transaction { identify({ keyPath }, in: transaction) }
      let owner = held(by: holder, as: Wrapped.self)
      guard let value else { return owner[keyPath: keyPath] }
      owner[keyPath: keyPath] = value
      return value
    }
  }
}

extension TargetChain: ChainEnd {
  /// It is only read.
  public typealias Mode = OneWayBindingMode
  /// The chain, as a binding takes it.
  public var bound: KeyPathChain<Root, Value> { chain }
}
