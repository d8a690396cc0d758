import Foundation
import SnippetTemplates

// Writes the Swift files of DocumentationTests: each template with the code of its page, and a list of
// all pages with the output that they show.
//
//     SnippetWriter PACKAGE TEMPLATES OUTPUT

let root = CommandLine.arguments[1]
let templates = CommandLine.arguments[2]
let output = CommandLine.arguments[3]

/// A page, or the pages and source files below a folder, relative to the package.
func files(at path: String) -> [String] {
  if path.hasSuffix(".md") { return [path] }
  let paths = FileManager.default.enumerator(atPath: "\(root)/\(path)")
  return (paths?.compactMap { $0 as? String } ?? []).sorted()
    .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".md") }.map { "\(path)/\($0)" }
}

func contents(of path: String) throws -> String {
  try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
}

func blocks(at paths: [String]) throws -> [Block] {
  try paths.flatMap { Block.all(of: $0, try contents(of: $0)) }
}

/// Leaves a file alone that has this text, so that it is not compiled again.
func write(_ text: String, to name: String) throws {
  let path = "\(output)/\(name).swift"
  if (try? String(contentsOfFile: path, encoding: .utf8)) == text { return }
  try text.write(toFile: path, atomically: true, encoding: .utf8)
}

do {
  var rest = files(at: "README.md") + files(at: "Sources")
  var list = ["let allPages: [Page] = ["]
  for path in files(at: templates) {
    let template = try Template(path, contents(of: path))
    let pages = files(at: template.page)
    let blocks = try blocks(at: pages)
    rest.removeAll(where: pages.contains)
    try write(template.filled(with: blocks, root: root), to: template.name)
    list.append("  Page(\(template.name).self, [")
    for block in blocks where block.kind == .code {
      let place = "\(block.page):\(block.line)"
      let shown = (block.output ?? []).joined(separator: "\n")
      list.append(
        "    .init(name: \(block.name.debugDescription), place: \(place.debugDescription),"
          + " output: \(shown.debugDescription)),")
    }
    list.append("  ]),")
  }
  if let block = try blocks(at: rest).first(where: { $0.kind == .code }) {
    throw Template.Mistake(block.page, block.line, "no template has the code of this page")
  }
  try write((list + ["]", ""]).joined(separator: "\n"), to: "AllPages")
} catch {
  print("\(error)")
  exit(1)
}
