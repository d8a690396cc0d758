/// A piece of a Swift file of this target, from the comment `// snippet` to the comment `// end`, or
/// to the call `end()`.
struct Snippet {
  /// The line of its first comment, from 1.
  let line: Int
  let lines: [String]
  /// The line of the call `end()` that belongs to it; nil for declarations, which are not run.
  fileprivate(set) var run: Int?

  /// The snippets of the Swift file with the contents `text`.
  static func all(of text: String) -> [Snippet] {
    var snippets: [Snippet] = []
    var open: (line: Int, lines: [String])?
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      let trimmed = line.trimmingPrefix { $0 == " " }.withoutTrailingSpaces
      if let (first, lines) = open {
        let isRun = trimmed == "end()"
        if isRun || trimmed == "// end" {
          let run = isRun ? index + 1 : nil
          snippets.append(Snippet(line: first, lines: normalized(lines), run: run))
          open = nil
        } else if !trimmed.hasPrefix("#sourceLocation") {
          open = (first, lines + [line])
        }
      } else if trimmed == "// snippet" {
        open = (index + 1, [])
      } else if trimmed == "end()", let last = snippets.indices.last, snippets[last].run == nil {
        snippets[last].run = index + 1
      }
    }
    return snippets
  }

  /// Without the indentation that all lines share, and without what may differ between a page and
  /// its Swift file: how far a comment stands from the code before it.
  static func normalized(_ lines: [String]) -> [String] {
    let margin =
      lines.lazy.filter { !$0.allSatisfy { $0 == " " } }
      .map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return lines.map { line in
      let code = String(line.dropFirst(margin)).withoutTrailingSpaces
      guard let comment = code.range(of: " // ") else { return code }
      let before = code[..<comment.lowerBound].withoutTrailingSpaces
      return before.isEmpty ? code : before + "  " + code[comment.lowerBound...].dropFirst()
    }
  }
}
