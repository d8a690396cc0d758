import ExampleSupport
import Foundation
import Testing

@testable import SettingsSync

/// Runs the built example and holds its output to the letter.
@Suite("SettingsSync: the program")
struct SettingsSyncProgramTests {
  private let program = ExampleProgram(name: "SettingsSync")

  @Test("A script is answered the same every time") func aScriptIsAnsweredTheSameEveryTime() throws
  {
    let expected = try String(
      contentsOfFile: program.fixtures + "/session.out", encoding: .utf8)
    for _ in 1...2 {
      try withTemporaryDirectory { directory in
        let path = directory + "/settings.json"
        let script = program.fixtures + "/session.txt"
        var result = try program.run([path, "--script", script])
        result.output.replace(directory, with: "DIRECTORY")
        #expect(result == .init(output: expected, errors: "", status: 0))
        #expect(
          try SettingsFile(path: path).read() == .init(name: "Grace", theme: .light, volume: 12))
      }
    }
  }

  /// No script: the program's own clock, and a file that is edited while it runs.
  @Test("A file is edited while it runs", .timeLimit(.minutes(1))) func aFileIsEditedWhileItRuns()
    throws
  {
    try withTemporaryDirectory { directory in
      let file = SettingsFile(path: directory + "/settings.json")
      let live = try LiveProgram(program, [file.path])
      #expect(live.waits(for: "written\n"))
      _ = try file.write(.init(name: "Ada", theme: .dark, volume: 7))
      #expect(live.waits(for: "volume 50 → 7\n"))
      live.type("set volume 8\n")
      #expect(live.waits(for: "volume 7 → 8\n"))
      #expect(live.waits(for: "written\n"))
      #expect(try file.read() == .init(name: "Ada", theme: .dark, volume: 8))
      // The end of the input comes before the end of the pause: it is saved all the same.
      live.type("wait 1\nset volume 9\n")
      #expect(live.ends() == 0)
      #expect(live.output.contains("error: time passes by itself: wait is for scripts\n"))
      let saved = try file.read()
      #expect(saved.volume == 9)
    }
  }

  /// Nothing may come between the start and the first command: neither the look at the file, in a
  /// script, nor the main queue.
  @Test("A setting that is set first is newer than the file")
  func whatIsSetFirstIsNewerThanTheFile() throws {
    try withTemporaryDirectory { directory in
      let file = SettingsFile(path: directory + "/settings.json")
      let script = directory + "/script.txt"
      try File.write("show\nset volume 9\nwait 2\n", to: script)
      _ = try file.write(.init(name: "n", theme: .dark, volume: 50))
      let result = try program.run([file.path, "--script", script])
      #expect(
        result.output == """
              0 ms  read
          > show
          name: n
          theme: dark
          volume: 50
          saved
          > set volume 9
              0 ms  volume 50 → 9
          > wait 2
            400 ms  written
          >

          """)
      #expect(try file.read() == .init(name: "n", theme: .dark, volume: 9))
      for volume in 10..<20 {
        #expect(try program.run([file.path], input: "set volume \(volume)\n").status == 0)
        #expect(try file.read() == .init(name: "n", theme: .dark, volume: volume))
      }
    }
  }

  @Test(
    "A setting that cannot be saved at the end makes the exit status 2",
    arguments: ["/no/where.json", "/"])
  func whatCannotBeSavedAtTheEndIsStatus2(path: String) throws {
    try withTemporaryDirectory { directory in
      let script = directory + "/script.txt"
      try File.write("set volume 9\nwait 2\n", to: script)
      let errors = "SettingsSync: the settings are not saved in \(path)\n"
      for result in [
        try program.run([path, "--script", script]),
        try program.run([path], input: "set volume 9\n"),
      ] {
        #expect(result.status == 2)
        #expect(result.errors == errors)
      }
    }
  }

  @Test("A file that is not understood at the end is status 2")
  func aFileThatIsNotUnderstoodAtTheEndIsStatus2() throws {
    try withTemporaryDirectory { directory in
      let path = directory + "/settings.json"
      try File.write("{", to: path)
      let result = try program.run([path], input: "set volume 9\n")
      #expect(result.status == 2)
      #expect(try File.contents(of: path) == Array("{".utf8))
      let saved = try program.run([path], input: "set volume 9\noverwrite\n")
      #expect(saved.status == 0)
      #expect(try SettingsFile(path: path).read().volume == 9)
    }
  }

  @Test("Help is no error") func helpIsNoError() throws {
    let result = try program.run(["--help"])
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(result.output.hasPrefix("usage: SettingsSync FILE.json [--script FILE]\n"))
  }

  @Test(
    "A bad command line is one line and status 2",
    arguments: [
      ([], "the name of a file is missing (try --help)"),
      (["a", "b"], "unexpected argument 'b' (try --help)"),
      (["--fast"], "unknown option '--fast' (try --help)"),
      (["a", "--script"], "--script needs a file (try --help)"),
      (["a", "--script=/no/where"], "cannot read /no/where: No such file or directory"),
    ])
  func aBadCommandLineIsOneLineAndStatus2(arguments: [String], message: String) throws {
    #expect(
      try program.run(arguments)
        == .init(output: "", errors: "SettingsSync: \(message)\n", status: 2))
  }
}

/// An example that runs while the test goes on. One that does not answer is ended after a while.
private final class LiveProgram {
  private(set) var output = ""
  private var seen = 0
  private let process = Process()
  private let (inputs, outputs) = (Pipe(), Pipe())

  init(_ program: ExampleProgram, _ arguments: [String]) throws {
    process.executableURL = try program.executable()
    process.arguments = arguments
    process.standardInput = inputs
    process.standardOutput = outputs
    try process.run()
    DispatchQueue.global().asyncAfter(deadline: .now() + 30) { [weak process] in
      if process?.isRunning == true { process?.terminate() }
    }
  }

  func type(_ text: String) { inputs.fileHandleForWriting.write(Data(text.utf8)) }

  /// Reads until `text` appears in the output after the previous match; false if the program ends
  /// first.
  func waits(for text: String) -> Bool {
    while true {
      let rest = output.dropFirst(seen)
      if let range = rest.range(of: text) {
        seen = output.distance(from: output.startIndex, to: range.upperBound)
        return true
      }
      let data = outputs.fileHandleForReading.availableData
      if data.isEmpty { return false }
      output += String(decoding: data, as: UTF8.self)
    }
  }

  /// Ends the input, and returns the exit status.
  func ends() -> Int32 {
    try? inputs.fileHandleForWriting.close()
    output += String(
      decoding: outputs.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus
  }
}
