import KeylineCore

// Graphs as pictures: both languages draw the same boxes and arrows.

extension Diagnostics.Graph {
  /// An arrow between two boxes, or rows of boxes.
  private struct Arrow {
    enum Style { case flow, both, derived, holds }

    let from: String
    let to: String
    var label = ""
    let style: Style
  }

  /// What observes without writing anything: a box of its own.
  private struct Box {
    let id: String
    let lines: [String]
  }

  private var rows: [Reference: String] {
    var rows: [Reference: String] = [:]
    for (index, object) in objects.enumerated() {
      for (row, property) in object.properties.enumerated() {
        rows[Reference(object: object.id, property: property.name)] = "o\(index)p\(row)"
      }
    }
    return rows
  }

  /// The boxes of observers and streams, and all arrows.
  private func drawing(_ rows: [Reference: String]) -> (boxes: [Box], arrows: [Arrow]) {
    var boxes: [Box] = []
    var arrows: [Arrow] = []
    let indexes = Dictionary(
      objects.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    for object in objects {
      for property in object.properties {
        guard let row = rows[Reference(object: object.id, property: property.name)] else {
          continue
        }
        for dependency in property.dependencies {
          rows[dependency].map { arrows.append(Arrow(from: $0, to: row, style: .derived)) }
        }
        for held in property.objects where property.kind != .derived {
          indexes[held].map { arrows.append(Arrow(from: row, to: "o\($0)", style: .holds)) }
        }
      }
    }
    for observation in observations {
      let writes = observation.writes.compactMap { rows[$0.property] }
      let isDirect = observation.mode != nil && observation.reads.count == 1 && writes.count == 1
      if observation.mode == .twoWay, writes.count == 2, observation.reads.count == 2 {
        arrows.append(
          Arrow(from: writes[0], to: writes[1], label: observation.label, style: .both))
        continue
      }
      if isDirect, let from = rows[observation.reads[0].property] {
        arrows.append(
          Arrow(from: from, to: writes[0], label: observation.label, style: .flow))
        continue
      }
      let box = Box(id: "n\(observation.id)", lines: observation.lines)
      boxes.append(box)
      // Many properties of one object are one arrow.
      let counts = Dictionary(
        grouping: observation.reads.filter { $0.hop == nil }, by: \.property.object)
      for (id, sources) in counts.sorted(by: { $0.key < $1.key }) where sources.count > 3 {
        indexes[id].map {
          arrows.append(
            Arrow(
              from: "o\($0)", to: box.id, label: "\(sources.count) properties", style: .flow))
        }
      }
      for source in observation.reads {
        guard let from = rows[source.property],
          source.hop != nil || counts[source.property.object, default: []].count < 4
        else { continue }
        arrows.append(
          Arrow(from: from, to: box.id, label: source.hop.map { "hop \($0)" } ?? "", style: .flow))
      }
      let objects = [observation.targetObject].compactMap { $0.flatMap { indexes[$0] } }
      for target in writes + objects.map({ "o\($0)" }) {
        arrows.append(Arrow(from: box.id, to: target, style: .flow))
      }
    }
    return (boxes, arrows)
  }

  // MARK: DOT

  /// The graph in Graphviz's language: `dot -Tsvg graph.dot -o graph.svg`.
  ///
  /// Full arrows lead from what is observed to what is called or written, dashed ones from what a
  /// derived value is computed from, grey ones to the objects that a property refers to. What is red is
  /// broken, outdated or in a cycle.
  public var dot: String {
    let rows = rows
    let (boxes, arrows) = drawing(rows)
    var lines = [
      "digraph Keyline {", "  rankdir=LR; nodesep=0.12; ranksep=0.9;",
      "  node [shape=plain, fontname=\"Helvetica\", fontsize=10];",
      "  edge [fontname=\"Helvetica\", fontsize=8, arrowsize=0.6, color=\"#30507a\"];",
    ]
    for (index, object) in objects.enumerated() {
      var table =
        "<tr><td port=\"o\" bgcolor=\"#dfe8f3\"><b>\(object.heading.escaped)</b></td></tr>"
      for (row, property) in object.properties.enumerated() {
        let color = property.isOutdated ? " color=\"#b02020\"" : ""
        table +=
          "<tr><td port=\"p\(row)\" align=\"left\"><font\(color)>"
          + property.shortLine.escaped + "</font></td></tr>"
      }
      lines.append(
        "  o\(index) [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" "
          + "cellpadding=\"3\" color=\"#8090a8\">\(table)</table>>];")
    }
    for box in boxes {
      let text = box.lines.map(\.escaped).joined(separator: "<br/>")
      lines.append(
        "  \(box.id) [shape=box, style=\"rounded,filled\", fillcolor=\"#f6f1e2\", "
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
      lines.append(
        "  \(arrow.from.port) -> \(arrow.to.port)"
          + (attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]") + ";")
    }
    return (lines + ["}"]).map { $0 + "\n" }.joined()
  }

  // MARK: Mermaid

  /// The graph in Mermaid's language, which Markdown viewers draw.
  public var mermaid: String {
    let rows = rows
    let (boxes, arrows) = drawing(rows)
    var lines = ["flowchart LR"]
    for (index, object) in objects.enumerated() {
      lines.append("  subgraph o\(index)[\"\(object.heading.entities)\"]")
      for (row, property) in object.properties.enumerated() {
        lines.append("    o\(index)p\(row)[\"\(property.shortLine.entities)\"]")
      }
      lines.append("  end")
    }
    for box in boxes {
      lines.append(
        "  \(box.id)([\"\(box.lines.map(\.entities).joined(separator: "<br/>"))\"])")
    }
    for arrow in arrows {
      let label = arrow.label.isEmpty ? "" : "|\"\(arrow.label.entities)\"|"
      let line =
        switch arrow.style {
        case .flow: "-->"
        case .both: "<-->"
        case .derived: "-.->"
        case .holds: "---"
        }
      lines.append("  \(arrow.from) \(line)\(label) \(arrow.to)")
    }
    return lines.map { $0 + "\n" }.joined()
  }
}

extension Diagnostics.Graph.Property {
  /// `total = 24, outdated`: without what arrows show.
  fileprivate var shortLine: String { line(origin: []) }
}

extension Diagnostics.Graph.Observation {
  /// Operators, if there are any, and what is special.
  fileprivate var label: String {
    let stages = (sources.first?.stages ?? stages).filter { $0 != "observe" }
    return (stages + attributes).joined(separator: ", ")
  }

  /// Operators and call, then what is special.
  fileprivate var lines: [String] {
    let stages = sources.first?.stages ?? stages
    let call = call ?? (isBinding ? "binding" : "observer")
    return [(stages + [call]).joined(separator: " → ")] + attributes
  }
}

extension String {
  /// The place of a row in a table: `o1:p2`.
  fileprivate var port: String {
    guard hasPrefix("o") else { return self }
    guard let index = firstIndex(of: "p") else { return self + ":o" }
    return "\(self[..<index]):\(self[index...])"
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
