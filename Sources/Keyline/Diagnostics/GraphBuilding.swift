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
      name: named.map { shortened($0.description, to: length) }, isRoot: entry.isRoot,
      isHeldFromOutside: !entry.isHeldByRoots, holders: holders(of: entry),
      properties: entry.properties.filter(isShown).map(property))
  }

  private func holders(of entry: Entry) -> [Diagnostics.Graph.Reference] {
    entry.holders.reduce(into: []) { holders, holder in
      for property in holder.properties
      where (property.kind == .stored || property.kind == .plain)
        && property.objects.contains(where: { $0 === entry })
      {
        let reference = Diagnostics.Graph.Reference(object: holder.id, property: property.name)
        if !holders.contains(reference) { holders.append(reference) }
      }
    }
  }

  /// Of plain properties, those that refer to objects of the graph.
  private func isShown(_ property: Property) -> Bool {
    property.kind != .plain || property.objects.contains(where: \.takesPart)
  }

  private func property(_ property: Property) -> Diagnostics.Graph.Property {
    let derivation = property.node?.derivation?.takeUnretainedValue()
    let dependencies = (0..<(derivation?.dependencyCount ?? 0)).compactMap {
      derivation.flatMap { [index = $0] in reference(to: $0.dependency(index).pointee.node) }
    }
    return Diagnostics.Graph.Property(
      name: property.name, kind: property.kind,
      value: property.value.map { cut(text($0)) },
      isOutdated: derivation.map { $0.isSuspect && $0.cached != nil } ?? false,
      dependencies: dependencies,
      objects: property.objects.filter(\.takesPart).map(\.id))
  }

  private func reference(to node: DependencyNode) -> Diagnostics.Graph.Reference? {
    places[ObjectIdentifier(node)].map {
      Diagnostics.Graph.Reference(
        object: $0.entry.id, property: $0.entry.properties[$0.property].name)
    }
  }

  private func observation(
    _ observation: Observation, number: Int
  ) -> Diagnostics.Graph.Observation {
    let role = observation.role
    var sources = observation.ends.filter { !$0.isTarget }.compactMap(source)
    var targets = observation.ends.filter(\.isTarget).compactMap(source)
    let written = observation.written.compactMap { source(End(node: $0)) }
    if observation.mode == .oneWayToSource { sources += written } else { targets += written }
    return Diagnostics.Graph.Observation(
      id: number, sources: sources, targets: targets, stages: observation.stages,
      targetObject: targets.isEmpty ? observation.targetObject?.id : nil,
      isBinding: observation.isBinding, mode: observation.mode,
      converter: role?.converter, isExclusive: role?.isExclusive ?? false,
      isInCycle: observation.isInCycle, brokenHop: observation.chain?.brokenPosition,
      call: observation.call?.name, place: observation.call?.place)
  }

  private func source(_ end: End) -> Diagnostics.Graph.Observation.Source? {
    reference(to: end.node).map {
      Diagnostics.Graph.Observation.Source(property: $0, hop: end.hop, stages: end.stages)
    }
  }

  // MARK: Values as text

  private func text(_ value: Any) -> String {
    guard let content = Optionals.content(of: value) else { return "nil" }
    if let text = content as? String { return text.literal }
    if let object = content as? any PropertyObservable {
      let id = visit(object).id
      return id.isEmpty ? "\(type(of: object))" : id
    }
    if type(of: content) is AnyClass { return "\(type(of: content))" }
    let style = Mirror(reflecting: content).displayStyle
    guard style == .collection || style == .set, let elements = content as? any Collection else {
      return "\(content)"
    }
    return list(elements)
  }

  private func list(_ elements: any Collection) -> String {
    var shown: [String] = []
    for element in elements.prefix(3) { shown.append(cut(text(element), to: length / 2)) }
    if elements.count > 3 { shown.append("… \(elements.count - 3) more") }
    return "[\(shown.joined(separator: ", "))]"
  }

  private func cut(_ text: String, to length: Int? = nil) -> String {
    shortened(text.inOneLine, to: length ?? self.length)
  }

  private func shortened(_ text: String, to length: Int) -> String {
    text.count > length ? "\(text.prefix(max(0, length - 1)))…" : text
  }
}
