// What a graph or a trace asks a binding.

/// An active binding.
package protocol InspectedBinding: AnyObject {
  var binding: PropertyBinding { get }
  /// The name of the function that made the converter; empty without a converter.
  var converterName: StaticString { get }
  var isExclusive: Bool { get }
  /// Nil if the source is a stream.
  var sourceEnd: (any InspectedEnd)? { get }
  var targetEnd: any InspectedEnd { get }
}

/// One end of a binding.
package protocol InspectedEnd {
  /// The object at which the end begins.
  var root: AnyObject? { get }
  /// The owner of the property; nil while the end is a chain that reaches no object.
  var owner: AnyObject? { get }
  /// The properties of the end, each with its position on the chain: the hops, and then the
  /// properties read from the last object, which have no position.
  var properties: [(node: Node, hop: Int?)] { get }
}

extension SubscriptionContext {
  /// The binding that this subscription belongs to.
  package final var binding: (any InspectedBinding)? {
    parts.lazy.compactMap { $0 as? any InspectedBinding }.first
  }
}
