/// A block of code on a page, in a fence of three backquotes, in a Markdown file or in the
/// documentation comments of a source file.
package struct Block {
  /// The kind of a block, from the word after the fence's backquotes.
  package enum Kind: Equatable {
    /// `swift`: compiled and run here.
    case code
    /// `text`: the output of the code above it.
    case output
    /// `swift (not compiled)`: code that cannot be compiled here, such as the lines of a manifest,
    /// a mistake, or code for another library.
    case uncompiled
    /// Anything else: drawings, commands.
    case other
  }

  package let kind: Kind
  /// The page, relative to the package.
  package let page: String
  /// The line of the fence, from 1.
  package let line: Int
  /// The heading above it, or the name of its source file, with a number from the second block on.
  package var name: String
  /// Without the indentation of the fence.
  package var lines: [String] = []
  /// The block of output that stands directly below, if there is one.
  package var output: [String]?

  /// The blocks of the page at `path`. A block of output is part of the code that it follows; one
  /// that follows none is returned as a block of its own.
  package static func all(of path: String, _ text: String) -> [Block] {
    let isSource = path.hasSuffix(".swift")
    var blocks: [Block] = []
    var heading = isSource ? path.split(separator: "/").last?.dropLast(6) ?? "" : ""
    var numbers: [Substring: Int] = [:]
    var open: (block: Block, indentation: Int)?
    var isBelowCode = false
    for (index, raw) in text.components(separatedBy: "\n").enumerated() {
      guard let line = isSource ? comment(raw) : raw else {
        isBelowCode = false
        continue
      }
      let trimmed = line.drop { $0 == " " }
      if let (block, indentation) = open {
        guard trimmed.hasPrefix("```") else {
          let margin = line.prefix(indentation).prefix { $0 == " " }.count
          open?.block.lines.append(line.dropFirst(margin).withoutTrailingSpaces)
          continue
        }
        open = nil
        if block.kind == .output, isBelowCode {
          blocks[blocks.count - 1].output = block.lines
        } else {
          blocks.append(block)
        }
        isBelowCode = block.kind == .code
      } else if trimmed.hasPrefix("```") {
        let kind = kind(trimmed.dropFirst(3))
        if kind == .code { numbers[heading, default: 0] += 1 }
        let number = numbers[heading] ?? 0
        let name = number > 1 ? "\(heading) \(number)" : String(heading)
        open = (
          Block(kind: kind, page: path, line: index + 1, name: name), line.count - trimmed.count
        )
      } else if !trimmed.isEmpty {
        isBelowCode = false
        if !isSource, trimmed.hasPrefix("#") { heading = trimmed.drop { $0 == "#" || $0 == " " } }
      }
    }
    return blocks
  }

  private static func kind(_ information: Substring) -> Kind {
    switch information.withoutTrailingSpaces {
    case "swift": .code
    case "swift (not compiled)": .uncompiled
    case "text": .output
    default: .other
    }
  }

  /// The text of a documentation comment, or nil for another line.
  private static func comment(_ line: String) -> String? {
    let trimmed = line.drop { $0 == " " }
    guard trimmed.hasPrefix("///") else { return nil }
    return String(trimmed.hasPrefix("/// ") ? trimmed.dropFirst(4) : trimmed.dropFirst(3))
  }
}

extension StringProtocol {
  var withoutTrailingSpaces: String {
    var end = endIndex
    while end > startIndex, self[index(before: end)] == " " { end = index(before: end) }
    return String(self[startIndex..<end])
  }
}
