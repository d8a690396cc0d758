/// A command that cannot be understood or carried out.
public struct CommandError: Error, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// Commands, one on a line: typed at a terminal, after a prompt, or read from a script or a pipe, and
/// then written as if they were typed.
public struct CommandReader {
  /// Nil if the commands come from standard input.
  private var script: ArraySlice<Substring>?
  private let echoes: Bool

  /// - Parameter script: the file to read; nil for standard input.
  public init(script: String?) throws(FileError) {
    if let script { self.script = try File.lines(of: script)[...] }
    echoes = script != nil || !Console.isInteractive
  }

  /// The next line; nil at the end.
  public mutating func next() throws(FileError) -> String? {
    if !echoes { try Console.write("> ") }
    let line = script == nil ? readLine() : script?.popFirst().map(String.init)
    guard let line else {
      if !echoes { try Console.write("\n") }
      return nil
    }
    if echoes { try Console.write((line.isEmpty ? ">" : "> \(Format.printable(line))") + "\n") }
    return line
  }
}
