import Keyline

// Debug descriptions: the output of `print`, `po`, `dump` and failed expectations for the library's
// own types. They evaluate no rule and register no dependency.

extension PropertyRegistry: Inspectable {
  package var inspection: [InspectedPart] {
    (contents?.nodes ?? []).filter { $0.isProperty }.map { node in
      let counts = [(node.contexts.count, "observer"), (node.readers.count, "reader")]
      let parts = counts.filter { $0.0 > 0 }.map { InspectedPart.count($0.0, $0.1).text }
      var part = InspectedPart(parts.isEmpty ? "unobserved" : parts.joined(separator: ", "))
      part.label = node.name ?? "elements"
      return part
    }
  }
}

extension KeyPathChain: Inspectable {
  package var inspection: [InspectedPart] {
    [InspectedPart("\(Root.self) to \(Value.self)"), .count(length, "hop")]
  }
}

extension DerivedProperty: Inspectable {
  package var inspectedName: String { "Derived" }

  package var inspection: [InspectedPart] {
    guard let node else { return [InspectedPart("not observable")] }
    let sources = node.sources.filter { $0.owner.object != nil }.map(\.description)
    return [
      InspectedPart(node.owner.object == nil ? "dead" : node.description),
      node.inspectedValue.map { InspectedPart(value: $0) } ?? InspectedPart("not computed"),
      node.isOutdated ? InspectedPart("outdated") : nil,
      sources.isEmpty ? nil : InspectedPart("from \(sources.joined(separator: ", "))"),
    ].compactMap { $0 }
  }
}

extension PropertyValidation: Inspectable {
  package var inspection: [InspectedPart] { [InspectedPart(isDisposed ? "disposed" : "active")] }
}

extension PropertyBinding: Inspectable {
  package var inspection: [InspectedPart] {
    let binding = subscription.binding
    let sources =
      binding?.sourceEnd?.properties.map(\.node)
      ?? subscription.observedNodes.flatMap(\.observed).map(\.node)
    let ends = [sources, binding?.targetEnd.properties.map(\.node) ?? []].filter { !$0.isEmpty }
    let names = ends.map { $0.map(\.description).joined(separator: ", ") }
    return [
      InspectedPart("\(mode)"),
      InspectedPart(names.isEmpty ? "to \(targetType)" : names.joined(separator: mode.arrow)),
      InspectedPart(endReason.map { "\($0)" } ?? "active"),
      binding.map { InspectedPart($0.binding.call.place) },
    ].compactMap { $0 }
  }
}
