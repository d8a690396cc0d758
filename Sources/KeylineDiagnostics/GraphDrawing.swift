import KeylineCore

extension Diagnostics.Graph {
  /// The graph in Graphviz's language: `dot -Tsvg graph.dot -o graph.svg`.
  ///
  /// Solid arrows lead from an observed property to the call, or to the property that a binding
  /// writes; dashed arrows from a dependency to the derived value; grey arrows from a property to the
  /// objects that it refers to. Outdated values are red.
  public var dot: String {
    let header = [
      "digraph Keyline {", "  rankdir=LR; nodesep=0.12; ranksep=0.9;",
      "  node [shape=plain, fontname=\"Helvetica\", fontsize=10];",
      "  edge [fontname=\"Helvetica\", fontsize=8, arrowsize=0.6, color=\"#30507a\"];",
    ]
    let boxes = objects.map(\.box) + observations.filter { !$0.isArrow }.map(\.box)
    return (header + boxes + arrows + ["}"]).map { $0 + "\n" }.joined()
  }

  /// The arrows between properties, objects and observers.
  private var arrows: [String] {
    var arrows: [String] = []
    func add(_ from: String, _ to: String, _ attributes: String?...) {
      let list = attributes.compactMap { $0 }.joined(separator: ", ")
      arrows.append("  \(from) -> \(to)" + (list.isEmpty ? ";" : " [\(list)];"))
    }
    for property in objects.flatMap(\.properties) {
      let row = property.reference.port
      for source in property.dependencies { add(source.port, row, "style=dashed") }
      for object in property.objects where property.kind != .derived {
        // The row above the properties: none of them has the name of an object.
        let title = Reference(object: object, property: object)
        add(row, title.port, "color=\"#b0b0b0\", arrowhead=odot")
      }
    }
    for observation in observations {
      let box = "n\(observation.id)"
      if observation.isArrow {
        let ends = (observation.sources + observation.targets).map(\.property.port)
        add(ends[0], ends[1], observation.label, observation.mode == .twoWay ? "dir=both" : nil)
        continue
      }
      for source in observation.reads {
        add(source.property.port, box, source.hop.map { "label=\"hop \($0)\"" })
      }
      for target in observation.writes { add(box, target.property.port) }
    }
    return arrows
  }
}

extension Diagnostics.Graph.Reference {
  /// Its row in the box of the object: `"Person#1":"name"`.
  fileprivate var port: String { "\(object.quoted):\(property.quoted)" }
}

extension Diagnostics.Graph.Object {
  /// A table with a row for each property.
  fileprivate var box: String {
    let rows = properties.map { property in
      "<tr><td port=\(property.name.attribute) align=\"left\">"
        + "<font\(property.isOutdated ? " color=\"#b02020\"" : "")>"
        + "\(property.line(hasOrigin: false).escaped)</font></td></tr>"
    }
    return "  \(id.quoted) [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" "
      + "cellpadding=\"3\" color=\"#8090a8\"><tr><td port=\(id.attribute) "
      + "bgcolor=\"#dfe8f3\"><b>\(heading.escaped)</b></td></tr>\(rows.joined())</table>>];"
  }
}

extension Diagnostics.Graph.Observation {
  /// Whether it is drawn as an arrow between two properties, and not as a box.
  fileprivate var isArrow: Bool { sources.count == 1 && targets.count == 1 }

  /// Operators, if there are any, then modes, converter and place.
  fileprivate var label: String? {
    let stages = (sources.first?.stages ?? stages).filter { $0 != "observe" }
    let parts = stages + attributes
    return parts.isEmpty ? nil : "label=\(parts.joined(separator: ", ").quoted)"
  }

  /// Operators and call, then modes, converter and place.
  fileprivate var box: String {
    let stages = (sources.first?.stages ?? stages) + [caller]
    let lines = [stages.joined(separator: " → ")] + attributes
    return "  n\(id) [shape=box, style=\"rounded,filled\", fillcolor=\"#f6f1e2\", "
      + "color=\"#b8a878\", fontsize=9, "
      + "label=<\(lines.map(\.escaped).joined(separator: "<br/>"))>];"
  }
}

extension String {
  fileprivate var escaped: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  /// The value of an attribute in a table.
  fileprivate var attribute: String { "\"\(escaped.replacing("\"", with: "&quot;"))\"" }

  fileprivate var quoted: String {
    "\"\(replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }
}
