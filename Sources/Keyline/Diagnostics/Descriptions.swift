import KeylineCore

// Debug descriptions: what `print`, `po`, `dump` and a failed expectation show of the library's own
// types. None evaluates a rule or registers a dependency.

extension PropertyRegistry: Inspectable {
  package var inspection: [InspectedPart] {
    inspected.map { node, _ in
      let counts = [
        (node.observerContexts.count, "observer"), (node.readingComputations.count, "reader"),
      ]
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

extension TargetChain: Inspectable {
  package var inspection: [InspectedPart] { chain.inspection }
}

extension TargetLeaf: Inspectable {
  package var inspection: [InspectedPart] { chain.inspection }
}

extension DerivedProperty: Inspectable {
  package var inspectedName: String { "Derived" }

  package var inspection: [InspectedPart] {
    guard let derivation else { return [InspectedPart("not observable")] }
    let dependencies = derivation.observed.compactMap { ($0 as? DependencyNode)?.livingName }
    return [
      InspectedPart(derivation.node.livingName ?? "dead"),
      derivation.cached.map { InspectedPart(value: $0) } ?? InspectedPart("not computed"),
      derivation.isSuspect && derivation.cached != nil ? InspectedPart("outdated") : nil,
      dependencies.isEmpty ? nil : InspectedPart("from \(dependencies.joined(separator: ", "))"),
    ].compactMap { $0 }
  }
}

extension PropertyValidation: Inspectable {
  package var inspection: [InspectedPart] { [InspectedPart(context.state)] }
}

extension PropertyBinding: Inspectable {
  package var inspection: [InspectedPart] {
    let (sources, targets) = ends
    let names = [sources, targets].map { $0.joined(separator: ", ") }.filter { !$0.isEmpty }
    return [
      InspectedPart("\(mode)"),
      names.isEmpty ? nil : InspectedPart(names.joined(separator: mode.arrow)),
      InspectedPart(endReason.map { "\($0)" } ?? "active"),
      place.map { InspectedPart($0) },
    ].compactMap { $0 }
  }
}
