import Foundation

/// A Swift file in which comments stand for blocks of a page:
///
///     // block NAME           the code of the block, at the indentation of the comment
///     end("NAME")             ends what the block prints
///
/// A name is the heading above the block, and "NAME 2" the second block below that heading. For blocks
/// in documentation comments, it is the name of the source file.
package struct Template {
  /// A template and its page that do not fit each other.
  package struct Mistake: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ path: String, _ line: Int, _ message: String) {
      description = "\(path):\(line): error: \(message)"
    }
  }

  /// The path of the file, relative to the package.
  package let path: String
  let lines: [String]
  /// The page, or the folder of source files, that it names in `static let page = "…"`.
  package let page: String

  /// The name of its type, which is the name of the file.
  package var name: String { path.split(separator: "/").last.map { String($0.dropLast(6)) } ?? "" }

  package init(_ path: String, _ text: String) throws(Mistake) {
    self.path = path
    lines = text.components(separatedBy: "\n")
    guard let match = text.firstMatch(of: /static let page = "(.*)"/) else {
      throw Mistake(path, 1, "it names no page: static let page = \"…\"")
    }
    page = String(match.output.1)
  }

  /// The file with the code of `blocks` in it, and with the lines of the page in error messages.
  package func filled(with blocks: [Block], root: String) throws(Mistake) -> String {
    var unused: [String: Block] = [:]
    for block in blocks {
      if block.kind == .output {
        throw Mistake(block.page, block.line, "this output does not stand below any code")
      }
      if block.kind == .code { unused[block.name] = block }
    }
    var result: [String] = []
    for (index, line) in lines.enumerated() {
      guard let marker = line.wholeMatch(of: /( *)\/\/ block (.*)/) else {
        result.append(line)
        continue
      }
      guard let block = unused.removeValue(forKey: String(marker.output.2)) else {
        throw Mistake(path, index + 1, "\(page) has no block of this name")
      }
      try check(block)
      // A template may give the block a place of its own, which its output names.
      let isPlaced = result.last?.contains("#sourceLocation") == true
      if !isPlaced {
        result.append("#sourceLocation(file: \"\(root)/\(block.page)\", line: \(block.line + 1))")
      }
      result += block.lines.map { text in
        text.isEmpty || text.hasPrefix("import ") ? "" : marker.output.1 + text
      }
      if !isPlaced { result.append("#sourceLocation()") }
    }
    if let block = unused.values.min(by: { ($0.page, $0.line) < ($1.page, $1.line) }) {
      throw Mistake(block.page, block.line, "\(path) lacks this block: // block \(block.name)")
    }
    return result.joined(separator: "\n")
  }

  private func check(_ block: Block) throws(Mistake) {
    for line in block.lines where line.hasPrefix("import ") && !lines.contains(line) {
      throw Mistake(block.page, block.line, "\(path) does not \(line)")
    }
    let isRun = lines.contains { $0.contains("end(\"\(block.name)\")") }
    if block.output != nil, !isRun {
      throw Mistake(block.page, block.line, "it shows output; \(path) needs end(\"\(block.name)\")")
    }
  }
}
