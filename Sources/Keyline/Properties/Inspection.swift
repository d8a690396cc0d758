// The interface to KeylineDiagnostics: the questions that a graph or a trace asks the engine.
// Nothing here evaluates a rule of the program, with one exception: finding the properties that a
// binding writes reads them.

extension Node {
  /// The nodes that the last evaluation has read, in order; for a chain, its hops.
  package final var sources: [Node] { dependencies.map(\.node) }

  /// The nodes that the observers of this node follow: the node itself if it is a property; for a
  /// path, the nodes that the path reads, each with its position on the chain.
  package final var observed: [(node: Node, hop: Int?)] {
    if isProperty { return [(self, nil)] }
    let hops = chain?.positions.map { $0 as Int? } ?? sources.map { _ in nil }
    return zip(sources, hops).flatMap { source, hop in
      source.isHop ? source.sources.map { ($0, hop) } : [(source, hop)]
    }
  }

  /// Whether the node is a property of the object, not an observed path.
  package final var isProperty: Bool { place != 0 || !isComputed }

  /// The state of a chain; nil for all other nodes.
  package final var chain: (any InspectedChain)? { self as? any InspectedChain }
}

/// The state of a chain.
package protocol InspectedChain {
  /// For each source, the position of its property on the chain, counted from 0.
  var positions: [Int] { get }
  /// The hop that leads to nil.
  var brokenHop: Int? { get }
  var cause: ChangeCause { get }
}

/// One property of an object, for inspection.
package struct InspectedProperty {
  package enum Kind: String { case stored, weak, derived, state, plain }

  package let name: String
  package let kind: Kind
  /// The node of the property; nil unless the property has been observed, or read by a computation.
  package let node: Node?
  /// The stored value, or the value computed last; nil if none has been computed.
  package let value: () -> Any?
}

extension PropertyObservable {
  /// The name of the property of the object's own class that `keyPath` leads to; nil if `keyPath`
  /// is a longer path.
  package func propertyName<Value>(at keyPath: KeyPath<Self, Value>) -> String? {
    PropertyPath(keyPath).property(of: self)?.name
  }

  /// The stored properties, beginning with the ones of superclasses; for a collection, also its
  /// elements; then the state reported by `access(_:)`. Nothing is evaluated or recorded.
  package var inspectedProperties: [InspectedProperty] {
    let object = RegisteredObject.existing(of: self)
    var properties: [InspectedProperty] = []
    Reflection.forEachField(of: Swift.type(of: self)) { field, offset, label, isStrong, _ in
      let node = object?.node(at: address(of: self) &+ UInt(offset))
      let name = StoredProperties.name(ofWrapper: label)
      let load = { StoredProperties.load(field, of: self, at: offset) }
      if let storage = field as? any PropertyStorage.Type {
        let kind = storage.isWeak ? InspectedProperty.Kind.weak : .stored
        properties.append(
          .init(name: name, kind: kind, node: node) { (load() as? any PropertyStorage)?.value })
      } else if field is any NodeStorage.Type {
        properties.append(.init(name: name, kind: .derived, node: node) { node?.inspectedValue })
      } else if isStrong, field != RegisteredObject?.self, !(self is any Collection) {
        let name = String(cString: label).replacing("$__lazy_storage_$_", with: "")
        properties.append(.init(name: name, kind: .plain, node: nil, value: load))
      }
    }
    // Nodes without a stored property: state reported by `access(_:)`, and the elements of arrays.
    let nodes = (object?.nodes ?? []).filter { $0.place == 0 && !$0.isComputed }
    if let elements = self as? any Collection {
      let load = { elements.map { $0 as Any } }
      properties.append(.init(name: "elements", kind: .stored, node: nodes.first, value: load))
    }
    return properties
      + nodes.compactMap { node in
        node.name.map { InspectedProperty(name: $0, kind: .state, node: node) { nil } }
      }
  }
}
