import Foundation
import KeylineGTK

/// The program: a window on a file or, with `--script`, a window that a script drives.
public enum Program {
  static let usage = """
    Usage: Expenses [FILE] [--script SCRIPT]

      FILE     where the expenses are kept; without it they are not kept
      SCRIPT   commands that type and click in the window: see Script.swift; - for standard input
    """

  public static func main(_ arguments: [String] = Array(CommandLine.arguments.dropFirst())) {
    do {
      guard let (file, script) = options(arguments) else {
        print(usage)
        exit(arguments == ["--help"] ? 0 : 2)
      }
      let lines = try script.map(readLines)
      try GTK.start()
      let window = BookWindow(at: file)
      window.window.present()
      if let lines {
        try Script(for: window).run(lines) { print($0) }
      } else {
        GTK.run()
      }
    } catch {
      FileHandle.standardError.write(Data("Expenses: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func options(_ arguments: [String]) -> (file: URL?, script: String?)? {
    var (file, script): (URL?, String?) = (nil, nil)
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--script" {
        guard let path = rest.popFirst() else { return nil }
        script = path
      } else if argument.hasPrefix("-") || file != nil {
        return nil
      } else {
        file = URL(fileURLWithPath: argument)
      }
    }
    return (file, script)
  }

  private static func readLines(_ path: String) throws -> [String] {
    if path == "-" { return Array(sequence(state: ()) { _ in readLine() }) }
    return try String(contentsOfFile: path, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
  }
}
