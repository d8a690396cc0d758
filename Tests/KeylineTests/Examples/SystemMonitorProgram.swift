/// The example, and what there is for it to read.
enum SystemMonitorProgram {
  typealias Result = ExampleProgram.Result

  private static let program = ExampleProgram(name: "SystemMonitor")

  static let fixtures = program.fixtures
  static let recording = fixtures + "/Recorded"

  static func run(_ arguments: String...) throws -> Result { try run(arguments) }

  static func run(_ arguments: [String]) throws -> Result { try program.run(arguments) }
}
