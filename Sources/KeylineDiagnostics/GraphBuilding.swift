import Keyline
import KeylineCore

// The values of a graph, made of what has been collected.

extension GraphCollector {
  var graph: Diagnostics.Graph {
    var counts: [String: Int] = [:]
    for entry in entries where entry.takesPart {
      let type = "\(type(of: entry.object))"
      counts[type, default: 0] += 1
      entry.id = "\(type)#\(counts[type, default: 1])"
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
      isHeldFromOutside: !entry.isHeldByRoots, holders: holders(of: entry),
      properties: entry.properties.filter(isShown).map(property))
  }

  private func holders(of entry: Entry) -> [Diagnostics.Graph.Reference] {
    var holders: [Diagnostics.Graph.Reference] = []
    for holder in entry.holders {
      for property in holder.properties
      where (property.kind == .stored || property.kind == .plain)
        && property.objects.contains(where: { $0 === entry })
      {
        let reference = Diagnostics.Graph.Reference(object: holder.id, property: property.name)
        if !holders.contains(reference) { holders.append(reference) }
      }
    }
    return holders
  }

  /// Of plain properties, those that refer to objects of the graph.
  private func isShown(_ property: Property) -> Bool {
    property.kind != .plain || property.objects.contains(where: \.takesPart)
  }

  private func property(_ property: Property) -> Diagnostics.Graph.Property {
    let values = ValueText(length: length) { [self] object in
      let id = (object as? any PropertyObservable).map { visit($0).id } ?? ""
      return id.isEmpty ? "\(type(of: object))" : id
    }
    return Diagnostics.Graph.Property(
      name: property.name, kind: property.kind, value: property.value.map(values.text),
      isOutdated: property.kind == .derived && property.node?.isOutdated == true,
      dependencies: property.node?.sources.compactMap(reference) ?? [],
      objects: property.objects.filter(\.takesPart).map(\.id))
  }

  private func reference(to node: Node) -> Diagnostics.Graph.Reference? {
    entry(of: node).map {
      Diagnostics.Graph.Reference(object: $0.id, property: node.name ?? "elements")
    }
  }

  private func observation(
    _ observation: Observation, number: Int
  ) -> Diagnostics.Graph.Observation {
    let binding = observation.binding
    let targets = observation.targets.compactMap(source)
    let target = binding?.targetEnd.start as? any PropertyObservable
    let converter = binding.map { CallSite.baseName($0.converterName) } ?? ""
    return Diagnostics.Graph.Observation(
      id: number, sources: observation.sources.compactMap(source), targets: targets,
      stages: observation.stages, targetObject: targets.isEmpty ? target.map { visit($0).id } : nil,
      isBinding: binding != nil, mode: binding?.mode,
      converter: converter.isEmpty ? nil : converter, isExclusive: binding?.isExclusive ?? false,
      isInCycle: observation.isInCycle, brokenHop: observation.brokenHop,
      call: observation.call?.name, place: observation.call?.place)
  }

  private func source(_ end: End) -> Diagnostics.Graph.Observation.Source? {
    reference(to: end.node).map {
      Diagnostics.Graph.Observation.Source(property: $0, hop: end.hop, stages: end.stages)
    }
  }
}

extension Diagnostics.Graph.Property.Kind {
  init(_ kind: InspectedProperty.Kind) {
    switch kind {
    case .observed: self = .stored
    case .weak: self = .weak
    case .derived: self = .derived
    case .plain: self = .plain
    }
  }
}
