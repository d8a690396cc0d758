import KeylineCore

// Graphs as pictures: both languages draw the same boxes and arrows.

extension Diagnostics.Graph {
  /// How an arrow looks in both languages.
  private struct Style {
    static let flow = Style(dot: [], mermaid: "-->")
    static let both = Style(dot: ["dir=both"], mermaid: "<-->")
    static let derived = Style(dot: ["style=dashed"], mermaid: "-.->")
    static let holds = Style(dot: ["color=\"#b0b0b0\"", "arrowhead=odot"], mermaid: "---")

    let dot: [String]
    let mermaid: String
  }

  /// The lines of a drawing: objects, with their place among all; observers and streams that are boxes
  /// of their own; then arrows, each between two boxes or rows of boxes, with a label.
  private func lines(
    object: (Int, Object) -> [String], observer: (Observation) -> String,
    arrow: (String, String, String, Style) -> String
  ) -> [String] {
    var boxes: [String: String] = [:]
    var rows: [Reference: String] = [:]
    for (index, object) in objects.enumerated() {
      boxes[object.id] = "o\(index)"
      for (row, property) in object.properties.enumerated() {
        rows[Reference(object: object.id, property: property.name)] = "o\(index)p\(row)"
      }
    }
    var arrows: [String] = []
    func add(_ from: String?, _ to: String?, _ label: String = "", _ style: Style = .flow) {
      if let from, let to { arrows.append(arrow(from, to, label, style)) }
    }
    for object in objects {
      for property in object.properties {
        let row = rows[Reference(object: object.id, property: property.name)]
        for dependency in property.dependencies { add(rows[dependency], row, "", .derived) }
        guard property.kind != .derived else { continue }
        for held in property.objects { add(row, boxes[held], "", .holds) }
      }
    }
    var observers: [String] = []
    for observation in observations {
      if observation.sources.count == 1, observation.targets.count == 1 {
        let style = observation.mode == .twoWay ? Style.both : .flow
        let ends = (observation.sources + observation.targets).map { rows[$0.property] }
        add(ends[0], ends[1], observation.label, style)
        continue
      }
      observers.append(observer(observation))
      let box = "n\(observation.id)"
      for source in observation.reads {
        add(rows[source.property], box, source.hop.map { "hop \($0)" } ?? "")
      }
      for target in observation.writes { add(box, rows[target.property]) }
    }
    return objects.enumerated().flatMap(object) + observers + arrows
  }

  /// The graph in Graphviz's language: `dot -Tsvg graph.dot -o graph.svg`.
  ///
  /// Full arrows lead from what is observed to what is called or written, dashed ones from what a
  /// derived value is computed from, grey ones to the objects that a property refers to. What is red is
  /// outdated.
  public var dot: String {
    let header = [
      "digraph Keyline {", "  rankdir=LR; nodesep=0.12; ranksep=0.9;",
      "  node [shape=plain, fontname=\"Helvetica\", fontsize=10];",
      "  edge [fontname=\"Helvetica\", fontsize=8, arrowsize=0.6, color=\"#30507a\"];",
    ]
    let lines = lines { index, object in
      let rows = object.properties.enumerated().map { row, property in
        "<tr><td port=\"p\(row)\" align=\"left\">"
          + "<font\(property.isOutdated ? " color=\"#b02020\"" : "")>"
          + "\(property.line(hasOrigin: false).escaped)</font></td></tr>"
      }
      return [
        "  o\(index) [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" "
          + "cellpadding=\"3\" color=\"#8090a8\"><tr><td port=\"o\" bgcolor=\"#dfe8f3\">"
          + "<b>\(object.heading.escaped)</b></td></tr>\(rows.joined())</table>>];"
      ]
    } observer: { observer in
      "  n\(observer.id) [shape=box, style=\"rounded,filled\", fillcolor=\"#f6f1e2\", "
        + "color=\"#b8a878\", fontsize=9, "
        + "label=<\(observer.lines.map(\.escaped).joined(separator: "<br/>"))>];"
    } arrow: { from, to, label, style in
      let attributes = (label.isEmpty ? [] : ["label=\"\(label.quoted)\""]) + style.dot
      let list = attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]"
      return "  \(from.port) -> \(to.port)\(list);"
    }
    return (header + lines + ["}"]).map { $0 + "\n" }.joined()
  }

  /// The graph in Mermaid's language, which Markdown viewers draw.
  public var mermaid: String {
    let lines = lines { index, object in
      let rows = object.properties.enumerated().map { row, property in
        "    o\(index)p\(row)[\"\(property.line(hasOrigin: false).entities)\"]"
      }
      return ["  subgraph o\(index)[\"\(object.heading.entities)\"]"] + rows + ["  end"]
    } observer: { observer in
      "  n\(observer.id)([\"\(observer.lines.map(\.entities).joined(separator: "<br/>"))\"])"
    } arrow: { from, to, label, style in
      let label = label.isEmpty ? "" : "|\"\(label.entities)\"|"
      return "  \(from) \(style.mermaid)\(label) \(to)"
    }
    return (["flowchart LR"] + lines).map { $0 + "\n" }.joined()
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
