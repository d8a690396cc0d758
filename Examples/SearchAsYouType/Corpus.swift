import ExampleSupport

/// The text to search, in parts: the files of a directory, or a word list cut into pieces.
struct Corpus: Sendable {
  /// Lines that are searched in one go.
  struct Part: Sendable {
    /// The file, as it is called from the directory; nil for a part of a word list.
    let name: String?
    let lines: [Substring]
  }

  private(set) var parts: [Part] = []
  /// The word for a part.
  let unit: String

  /// Reads all there is at `path`. Hidden files, files that are not UTF-8, and links are left out.
  init(path: String) throws(FileError) {
    guard File.kind(of: path) == .directory else {
      unit = "parts"
      let words = try File.lines(of: path).filter { !$0.isEmpty }
      let size = max(words.count / 100, 50)
      parts = stride(from: 0, to: words.count, by: size).map { start in
        Part(name: nil, lines: Array(words[start..<min(start + size, words.count)]))
      }
      return
    }
    unit = "files"
    try add(path, named: "")
  }

  private mutating func add(_ directory: String, named prefix: String) throws(FileError) {
    for name in try File.entries(of: directory) where !name.hasPrefix(".") {
      let path = "\(directory)/\(name)"
      switch File.kind(of: path) {
      case .directory: try add(path, named: "\(prefix)\(name)/")
      case .file:
        guard let text = String(validating: try File.contents(of: path), as: UTF8.self) else {
          break
        }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        parts.append(Part(name: prefix + name, lines: lines))
      default: break
      }
    }
  }
}

/// A line in which the query was found.
struct Hit: Equatable, Sendable, CustomStringConvertible {
  /// Nil in a word list.
  let place: String?
  let text: String

  var description: String { place.map { "\($0): \(text)" } ?? text }
}

extension Corpus.Part {
  /// The lines that contain `query`, without regard to case.
  func hits(of query: String) -> [Hit] {
    let query = query.lowercased()
    return lines.enumerated().compactMap { index, line in
      guard line.lowercased().contains(query) else { return nil }
      return Hit(
        place: name.map { "\($0):\(index + 1)" }, text: String(Format.trimmed(line)))
    }
  }
}
