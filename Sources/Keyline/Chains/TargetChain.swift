/// The beginning of a binding's chain: the argument of the closures of `bind`.
///
/// Its properties have mutating getters, so that a key path cannot replace the closure (B8).
@dynamicMemberLookup public struct ChainStart<Root: PropertyObservable> {
  @usableFromInline init() {}

  /// A property that is only read: a hop, or the leaf.
  @_disfavoredOverload @inlinable @inline(__always)
  public subscript<Next>(dynamicMember keyPath: KeyPath<Root, Next>) -> TargetChain<Root, Next> {
    mutating get { TargetChain<Root, Root>(.init(leaf: nil))[dynamicMember: keyPath] }
  }

  /// A property that can be written, as the leaf.
  @inlinable @inline(__always)
  public subscript<Next>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Root, Next>
  ) -> WritableKeyPathChain<Root, Next> {
    mutating get { TargetChain<Root, Root>(.init(leaf: nil))[dynamicMember: keyPath] }
  }
}

/// A path to the property at one end of a binding, written in a closure of `bind`.
///
/// ```swift
/// source.bind(\.volume, to: root, { $0.player.output.gain })
/// ```
///
/// A leaf that the binding writes (in a target, or in the source of a two-way binding) must be
/// settable where the closure is written: a constant, a get-only property or a property with
/// `private(set)` does not compile (B8).
@dynamicMemberLookup public struct TargetChain<Root: PropertyObservable, Value> {
  @usableFromInline let chain: KeyPathChain<Root, Value>

  @usableFromInline init(_ chain: KeyPathChain<Root, Value>) { self.chain = chain }

  /// A property that is only read: a hop, or the leaf.
  @_disfavoredOverload @inlinable @inline(__always)
  public subscript<Next>(dynamicMember keyPath: KeyPath<Value, Next>) -> TargetChain<Root, Next> {
    TargetChain<Root, Next>(chain[dynamicMember: keyPath])
  }

  /// A property that is only read, of an object that may be missing.
  @_disfavoredOverload @inlinable @inline(__always)
  public subscript<Wrapped, Next>(
    dynamicMember keyPath: KeyPath<Wrapped, Next>
  ) -> TargetChain<Root, Next> where Value == Wrapped? {
    TargetChain<Root, Next>(chain[dynamicMember: keyPath])
  }
}

extension TargetChain: ContinuedChain {
  /// The chain is only read.
  public static func mode(_ mode: Never?) -> BindingMode { .oneWay }
  /// The chain in the form that a binding takes.
  public var bound: KeyPathChain<Root, Value> { chain }
}

/// A chain of a binding, whose next property may be written by the binding. Do not conform other types
/// to it.
public protocol ContinuedChain<Root, Value>: ChainEnd {}

extension ContinuedChain {
  /// A property that can be written, as the leaf.
  @inlinable @inline(__always)
  public subscript<Next>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Value, Next>
  ) -> WritableKeyPathChain<Root, Next> where Value: AnyObject {
    WritableKeyPathChain<Root, Next>(after: bound.leaf, { $0 }, leafAccess(keyPath))
  }

  /// A property that can be written, as the leaf, of an object that may be missing.
  @inlinable @inline(__always)
  public subscript<Wrapped, Next>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Wrapped, Next>
  ) -> WritableKeyPathChain<Root, Next> where Value == Wrapped?, Wrapped: AnyObject {
    WritableKeyPathChain<Root, Next>(after: bound.leaf, { $0 }, leafAccess(keyPath))
  }
}

/// Which end of a binding follows the other. A source that is only read takes no mode: the target
/// follows it (B8).
public enum BindingMode: Sendable {
  /// The target follows the source.
  case oneWay
  /// Each end follows the other. The source wins initially.
  case twoWay
  /// The binding sets the target to the source's value once, and ends.
  case oneTime
}
