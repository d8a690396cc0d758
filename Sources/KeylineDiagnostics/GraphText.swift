import Keyline

extension Diagnostics.Graph: CustomStringConvertible {
  /// The graph as text: objects with their properties, then the numbered observations. `→ 3` behind
  /// a property means that observation 3 reads it, `← 3` that it writes it.
  public var description: String { text }

  /// The graph as text; see ``description``.
  public var text: String {
    func numbers(_ ends: (Observation) -> [Observation.Source]) -> [Reference: [Int]] {
      observations.reduce(into: [:]) { numbers, observation in
        for property in Set(ends(observation).map(\.property)) {
          numbers[property, default: []].append(observation.id)
        }
      }
    }
    let marks = [(" → ", numbers(\.reads)), (" ← ", numbers(\.writes))]
    var lines: [String] = []
    for object in objects {
      lines.append(object.heading)
      for property in object.properties {
        let suffix = marks.compactMap { arrow, numbers in
          numbers[property.reference].map { arrow + $0.map(String.init).joined(separator: ", ") }
        }
        lines.append("  " + property.line() + suffix.joined())
      }
    }
    let width = "\(observations.count)".count + 2
    for observation in observations {
      let number = "\(observation.id)"
      lines.append(
        number + String(repeating: " ", count: width - number.count) + observation.line)
    }
    return lines.map { $0 + "\n" }.joined()
  }
}

extension Diagnostics.Graph.Object {
  /// `Person#1 "Ada" (held from outside)`.
  var heading: String {
    id + (name.map { " \($0.literal)" } ?? "") + (isHeldFromOutside ? " (held from outside)" : "")
  }
}

extension Diagnostics.Graph.Property {
  /// `total = 24, derived from Order#1.price, outdated`.
  ///
  /// - Parameter hasOrigin: whether to list the properties that the value is derived from.
  func line(hasOrigin: Bool = true) -> String {
    var line = name
    if let value { line += " = \(value)" } else if kind == .derived { line += " = not computed" }
    if kind == .weak { line += ", weak" }
    if kind == .derived, hasOrigin { line += ", derived" }
    if hasOrigin, !dependencies.isEmpty {
      line += " from " + dependencies.map(\.description).joined(separator: ", ")
    }
    return line + (isOutdated ? ", outdated" : "")
  }
}

extension Diagnostics.Graph.Observation {
  /// The properties that the observation reads: its sources, and the hops that lead to a target.
  var reads: [Source] { sources + (mode == .twoWay ? targets : targets.filter { $0.hop != nil }) }

  /// The properties that the observation writes.
  var writes: [Source] { (mode == .twoWay ? sources + targets : targets).filter { $0.hop == nil } }

  /// The call, as far as it is recorded.
  var caller: String { call ?? (isBinding ? "binding" : "observer") }

  /// `Form#1.text → observe → map → subscribe  (Form.swift:12)`.
  var line: String {
    var parts = sources.isEmpty ? stages : [groups.joined(separator: "; ")]
    if mode != .twoWay || targets.isEmpty { parts.append(caller) }
    if !targets.isEmpty { parts.append(names(targets[...])) }
    return parts.joined(separator: mode?.arrow ?? " → ")
      + (attributes.isEmpty ? "" : "  (\(attributes.joined(separator: ", ")))")
  }

  /// The sources, those with the same operators behind them together.
  private var groups: [String] {
    sources.runs { $0.stages == $1.stages }.map { run in
      ([names(run)] + run[run.startIndex].stages).joined(separator: " → ")
    }
  }

  /// `Person#1.(name, age), City#1.name`.
  private func names(_ sources: ArraySlice<Source>) -> String {
    let runs = sources.runs {
      $0.hop == nil && $1.hop == nil && $0.property.object == $1.property.object
    }
    return runs.map { run in
      let first = run[run.startIndex]
      guard run.count > 1 else { return first.description }
      return "\(first.property.object).(\(run.map(\.property.property).joined(separator: ", ")))"
    }.joined(separator: ", ")
  }

  /// `two-way`, `converter decimal`, `broken at hop 1`, `Form.swift:12`.
  var attributes: [String] {
    [
      mode == .twoWay ? "two-way" : nil, mode == .oneTime ? "one time" : nil,
      converter.map { "converter \($0)" }, isExclusive ? "exclusive" : nil,
      brokenHop.map { "broken at hop \($0)" }, place,
    ].compactMap { $0 }
  }
}

extension Diagnostics.Graph.Observation.Source: CustomStringConvertible {
  /// `hop 1 Person#1.name`.
  public var description: String { (hop.map { "hop \($0) " } ?? "") + "\(property)" }
}

extension RandomAccessCollection where Index == Int {
  /// The parts in which each element belongs together with the one before it.
  fileprivate func runs(_ belong: (Element, Element) -> Bool) -> [SubSequence] {
    let starts = indices.filter { $0 == startIndex || !belong(self[$0 - 1], self[$0]) }
    return zip(starts, starts.dropFirst() + [endIndex]).map { self[$0..<$1] }
  }
}
