import ExampleSupport
import Keyline

/// A key, and how long after the one before it is pressed.
struct Stroke: Equatable, Sendable {
  let wait: Duration
  let key: Key

  static let helpText = """
    A script has lines like these; each begins with the milliseconds since the line before, and what
    follows a # at its beginning is a comment:
      0 type debo     the keys of a word, 80 milliseconds apart
      300 delete 2    Backspace, twice
      1000 clear      Ctrl-U
    """

  /// The time between the keys of one line.
  static let interval = Duration.milliseconds(80)

  /// Reads a line of a script.
  static func parse(_ line: Substring) throws(CommandError) -> [Stroke] {
    let (time, command) = Format.firstWord(of: Format.trimmed(line))
    guard !time.isEmpty, !time.hasPrefix("#") else { return [] }
    guard let milliseconds = Int(time), (0...86_400_000).contains(milliseconds) else {
      throw CommandError("'\(time)' is not a number of milliseconds")
    }
    let (verb, text) = Format.firstWord(of: command)
    let keys: [Key]
    switch (verb, Int(text)) {
    case ("type", _) where !text.isEmpty: keys = text.map { .text(String($0)) }
    case ("delete", let count?) where (1...1000).contains(count):
      keys = Array(repeating: .delete, count: count)
    case ("clear", nil) where text.isEmpty: keys = [.clear]
    default: throw CommandError("'\(command)' is not type TEXT, delete NUMBER or clear")
    }
    return keys.enumerated().map { index, key in
      Stroke(wait: index == 0 ? .milliseconds(milliseconds) : interval, key: key)
    }
  }

  /// The strokes of a script.
  static func script(_ path: String) throws -> [Stroke] {
    try File.lines(of: path).enumerated().flatMap { index, line in
      do { return try parse(line) } catch {
        throw MalformedFile(path: path, CommandError("line \(index + 1): \(error)"))
      }
    }
  }

  /// The keys, each at its time.
  static func replay(_ strokes: [Stroke], on scheduler: any SchedulerType) -> Observable<Key> {
    Observable.from(strokes)
      .concatMap { Observable.just($0.key).delay($0.wait, scheduler: scheduler) }
  }
}
