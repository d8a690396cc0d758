import Foundation

/// The example, and what there is for it to read.
enum SystemMonitorProgram {
  typealias Result = ExampleProgram.Result

  private static let program = ExampleProgram(name: "SystemMonitor")

  static let fixtures = program.fixtures
  static let recording = fixtures + "/Recorded"

  static func run(_ arguments: String...) throws -> Result { try run(arguments) }

  static func onTerminal(_ arguments: String..., input: Pipe? = nil) throws -> FakeTerminal {
    try FakeTerminal(program.executable(), arguments, input: input)
  }

  static func run(_ arguments: [String]) throws -> Result { try program.run(arguments) }
}
