import Keyline

// Debug descriptions: the output of `print`, `po`, `dump` and failed expectations for the library's
// own types. They evaluate no rule and register no dependency.

extension PropertyRegistry: Inspectable {
  package var inspection: [String] {
    (contents?.nodes ?? []).filter { $0.isProperty }.map { node in
      let counts = [(node.contexts.count, "observer"), (node.readers.count, "reader")]
      let parts = counts.filter { $0.0 > 0 }.map { String.count($0.0, $0.1) }
      let text = parts.isEmpty ? "unobserved" : parts.joined(separator: ", ")
      return "\(node.name ?? "elements"): \(text)"
    }
  }
}

extension KeyPathChain: Inspectable {
  package var inspection: [String] {
    ["\(Root.self) to \(Value.self)", .count(length, "hop")]
  }
}

extension DerivedProperty: Inspectable {
  package var inspectedName: String { "Derived" }

  package var inspection: [String] {
    guard let node else { return ["not observable"] }
    let sources = node.sources.filter { $0.owner.object != nil }.map(\.description)
    return [
      node.owner.object == nil ? "dead" : node.description,
      node.inspectedValue.map { String(inspecting: $0) } ?? "not computed",
      node.isOutdated ? "outdated" : nil,
      sources.isEmpty ? nil : "from \(sources.joined(separator: ", "))",
    ].compactMap { $0 }
  }
}

extension PropertyValidation: Inspectable {
  package var inspection: [String] { [isDisposed ? "disposed" : "active"] }
}

extension PropertyBinding: Inspectable {
  package var inspection: [String] {
    let binding = subscription.binding
    let sources =
      binding?.sourceEnd?.properties.map(\.node)
      ?? subscription.observedNodes.flatMap(\.observed).map(\.node)
    let ends = [sources, binding?.targetEnd.properties.map(\.node) ?? []].filter { !$0.isEmpty }
    let names = ends.map { $0.map(\.description).joined(separator: ", ") }
    return [
      "\(mode)",
      names.isEmpty ? "to \(targetType)" : names.joined(separator: mode.arrow),
      endReason.map { "\($0)" } ?? "active",
      binding.map { $0.binding.call.place },
    ].compactMap { $0 }
  }
}
