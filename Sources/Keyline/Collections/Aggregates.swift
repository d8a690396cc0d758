// Sums and the like, which a computed value reads: kept up to date per edit, not computed anew.

extension LiveArray {
  /// The sum of the values of `key`; zero without elements.
  ///
  /// ```swift
  /// final class Order: ReactiveObject {
  ///   let items = ObservableArray<Item>()
  ///   var total: Int { items.sum(of: \.price) }
  /// }
  /// let order = Order()
  /// _ = order.observe(\.total)      // adds a changed price in O(log n)
  /// let average = Computed { order.items.average(of: \.price) }
  /// ```
  ///
  /// A computed, derived or chained value that reads the sum depends on it like on a derived value: an
  /// equal sum (`==`) counts as unchanged.
  ///
  /// - Complexity: for such a value, while it is observed, O(log n) for each edited element or changed value;
  ///   for any other read, and for more than 64 different aggregates of one array, O(n). Sums of
  ///   floating-point numbers may differ by their rounding.
  /// - SeeAlso: DynamicData's `Sum`.
  @inlinable
  public final func sum<Value: AdditiveArithmetic>(of key: KeyPath<Element, Value>) -> Value {
    aggregate("sum", key, { $0[keyPath: key] }, +) ?? .zero
  }

  /// The mean of the values of `key`; nil without elements. As for ``sum(of:)``.
  @inlinable
  public final func average<Value: BinaryFloatingPoint>(of key: KeyPath<Element, Value>) -> Value? {
    isEmpty ? nil : sum(of: key) / Value(count)
  }

  /// The mean of the values of `key`; nil without elements. As for ``sum(of:)``.
  @inlinable
  public final func average<Value: BinaryInteger>(of key: KeyPath<Element, Value>) -> Double? {
    aggregate("mean", key, { Double($0[keyPath: key]) }, +).map { $0 / Double(count) }
  }

  /// The smallest value of `key`, which is no NaN if there is another value; nil without elements. As for
  /// ``sum(of:)``.
  @inlinable public final func min<Value: Comparable>(of key: KeyPath<Element, Value>) -> Value? {
    aggregate("min", key, { $0[keyPath: key] }) { $1 < $0 || $0 != $0 ? $1 : $0 }
  }

  /// The largest value of `key`, which is no NaN if there is another value; nil without elements. As for
  /// ``sum(of:)``.
  @inlinable public final func max<Value: Comparable>(of key: KeyPath<Element, Value>) -> Value? {
    aggregate("max", key, { $0[keyPath: key] }) { $1 >= $0 || $0 != $0 ? $1 : $0 }
  }

  /// The number of elements for which `key` is true. As for ``sum(of:)``; with a closure in place of the
  /// key path, `Sequence`'s method counts all elements in each call.
  @inlinable public final func count(where key: KeyPath<Element, Bool>) -> Int {
    aggregate("count", key, { $0[keyPath: key] ? 1 : 0 }, +) ?? 0
  }

  /// The values of `part` combined; nil without elements. Inlinable, because the closures are called for
  /// each level of the tree: where their types are not known, a call takes some hundred times as long.
  @inlinable func aggregate<Part: Equatable>(
    _ name: String, _ key: AnyKeyPath, _ part: @escaping (Element) -> Part,
    _ combine: @escaping (Part, Part) -> Part
  ) -> Part? {
    let join = { (total: Part?, part: Part?) -> Part? in
      guard let total, let part else { return total ?? part }
      return combine(total, part)
    }
    let view = aggregate([name, key], { $0.part = part($1) }) { node, left, right in
      node.total = join(join(left?.total, node.part), right?.total)
    }
    return view.map(\.first) ?? elements.reduce(nil) { join($0, part($1)) }
  }

  /// The view that aggregates the array; nil if no rule reads it, or if the array cannot keep it. A view
  /// calls no closure after the death of its array, and an aggregate would not follow the elements then.
  ///
  /// - Parameter combine: computes the total of a node, given the nodes at the top of the subtrees on its
  ///   sides.
  @usableFromInline func aggregate<Part: Equatable>(
    _ identity: [AnyHashable], _ evaluate: @escaping (PartNode<Part>, Element) -> Void,
    _ combine: @escaping (PartNode<Part>, PartNode<Part>?, PartNode<Part>?) -> Void
  ) -> LiveArray<Part>? {
    guard Transaction.current.isEvaluating, node?.hasEnded != true else { return nil }
    if aggregates[identity] == nil, aggregates.count < 64 {
      aggregates[identity] = LiveArray<Part>(of: self) { owner in
        let node = AggregateNode<Element, Part>(of: self, for: owner, isRetained: false)
        node.group.evaluate = { evaluate(.of($0), $0.element()) }
        node.group.tree = OrderTree { combine(.of($0), $1.map { .of($0) }, $2.map { .of($0) }) }
        return node
      }
    }
    return aggregates[identity] as? LiveArray<Part>
  }
}

/// An element with its part of the aggregate.
@usableFromInline final class PartNode<Part>: ElementNode, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  @usableFromInline var part: Part?
  /// The aggregate of the subtree whose top the element is.
  @usableFromInline var total: Part?

  // Proof of the cast: an aggregate makes no other nodes.
  static func of(_ node: ElementNode) -> PartNode { cast(node, to: PartNode.self) }
}

/// The node of an aggregate: a view with one element; none for the smallest of no elements.
private final class AggregateNode<Element, Part: Equatable>:
  ElementViewNode<Element, Part>, @unchecked Sendable
{
  // Proof of @unchecked: as for its superclass.

  /// Kept when the view forgets its contents, because readers compare versions.
  private var result: Part?

  override func node(_ content: AnyObject) -> ElementNode {
    PartNode<Part>(content, in: group, of: owner)
  }

  override var elements: [Part] { [result].compactMap { $0 } }

  override func update(of owner: AnyObject, in transaction: Transaction) -> [ArrayEdit<Part>] {
    let changed = (takeChanges().new + group.takeOutdated()).filter { $0.slot != 0 }
    for node in changed { transaction.refresh(node, of: owner) }
    // Combines all parts anew, or those on the way from each changed one to the top.
    group.isLarge(changed.count)
      ? group.tree.combineAll() : changed.forEach { group.tree.setWeight(0, of: $0.slot) }
    let former = exchange(&result, with: group.tree.top.flatMap { PartNode<Part>.of($0).total })
    return former == result ? [] : [.reset(elements)]
  }
}
