import KeylineCore

// Graphs as pictures: both languages draw the same boxes and arrows.

extension Diagnostics.Graph {
  /// An arrow between two boxes, or rows of boxes.
  private struct Arrow {
    enum Style { case flow, both, derived, holds }

    let from: String
    let to: String
    let label: String
    let style: Style
  }

  /// Observers and streams that are boxes of their own, and all arrows.
  private var drawing: (boxes: [Observation], arrows: [Arrow]) {
    var boxes: [String: String] = [:]
    var rows: [Reference: String] = [:]
    for (index, object) in objects.enumerated() {
      boxes[object.id] = "o\(index)"
      for (row, property) in object.properties.enumerated() {
        rows[Reference(object: object.id, property: property.name)] = "o\(index)p\(row)"
      }
    }
    var arrows: [Arrow] = []
    func add(_ from: String?, _ to: String?, _ label: String = "", _ style: Arrow.Style = .flow) {
      guard let from, let to else { return }
      arrows.append(Arrow(from: from, to: to, label: label, style: style))
    }
    for object in objects {
      for property in object.properties {
        let row = rows[Reference(object: object.id, property: property.name)]
        for dependency in property.dependencies { add(rows[dependency], row, "", .derived) }
        guard property.kind != .derived else { continue }
        for held in property.objects { add(row, boxes[held], "", .holds) }
      }
    }
    var observers: [Observation] = []
    for observation in observations {
      let (sources, targets) = (observation.sources, observation.targets)
      if sources.count == 1, targets.count == 1 {
        add(
          rows[sources[0].property], rows[targets[0].property], observation.label,
          observation.mode == .twoWay ? .both : .flow)
        continue
      }
      observers.append(observation)
      let box = "n\(observation.id)"
      for source in observation.reads {
        add(rows[source.property], box, source.hop.map { "hop \($0)" } ?? "")
      }
      for target in observation.writes { add(box, rows[target.property]) }
    }
    return (observers, arrows)
  }

  /// The graph in Graphviz's language: `dot -Tsvg graph.dot -o graph.svg`.
  ///
  /// Full arrows lead from what is observed to what is called or written, dashed ones from what a
  /// derived value is computed from, grey ones to the objects that a property refers to. What is red is
  /// broken, outdated or in a cycle.
  public var dot: String {
    let (observers, arrows) = drawing
    var lines = [
      "digraph Keyline {", "  rankdir=LR; nodesep=0.12; ranksep=0.9;",
      "  node [shape=plain, fontname=\"Helvetica\", fontsize=10];",
      "  edge [fontname=\"Helvetica\", fontsize=8, arrowsize=0.6, color=\"#30507a\"];",
    ]
    for (index, object) in objects.enumerated() {
      let rows = object.properties.enumerated().map { row, property in
        "<tr><td port=\"p\(row)\" align=\"left\">"
          + "<font\(property.isOutdated ? " color=\"#b02020\"" : "")>"
          + "\(property.line(hasOrigin: false).escaped)</font></td></tr>"
      }
      lines.append(
        "  o\(index) [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" "
          + "cellpadding=\"3\" color=\"#8090a8\"><tr><td port=\"o\" bgcolor=\"#dfe8f3\">"
          + "<b>\(object.heading.escaped)</b></td></tr>\(rows.joined())</table>>];")
    }
    for observer in observers {
      let text = observer.lines.map(\.escaped).joined(separator: "<br/>")
      lines.append(
        "  n\(observer.id) [shape=box, style=\"rounded,filled\", fillcolor=\"#f6f1e2\", "
          + "color=\"#b8a878\", fontsize=9, label=<\(text)>];")
    }
    for arrow in arrows {
      var attributes = arrow.label.isEmpty ? [] : ["label=\"\(arrow.label.quoted)\""]
      switch arrow.style {
      case .flow: break
      case .both: attributes.append("dir=both")
      case .derived: attributes.append("style=dashed")
      case .holds: attributes.append("color=\"#b0b0b0\", arrowhead=odot")
      }
      if arrow.label.contains("in a cycle") { attributes.append("color=\"#b02020\"") }
      let list = attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]"
      lines.append("  \(arrow.from.port) -> \(arrow.to.port)\(list);")
    }
    return (lines + ["}"]).map { $0 + "\n" }.joined()
  }

  /// The graph in Mermaid's language, which Markdown viewers draw.
  public var mermaid: String {
    let (observers, arrows) = drawing
    var lines = ["flowchart LR"]
    for (index, object) in objects.enumerated() {
      lines.append("  subgraph o\(index)[\"\(object.heading.entities)\"]")
      for (row, property) in object.properties.enumerated() {
        lines.append("    o\(index)p\(row)[\"\(property.line(hasOrigin: false).entities)\"]")
      }
      lines.append("  end")
    }
    for observer in observers {
      let text = observer.lines.map(\.entities).joined(separator: "<br/>")
      lines.append("  n\(observer.id)([\"\(text)\"])")
    }
    for arrow in arrows {
      let line = [.flow: "-->", .both: "<-->", .derived: "-.->"][arrow.style] ?? "---"
      let label = arrow.label.isEmpty ? "" : "|\"\(arrow.label.entities)\"|"
      lines.append("  \(arrow.from) \(line)\(label) \(arrow.to)")
    }
    return lines.map { $0 + "\n" }.joined()
  }
}

extension Diagnostics.Graph.Observation {
  /// Operators, if there are any, and what is special.
  fileprivate var label: String {
    let stages = (sources.first?.stages ?? stages).filter { $0 != "observe" }
    return (stages + attributes).joined(separator: ", ")
  }

  /// Operators and call, then what is special.
  fileprivate var lines: [String] {
    let stages = (sources.first?.stages ?? stages) + [call ?? (isBinding ? "binding" : "observer")]
    return [stages.joined(separator: " → ")] + attributes
  }
}

extension String {
  /// The place of a row in a table: `o1:p2`.
  fileprivate var port: String {
    hasPrefix("o") && !contains("p") ? self + ":o" : replacing("p", with: ":p")
  }

  fileprivate var escaped: String { replacing(["&": "&amp;", "<": "&lt;", ">": "&gt;"]) }

  fileprivate var quoted: String { replacing(["\"": "\\\"", "\\": "\\\\"]) }

  /// Escaped for Mermaid, which reads entities by number.
  fileprivate var entities: String {
    replacing(["\"": "#quot;", "#": "#35;", "<": "#lt;", ">": "#gt;"])
  }

  private func replacing(_ replacements: [Character: String]) -> String {
    reduce(into: "") { text, character in text += replacements[character] ?? String(character) }
  }
}
