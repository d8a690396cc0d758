import Foundation
import Testing

@testable import ExampleSupport

@Suite("Examples: what they share")
struct ExampleSupportTests {
  // MARK: Options

  private struct SomeOptions: ExampleOptions, Equatable {
    static let usage = "usage"
    var wantsHelp = false
    var file: String?
    var count: Int?
    var graph: String?
    var isPlain = false

    mutating func take(
      _ argument: Argument, from arguments: inout Arguments
    ) throws(UsageError) -> Bool {
      switch argument {
      case .option("--count"): count = try arguments.positiveNumber("a number")
      case .option("--graph"): graph = try arguments.graphFile()
      case .option("--plain"): isPlain = try arguments.flag()
      case .operand(let text) where file == nil: file = text
      default: return false
      }
      return true
    }
  }

  @Test("A value follows its option or an equals sign") func aValueFollowsItsOptionOrAnEqualsSign()
    throws
  {
    let options = try SomeOptions(parsing: [
      "--count", "3", "a=b", "--graph=x=y.dot", "--help", "--plain",
    ])
    #expect(
      options
        == SomeOptions(wantsHelp: true, file: "a=b", count: 3, graph: "x=y.dot", isPlain: true))
    #expect(try SomeOptions(parsing: ["--count=3", "--count", "--help"].dropLast(2)).count == 3)
    #expect(try SomeOptions(parsing: ["--count=3", "--count=4"]).count == 4)
  }

  @Test(
    "A bad command line",
    arguments: [
      (["--count"], "--count needs a number"),
      (["--count="], "--count needs a number"),
      (["--count", "--help"], "--count must be a whole number from 1 up, not '--help'"),
      (["--count=0"], "--count must be a whole number from 1 up, not '0'"),
      (["--graph=a.svg"], "--graph needs a file that ends in .dot or .txt, not 'a.svg'"),
      (["--plain=yes"], "--plain takes no value"),
      (["--help=yes"], "--help takes no value"),
      (["-"], "unknown option '-'"),
      (["--fast=1"], "unknown option '--fast'"),
      (["a", "b=c"], "unexpected argument 'b=c'"),
    ])
  func aBadCommandLine(arguments: [String], message: String) {
    #expect(throws: UsageError(message)) { try SomeOptions(parsing: arguments) }
  }

  // MARK: Formats

  @Test("Control characters do not reach the screen") func controlCharactersDoNotReachTheScreen() {
    #expect(Format.printable("a\u{1B}[2Jb\nc\u{202E}d é 日") == "a?[2Jb?c?d é 日")
    #expect(Format.printable(lines: ["a\nb", "c"]) == "a?b\nc\n")
  }

  @Test("Columns") func columns() {
    #expect(Format.right("ab", width: 4) == "  ab")
    #expect(Format.left("ab", width: 4) == "ab  ")
    #expect(Format.right("abcdef", width: 4) == "abcdef")
  }

  @Test("Words") func words() {
    #expect(Format.trimmed(" a  b\t") == "a  b")
    #expect(Format.oneLine(" a \n b\t") == "a b")
    #expect(Format.firstWord(of: "ab  c d ") == ("ab", "c d "))
    #expect(Format.firstWord(of: "") == ("", ""))
    #expect(Format.some("") == "—")
    #expect(Format.some(nil as Int?) == "—")
    #expect(Format.change(2, 12) == "2 → 12")
    #expect(Format.change(nil, "a") == "— → a")
  }

  // MARK: Keys

  @Test(
    "Keys arrive as a terminal sends them",
    arguments: [
      (Array("aé".utf8), [.text("a"), .text("é")]), ([0x7F, 0x08], [.delete, .delete]),
      ([0x15, 0x04], [.clear, .end]), ([0x09], []),
      (Array("\u{1B}[A\u{1B}[Bq".utf8), [.up, .down, .text("q")]),
      (Array("\u{1B}OA\u{1B}OB".utf8), [.up, .down]),
      (Array("\u{1B}[C\u{1B}[1;5D\u{1B}[3~a".utf8), [.text("a")]),
      (Array("\u{1B}x\u{1B}OPa".utf8), [.text("a")]),
      (Array("\u{1B}".utf8), []), (Array("\u{1B}[".utf8), []),
    ] as [([UInt8], [Key])])
  func whatATerminalSends(bytes: [UInt8], keys: [Key]) {
    #expect(Key.keys(bytes) == keys)
  }

  // MARK: Files

  @Test("A file is written as a whole, and read") func aFileIsWrittenAsAWholeAndRead() throws {
    try withTemporaryDirectory { directory in
      let path = directory + "/a"
      #expect(File.kind(of: path) == nil)
      try File.write("three and four", to: path)
      try File.write("one\ntwo", to: path)
      #expect(try File.lines(of: path) == ["one", "two"])
      #expect(try File.contents(of: path) == Array("one\ntwo".utf8))
      #expect(try File.entries(of: directory) == ["a"])
      #expect(File.kind(of: path) == .file)
      #expect(File.kind(of: directory) == .directory)
    }
  }

  @Test("A file that is not a text has no lines", arguments: [[0xC3], [0x61, 0x00]] as [[UInt8]])
  func aFileThatIsNotATextHasNoLines(bytes: [UInt8]) throws {
    try withTemporaryDirectory { directory in
      let path = directory + "/a"
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      #expect(throws: FileError.notText(path: path)) { try File.lines(of: path) }
      #expect(try File.contents(of: path) == bytes)
      #expect("\(FileError.notText(path: path))" == "\(path) is not a text")
    }
  }

  @Test("A file that cannot be read or written is reported with its reason")
  func whatCannotBeReadOrWrittenHasItsReason() {
    #expect(throws: FileError.unreadable(path: "/no/where", SystemError(code: ENOENT))) {
      try File.contents(of: "/no/where")
    }
    #expect(throws: FileError.unreadable(path: "/no/where", SystemError(code: ENOENT))) {
      try File.entries(of: "/no/where")
    }
    #expect(throws: FileError.unwritable(path: "/no/where", SystemError(code: ENOENT))) {
      try File.write("", to: "/no/where")
    }
    #expect(
      "\(FileError.unwritable(path: nil, SystemError(code: EPIPE)))" == "cannot write: Broken pipe")
  }
}

/// Calls `body` with the path of an empty directory, and removes that.
func withTemporaryDirectory(_ body: (String) throws -> Void) throws {
  let directory = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
  try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: directory) }
  try body(directory)
}
