extension PropertyObservable {
  /// Follows a chain of properties without retaining any object on it.
  ///
  /// | event | emissions |
  /// | --- | --- |
  /// | subscribe, `.initial` | one: the leaf's value, or nil if the chain is broken |
  /// | subscribe, `.new` only | nothing |
  /// | leaf set, outside any other set | one, even if the value is equal |
  /// | several sets on the path in one transaction (an observer, a batch) | one: the final value |
  /// | hop replaced | one: the new leaf's value; the detached branch emits nothing from then on |
  /// | hop becomes nil, or its object dies | one nil; while broken, nothing |
  /// | nil hop gets an object | one: its leaf's value, even if equal to the one before the gap |
  /// | root dies | nil unless the last emission was nil, then completion |
  ///
  /// - Timing: when the outermost set settles (P4), on the mutating thread. If every value of a
  ///   leaf matters, observe the leaf itself.
  /// - Lifetime: retains neither the object nor any hop nor the leaf.
  /// - Complexity: a leaf set is O(1), whatever the length of the chain; replacing a hop costs
  ///   O(hops after it).
  /// - Parameters:
  ///   - options: whether to emit the current value (`.initial`) and the changes (`.new`).
  ///   - path: the chain: `{ $0.manager.address.city }`.
  @inlinable @inline(__always) public func observeWeakly<Leaf>(
    options: KeyValueObservingOptions = [.initial, .new],
    _ path: (inout ChainRoot<Self>) -> KeyPathChain<Self, Leaf>
  ) -> PropertySequence<Leaf?> {
    observation(of: PropertyPath(ChainRule(leaf(of: path)) { $0 }), options)
  }

  /// Follows a chain whose leaf is optional: nil stands for a nil leaf and for a broken chain.
  @inlinable @inline(__always) public func observeWeakly<Leaf>(
    options: KeyValueObservingOptions = [.initial, .new],
    _ path: (inout ChainRoot<Self>) -> KeyPathChain<Self, Leaf?>
  ) -> PropertySequence<Leaf?> {
    observation(of: PropertyPath(ChainRule(leaf(of: path)) { $0 }), options)
  }

  /// Emits every change of the value at the end of a chain of properties, with its cause, without
  /// retaining any object on the chain.
  ///
  /// ```swift
  /// _ = person.observeChanges { $0.manager.address.city }.subscribe(onNext: { print($0.cause) })
  /// person.manager = nil
  /// person.manager = chief
  /// chief.address?.city = "Rome"
  /// ```
  /// ```text
  /// hopBecameNil(0)
  /// hopReplaced(0)
  /// set
  /// ```
  ///
  /// Emits one change for each value that `observeWeakly(options:_:)` emits; on a broken chain
  /// `new` is nil.
  ///
  /// - Lifetime: retains neither the object nor any hop nor the leaf. With `.old`, the last value
  ///   is retained until the next change; objects are retained weakly.
  /// - Parameters:
  ///   - options: the values that a change holds (`.old`, `.new`), and whether to emit a change at
  ///     first (`.initial`) and before each store (`.prior`), even before a store after which a
  ///     broken chain is still broken.
  ///   - path: the chain.
  @_disfavoredOverload @inlinable @inline(__always) public func observeChanges<Leaf>(
    options: KeyValueObservingOptions = [.old, .new],
    _ path: (inout ChainRoot<Self>) -> KeyPathChain<Self, Leaf>
  ) -> PropertySequence<PropertyChange<Leaf>> {
    changes(PropertyPath(ChainRule<Leaf>(leaf(of: path)) { $0 }), options) { $0 }
  }

  /// Emits every change at the end of a chain whose leaf is optional: `new` is nil for a nil leaf,
  /// and for a broken chain.
  @_disfavoredOverload @inlinable @inline(__always) public func observeChanges<Leaf>(
    options: KeyValueObservingOptions = [.old, .new],
    _ path: (inout ChainRoot<Self>) -> KeyPathChain<Self, Leaf?>
  ) -> PropertySequence<PropertyChange<Leaf>> {
    changes(PropertyPath(ChainRule<Leaf>(leaf(of: path)) { $0 }), options) { $0 }
  }
}

extension PropertyPath {
  /// The path along a chain, whose node follows the objects; the value is nil while the chain is broken.
  @usableFromInline init<Leaf>(_ chain: ChainRule<Leaf>) where Value == Leaf? {
    self.init { _, _ in nil }
    makeNode = { ChainNode(of: $0, chain) }
  }
}
