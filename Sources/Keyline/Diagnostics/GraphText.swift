import KeylineCore

extension Diagnostics.Graph: CustomStringConvertible {
  /// The graph as text: objects with their properties, then the numbered observations. `→ 3` behind
  /// a property means that observation 3 reads it, `← 3` that it writes it.
  public var description: String { text }

  /// The graph as text; see ``description``.
  public var text: String {
    var readers: [Reference: [Int]] = [:]
    var writers: [Reference: [Int]] = [:]
    for observation in observations {
      for end in observation.reads { readers[end.property, default: []].append(observation.id) }
      for end in observation.writes { writers[end.property, default: []].append(observation.id) }
    }
    func marks(_ arrow: String, _ numbers: [Int]?) -> String {
      guard let numbers else { return "" }
      var unique: [Int] = []
      for number in numbers where unique.last != number { unique.append(number) }
      return " \(arrow) " + unique.map(String.init).joined(separator: ", ")
    }
    var lines: [String] = []
    for object in objects {
      lines.append(object.heading)
      for property in object.properties {
        let reference = Reference(object: object.id, property: property.name)
        lines.append(
          "  " + property.line + marks("→", readers[reference])
            + marks("←", writers[reference]))
      }
    }
    let width = "\(observations.count)".count
    for observation in observations {
      let number = "\(observation.id)"
      lines.append(
        number + String(repeating: " ", count: width - number.count) + "  " + observation.line)
    }
    return lines.map { $0 + "\n" }.joined()
  }
}

extension Diagnostics.Graph.Object {
  /// `Person#1 "Ada" (held from outside)`.
  var heading: String {
    id + (name.map { " \($0.literal)" } ?? "")
      + (isHeldFromOutside ? " (held from outside)" : "")
  }
}

extension Diagnostics.Graph.Property {
  /// `total = 24, derived from Order#1.price, outdated`.
  var line: String {
    guard !dependencies.isEmpty else { return line(origin: kind == .derived ? ["derived"] : []) }
    return line(
      origin: ["derived from " + dependencies.map(\.description).joined(separator: ", ")])
  }

  /// - Parameter origin: what it is derived from, in words.
  func line(origin: [String]) -> String {
    let parts =
      [name + assignment] + (kind == .weak ? ["weak"] : []) + origin
      + (isOutdated ? ["outdated"] : [])
    return parts.joined(separator: ", ")
  }

  /// ` = 24`; nothing for state without a value.
  private var assignment: String {
    if let value { return " = \(value)" }
    return kind == .derived ? " = not computed" : ""
  }
}

extension Diagnostics.Graph.Observation {
  /// What changes it: the sources, and the hops that lead to a target.
  var reads: [Source] {
    switch mode {
    case .oneWayToSource: targets + sources.filter { $0.hop != nil }
    case .twoWay: sources + targets
    default: sources + targets.filter { $0.hop != nil }
    }
  }

  /// What it changes.
  var writes: [Source] {
    switch mode {
    case nil: []
    case .oneWayToSource: sources.filter { $0.hop == nil }
    case .twoWay: (sources + targets).filter { $0.hop == nil }
    default: targets.filter { $0.hop == nil }
    }
  }

  /// `Form#1.text → observe → map → subscribe  (Form.swift:12)`.
  var line: String {
    var parts: [String] = []
    parts += sources.isEmpty ? stages : [groups.joined(separator: "; ")]
    if mode != .twoWay || targets.isEmpty {
      parts.append(call ?? (isBinding ? "binding" : "observer"))
    }
    if !targets.isEmpty { parts.append(names(targets)) }
    if let targetObject { parts.append(targetObject) }
    return parts.joined(separator: mode?.arrow ?? " → ")
      + (attributes.isEmpty ? "" : "  (\(attributes.joined(separator: ", ")))")
  }

  /// The sources, those with the same operators behind them together.
  private var groups: [String] {
    var groups: [(stages: [String], sources: [Source])] = []
    for source in sources {
      if groups.last?.stages == source.stages {
        groups[groups.count - 1].sources.append(source)
      } else {
        groups.append((source.stages, [source]))
      }
    }
    return groups.map { ([names($0.sources)] + $0.stages).joined(separator: " → ") }
  }

  /// `Person#1.(name, age), City#1.name`.
  private func names(_ sources: [Source]) -> String {
    var runs: [[Source]] = []
    for source in sources {
      if let last = runs.last?.last, last.hop == nil, source.hop == nil,
        last.property.object == source.property.object
      {
        runs[runs.count - 1].append(source)
      } else {
        runs.append([source])
      }
    }
    return runs.map { run in
      guard run.count > 1 else { return run[0].description }
      return "\(run[0].property.object).(\(run.map(\.property.property).joined(separator: ", ")))"
    }.joined(separator: ", ")
  }

  /// `two-way`, `converter decimal`, `broken at hop 1`, `Form.swift:12`.
  var attributes: [String] {
    var result: [String] = []
    switch mode {
    case .twoWay: result.append("two-way")
    case .oneTime: result.append("one time")
    case .oneWayToSource: result.append("one way to source")
    case .oneWay, nil: break
    }
    if let converter { result.append("converter \(converter)") }
    if isExclusive { result.append("exclusive") }
    if isInCycle { result.append("in a cycle") }
    if let brokenHop { result.append("broken at hop \(brokenHop)") }
    if let place { result.append(place) }
    return result
  }
}

extension Diagnostics.Graph.Observation.Source: CustomStringConvertible {
  /// `hop 1 Person#1.name`.
  public var description: String { (hop.map { "hop \($0) " } ?? "") + "\(property)" }
}
