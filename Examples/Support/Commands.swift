/// A command that cannot be understood or carried out.
public struct CommandError: Error, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// A command that can be typed on a line.
public protocol ExampleCommand {
  /// The commands that take nothing, by name.
  static var plain: [String: Self] { get }

  /// Any other command; nil if there is none of that name.
  ///
  /// - Parameter rest: the text after the name, without white space at its ends.
  static func named(_ name: String, _ rest: Substring) throws(CommandError) -> Self?
}

extension ExampleCommand {
  /// Reads a line; nil if there is no command on it, but nothing or a comment.
  public static func parse(_ line: String) throws(CommandError) -> Self? {
    let (word, rest) = Format.firstWord(of: Format.trimmed(line))
    guard !word.isEmpty, !word.hasPrefix("#") else { return nil }
    let name = String(word)
    if let command = plain[name] {
      guard rest.isEmpty else { throw CommandError("\(name) takes nothing, not '\(rest)'") }
      return command
    }
    guard let command = try named(name, rest) else {
      throw CommandError("unknown command '\(name)' (try help)")
    }
    return command
  }
}

/// Carries commands out, one after the other.
public protocol ExampleSession {
  associatedtype Command: ExampleCommand

  /// Whether it takes further commands.
  var isOpen: Bool { get }

  func perform(_ command: Command) throws

  /// Shows a line to the user.
  func show(_ line: String)
}

extension ExampleSession {
  /// Carries out the command on `line`. Shows an error as a line that begins with `error:`.
  public func perform(_ line: String) {
    do {
      if let command = try Command.parse(line) { try perform(command) }
    } catch {
      show("error: \(error)")
    }
  }

  /// Carries out the commands of `reader` until there are no more.
  public func perform(_ reader: CommandReader) throws(FileError) {
    var reader = reader
    while isOpen, let line = try reader.next() { perform(line) }
  }
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
  mutating func next() throws(FileError) -> String? {
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
