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
    aggregate("sum", key, { $0[keyPath: key] }, +) { sum, _ in sum ?? .zero }
  }

  /// The mean of the values of `key`; nil without elements. As for ``sum(of:)``.
  public final func average<Value: BinaryFloatingPoint>(of key: KeyPath<Element, Value>) -> Value? {
    aggregate("average", key, { $0[keyPath: key] }, +) { sum, count in sum.map { $0 / Value(count) }
    }
  }

  /// The mean of the values of `key`; nil without elements. As for ``sum(of:)``.
  public final func average<Value: BinaryInteger>(of key: KeyPath<Element, Value>) -> Double? {
    aggregate("average", key, { $0[keyPath: key] }, +) { sum, count in
      sum.map { Double($0) / Double(count) }
    }
  }

  /// The smallest value of `key`; nil without elements. As for ``sum(of:)``.
  public final func min<Value: Comparable>(of key: KeyPath<Element, Value>) -> Value? {
    aggregate("min", key, { $0[keyPath: key] }, Swift.min) { value, _ in value }
  }

  /// The largest value of `key`; nil without elements. As for ``sum(of:)``.
  public final func max<Value: Comparable>(of key: KeyPath<Element, Value>) -> Value? {
    aggregate("max", key, { $0[keyPath: key] }, Swift.max) { value, _ in value }
  }

  /// The number of elements for which `key` is true. As for ``sum(of:)``; with a closure in place of the
  /// key path, `Sequence`'s method counts all elements in each call.
  public final func count(where key: KeyPath<Element, Bool>) -> Int {
    aggregate("count", key, { $0[keyPath: key] ? 1 : 0 }, +) { count, _ in count ?? 0 }
  }

  private func aggregate<Part, Result>(
    _ name: String, _ key: AnyKeyPath, _ part: @escaping (Element) -> Part,
    _ combine: @escaping (Part, Part) -> Part, _ finish: @escaping (Part?, Int) -> Result
  ) -> Result {
    guard isTracking(), Transaction.current.isEvaluating else {
      let parts = elements.map(part)
      return finish(parts.first.map { parts.dropFirst().reduce($0, combine) }, parts.count)
    }
    // The node retains the view, whose source therefore does not retain the array.
    let node = observedNode()
    let identity = AggregateKey(name: name, key: key)
    if let view = node.aggregates[identity] as? LiveArray<Result> { return view[0] }
    let view = LiveArray<Result>(of: self) {
      AggregateNode(of: self, for: $0, part, combine, finish)
    }
    node.aggregates[identity] = view
    return view[0]
  }
}

/// What an aggregate is made of.
struct AggregateKey: Hashable {
  let name: String
  let key: AnyKeyPath
}

/// An element with its part of the aggregate.
private final class PartNode<Part>: ElementNode, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  var part: Part?
  /// The aggregate of the subtree whose top the element is.
  var total: Part?
}

/// The node of an aggregate: a view with one element.
private final class AggregateNode<Element, Part, Output>:
  ElementViewNode<Element, Output>, @unchecked Sendable
{
  // Proof of @unchecked: as for its superclass.

  private let finish: (Part?, Int) -> Output
  private var result: Output?

  init(
    of array: LiveArray<Element>, for owner: RegisteredObject, _ part: @escaping (Element) -> Part,
    _ combine: @escaping (Part, Part) -> Part, _ finish: @escaping (Part?, Int) -> Output
  ) {
    self.finish = finish
    super.init(of: array, for: owner, isRetained: false)
    group.evaluate = { Self.part(of: $0).part = part(Self.element(of: $0)) }
    group.tree = OrderTree { value, left, right in
      let parts = [
        left.map(Self.part)?.total, value.map(Self.part)?.part, right.map(Self.part)?.total,
      ]
      value.map(Self.part)?.total = parts.reduce(nil) { total, part in
        guard let total, let part else { return total ?? part }
        return combine(total, part)
      }
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

  override var elements: [Output] { result.map { [$0] } ?? [] }
  override var count: Int { 1 }

  override func update(of owner: AnyObject, in transaction: Transaction) -> [ArrayEdit<Output>] {
    _ = takeChanges()
    for node in group.takeOutdated() {
      transaction.refresh(node, of: owner)
      group.tree.setWeight(0, of: node.slot)
    }
    let current = finish(group.tree.top.map(Self.part)?.total, group.tree.size)
    guard let former = exchange(&result, with: current) else { return [.reset([current])] }
    if Equality<Output>.of(former, current) == true { return [] }
    return [.replacement([former], with: [current], at: 0)]
  }
}
