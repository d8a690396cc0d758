// The seam to KeylineDiagnostics: what a graph or a trace asks of the engine. Nothing here evaluates a
// rule of the program, except for the properties that a binding writes, which are found by reading them.

extension Node {
  /// What has been read by the last evaluation, in order; of a chain, its hops.
  package final var sources: [Node] { dependencies.map(\.node) }

  /// What its observers observe: the property itself; of a path, what it has read; each with its place
  /// on the chain.
  package final var observed: [(node: Node, hop: Int?)] {
    if isProperty { return [(self, nil)] }
    let hops = chain?.hops.map { $0 as Int? } ?? sources.map { _ in nil }
    return zip(sources, hops).flatMap { source, hop in
      source.isHop ? source.sources.map { ($0, hop) } : [(source, hop)]
    }
  }

  /// Computed nodes that have read it, in the order of subscription.
  package final var readers: [Node] {
    dependents.filter(\.isInUse).map(\.reader).sorted { $0.order < $1.order }
  }

  /// The first of what it has read that has changed since.
  package final var changedSource: Node? {
    dependencies.first { $0.version != $0.node.version }?.node
  }

  /// How often it has changed.
  package final var changeCount: UInt { version }

  /// Whether a value that has been computed is not up to date.
  package final var isOutdated: Bool { mayBeStale && inspectedValue != nil }

  /// Whether it is a property of the object, and not a path that is observed.
  package final var isProperty: Bool { place != 0 || !isComputed }

  /// Whether it is a property on a chain, which owns it.
  package final var belongsToChain: Bool { isHop }
}

/// The state of a chain.
package struct InspectedChain {
  /// Which property of the chain each source is, counted from 0.
  package let hops: [Int]
  /// The hop that leads to nil.
  package let brokenHop: Int?
  package let cause: ChangeCause
}

extension RegisteredObject {
  /// What is registered of an object already.
  package static func existing(of object: any PropertyObservable) -> RegisteredObject? {
    guard let object = object as? ReactiveBase else { return object.properties.contents }
    return object.registry?.contents
  }

  /// The nodes that belong to no stored property: state reported by `access(_:)`, elements.
  package var stateNodes: [Node] { nodes.filter { $0.place == 0 && !$0.isComputed } }

  /// The bindings that end with the object.
  package var bindings: [any InspectedBinding] {
    existingDeath?.contexts.compactMap(\.binding) ?? []
  }
}

/// A binding in force.
package protocol InspectedBinding: AnyObject {
  var mode: BindingMode { get }
  /// The function that has made the converter; empty without one.
  var converterName: StaticString { get }
  var isExclusive: Bool { get }
  var call: CallSite { get }
  var subscription: SubscriptionContext { get }
  /// Nil for the end that is a stream.
  var sourceEnd: (any InspectedEnd)? { get }
  var targetEnd: any InspectedEnd { get }
}

/// One end of a binding.
package protocol InspectedEnd {
  /// The object that it starts from.
  var start: AnyObject? { get }
  /// Whether it is a chain that leads to no object.
  var isBroken: Bool { get }
  /// The properties that it consists of: hops, and those that it reads of their last object; each with
  /// its place on the chain.
  var properties: [(node: Node, hop: Int?)] { get }
}

extension SubscriptionContext {
  /// The binding whose subscription it is.
  package final var binding: (any InspectedBinding)? {
    parts.lazy.compactMap { $0 as? any InspectedBinding }.first
  }

  /// What is observed by it and by the subscriptions that end with it.
  final var observedNodes: [Node] {
    parts.flatMap { part in
      (part as? Observer).map { [$0.node] } ?? (part as? SubscriptionContext)?.observedNodes ?? []
    }
  }
}

extension PropertyObservable {
  /// The name of the property of the object's own class that `keyPath` leads to; nil for a path.
  package func propertyName<Value>(at keyPath: KeyPath<Self, Value>) -> String? {
    PropertyPath(keyPath).property(of: self)?.name
  }
}

extension BindingMode {
  /// What stands between the ends, the source first.
  package var arrow: String { self == .twoWay ? " ⇄ " : " → " }
}
