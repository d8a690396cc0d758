import ExampleSupport
import Testing

@testable import SystemMonitor

@Suite("SystemMonitor: options")
struct SystemMonitorOptionsTests {
  @Test("Defaults") func defaults() throws {
    #expect(try Options(parsing: []) == Options())
  }

  @Test("Values follow their option or an equals sign") func valuesFollowTheirOptionOrAnEqualsSign()
    throws
  {
    let apart = try Options(
      parsing: ["--interval", "0.5", "--samples", "3", "--select", "42", "--root", "/a=b"])
    let joined = try Options(
      parsing: ["--interval=0.5", "--samples=3", "--select=42", "--root=/a=b"])
    #expect(try Options(parsing: ["--graph", "a.dot"]).graph == "a.dot")
    #expect(apart == joined)
    #expect(apart.interval == .milliseconds(500))
    #expect(apart.samples == 3)
    #expect(apart.selectedPID == 42)
    #expect(apart.root == "/a=b")
  }

  @Test("Flags") func flags() throws {
    let options = try Options(parsing: ["--plain", "--recorded", "--help"])
    #expect(options.isPlain)
    #expect(options.isRecorded)
    #expect(options.wantsHelp)
  }

  @Test("The last of an option given twice counts") func theLastOfAnOptionGivenTwiceCounts() throws
  {
    #expect(try Options(parsing: ["--samples", "3", "--samples", "5"]).samples == 5)
  }

  @Test(
    "Bad command lines",
    arguments: [
      (["--interval"], "--interval needs a number of seconds (try --help)"),
      (["--interval", ""], "--interval needs a number of seconds (try --help)"),
      (["--samples="], "--samples needs a number (try --help)"),
      (["--plain=yes"], "--plain takes no value (try --help)"),
      (["--recorded=1"], "--recorded takes no value (try --help)"),
      (["--graph"], "--graph needs a file (try --help)"),
      (
        ["--graph", "a.svg"],
        "--graph needs a file that ends in .dot or .txt, not 'a.svg' (try --help)"
      ),
      (["--fast"], "unknown option '--fast' (try --help)"),
      (["-x"], "unknown option '-x' (try --help)"),
      (["/proc"], "unexpected argument '/proc' (try --help)"),
      ([""], "unexpected argument '' (try --help)"),
    ])
  func badCommandLines(arguments: [String], message: String) {
    #expect(throws: UsageError.self) { try Options(parsing: arguments) }
    do { _ = try Options(parsing: arguments) } catch { #expect("\(error)" == message) }
  }

  @Test("Bad intervals", arguments: ["0", "-1", "0.001", "86401", "nan", "inf", "1s", " 1"])
  func badIntervals(text: String) {
    #expect(
      throws: UsageError("--interval must be from 0.01 to 86400 seconds, not '\(text)'")
    ) { try Options(parsing: ["--interval", text]) }
  }

  @Test(
    "Bad numbers", arguments: ["--samples", "--select"],
    ["0", "-3", "1.5", "x", "99999999999999999999"])
  func badNumbers(option: String, text: String) {
    #expect(throws: UsageError("\(option) must be a whole number from 1 up, not '\(text)'")) {
      try Options(parsing: [option, text])
    }
  }
}
