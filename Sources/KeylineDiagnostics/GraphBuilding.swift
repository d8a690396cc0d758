import Keyline

// Builds the values of a graph from the collected objects and observations.

extension GraphCollector {
  func graph(of objects: [any PropertyObservable]) -> Diagnostics.Graph {
    collect(from: objects)
    var counts: [String: Int] = [:]
    for index in entries.indices where entries[index].takesPart {
      let type = "\(type(of: entries[index].object))"
      counts[type, default: 0] += 1
      entries[index].id = "\(type)#\(counts[type, default: 1])"
    }
    return Diagnostics.Graph(
      objects: entries.filter(\.takesPart).map(object),
      observations: observations.enumerated().map { observation($1, number: $0 + 1) })
  }

  private func object(_ entry: Entry) -> Diagnostics.Graph.Object {
    let named = entry.object is any Collection ? nil : entry.object as? any CustomStringConvertible
    return Diagnostics.Graph.Object(
      id: entry.id, identity: ObjectIdentifier(entry.object), type: "\(type(of: entry.object))",
      name: named?.description.cut(to: length), isRoot: entry.isRoot,
      holders: entry.holders.map { .init(object: entries[$0.index].id, property: $0.property) },
      properties: entry.object.inspectedProperties.compactMap { property($0, of: entry.id) })
  }

  /// Of plain properties, those that refer to objects of the graph.
  private func property(
    _ property: InspectedProperty, of id: String
  ) -> Diagnostics.Graph.Property? {
    let objects = objects(in: property).map { entries[$0].id }.filter { !$0.isEmpty }
    guard property.kind != .plain || !objects.isEmpty,
      let kind = Diagnostics.Graph.Property.Kind(rawValue: property.kind.rawValue)
    else { return nil }
    let values = ValueText(length: length) { [self] object in
      let id = (object as? any PropertyObservable).map { entries[visit($0)].id } ?? ""
      return id.isEmpty ? "\(type(of: object))" : id
    }
    // A rule that reads a value around the evaluation of another rule may record it twice.
    var known: Set<Diagnostics.Graph.Reference> = []
    return Diagnostics.Graph.Property(
      reference: .init(object: id, property: property.name), kind: kind,
      value: property.value().map(values.text),
      isOutdated: kind == .derived && property.node?.isOutdated == true,
      dependencies: (property.node?.sources.compactMap(reference) ?? []).filter {
        known.insert($0).inserted
      }, objects: objects)
  }

  private func reference(to node: Node) -> Diagnostics.Graph.Reference? {
    indexes[node.owner.identity].map {
      .init(object: entries[$0].id, property: node.name ?? "elements")
    }
  }

  private func observation(
    _ observation: Observation, number: Int
  ) -> Diagnostics.Graph.Observation {
    let (path, binding) = (observation.path, observation.binding)
    // A stream is observed by an inner subscription.
    let inner = binding?.binding.subscription.parts.lazy.compactMap { $0 as? SubscriptionContext }
      .compactMap { Records.path(from: ObjectIdentifier($0)) }.first
    let converter = binding.map { CallSite.baseName($0.converterName) } ?? ""
    return Diagnostics.Graph.Observation(
      id: number, sources: observation.sources.compactMap(source),
      targets: observation.targets.compactMap(source), stages: (inner ?? path)?.stages ?? [],
      mode: binding?.binding.mode, converter: converter.isEmpty ? nil : converter,
      isExclusive: binding?.isExclusive ?? false, brokenHop: observation.brokenHop,
      call: path?.call?.name, place: path?.call?.place)
  }

  private func source(_ end: End) -> Diagnostics.Graph.Observation.Source? {
    reference(to: end.node).map { .init(property: $0, hop: end.hop, stages: end.stages) }
  }
}
