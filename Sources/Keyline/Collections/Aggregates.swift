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
  /// - Complexity: O(log n) for each edited element or changed value, while a computed, derived or chained
  ///   value that has read the sum is observed; otherwise, O(n) for each read. Sums of floating-point
  ///   numbers may differ by their rounding.
  /// - SeeAlso: DynamicData's `Sum`.
  public final func sum<Value: AdditiveArithmetic>(of key: KeyPath<Element, Value>) -> Value {
    aggregate("sum", key, { $0[keyPath: key] }, +) ?? .zero
  }

  /// The mean of the values of `key`; nil without elements. As for ``sum(of:)``.
  public final func average<Value: BinaryFloatingPoint>(of key: KeyPath<Element, Value>) -> Value? {
    isEmpty ? nil : sum(of: key) / Value(count)
  }

  /// The mean of the values of `key`; nil without elements. As for ``sum(of:)``.
  public final func average<Value: BinaryInteger>(of key: KeyPath<Element, Value>) -> Double? {
    isEmpty ? nil : Double(sum(of: key)) / Double(count)
  }

  /// The smallest value of `key`; nil without elements. As for ``sum(of:)``.
  public final func min<Value: Comparable>(of key: KeyPath<Element, Value>) -> Value? {
    aggregate("min", key, { $0[keyPath: key] }, Swift.min)
  }

  /// The largest value of `key`; nil without elements. As for ``sum(of:)``.
  public final func max<Value: Comparable>(of key: KeyPath<Element, Value>) -> Value? {
    aggregate("max", key, { $0[keyPath: key] }, Swift.max)
  }

  /// The number of elements for which `key` is true. As for ``sum(of:)``; with a closure in place of the
  /// key path, `Sequence`'s method counts all elements in each call.
  public final func count(where key: KeyPath<Element, Bool>) -> Int {
    aggregate("count", key, { $0[keyPath: key] ? 1 : 0 }, +) ?? 0
  }

  private func aggregate<Part: Equatable>(
    _ name: String, _ key: AnyKeyPath, _ part: @escaping (Element) -> Part,
    _ combine: @escaping (Part, Part) -> Part
  ) -> Part? {
    let total = { (parts: [Part?]) -> Part? in
      parts.reduce(nil) { total, part in
        guard let total, let part else { return total ?? part }
        return combine(total, part)
      }
    }
    guard Transaction.current.isEvaluating else { return total(elements.map(part)) }
    // The node retains the view, whose source therefore does not retain the array.
    let node = observedNode()
    let identity: [AnyHashable] = [name, key]
    let view =
      node.aggregates[identity] as? LiveArray<Part>
      ?? LiveArray<Part>(of: self) { AggregateNode(of: self, for: $0, part, total) }
    node.aggregates[identity] = view
    return view.first
  }
}

/// An element with its part of the aggregate.
private final class PartNode<Part>: ElementNode, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  var part: Part?
  /// The aggregate of the subtree whose top the element is.
  var total: Part?
}

/// The node of an aggregate: a view with one element; none for the smallest of no elements.
private final class AggregateNode<Element, Part: Equatable>:
  ElementViewNode<Element, Part>, @unchecked Sendable
{
  // Proof of @unchecked: as for its superclass.

  private var result: Part?

  init(
    of array: LiveArray<Element>, for owner: RegisteredObject, _ part: @escaping (Element) -> Part,
    _ total: @escaping ([Part?]) -> Part?
  ) {
    super.init(of: array, for: owner, isRetained: false)
    group.evaluate = { Self.part(of: $0).part = part(Self.element(of: $0)) }
    group.tree = OrderTree { value, left, right in
      let node = Self.part(of: value)
      node.total = total(
        [left.map(Self.part)?.total, node.part, right.map(Self.part)?.total])
    }
  }

  private static func part(of node: AnyObject) -> PartNode<Part> {
    // Proof of the cast: `node(_:)` makes all nodes.
    cast(node, to: PartNode<Part>.self)
  }

  override func node(_ content: AnyObject) -> ElementNode {
    let node = PartNode<Part>(content, in: group, of: owner)
    // Before the node is inserted: then it is combined once.
    owner.object.map { Transaction.current.refresh(node, of: $0) }
    return node
  }

  override var elements: [Part] { result.map { [$0] } ?? [] }

  override func update(of owner: AnyObject, in transaction: Transaction) -> [ArrayEdit<Part>] {
    _ = takeChanges()
    for node in group.takeOutdated() {
      transaction.refresh(node, of: owner)
      group.tree.setWeight(0, of: node.slot)
    }
    let former = exchange(&result, with: group.tree.top.map(Self.part)?.total)
    return former == result ? [] : [.reset(elements)]
  }
}
