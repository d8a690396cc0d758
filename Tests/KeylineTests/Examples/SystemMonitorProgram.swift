import Foundation

/// The example as users have it: an executable beside the test bundle.
enum SystemMonitorProgram {
  struct Result: Equatable {
    var output: String
    var errors: String
    var status: Int32
  }

  static let fixtures = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/SystemMonitor").path

  static let recording = fixtures + "/Recorded"

  /// Runs the program to its end; its output goes to pipes, never to a terminal.
  static func run(_ arguments: String...) throws -> Result { try run(arguments) }

  static func run(_ arguments: [String]) throws -> Result {
    let process = Process()
    let (output, errors) = (Pipe(), Pipe())
    process.executableURL = try executable()
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    // One pipe after the other is safe: all there ever is on the second is one line.
    let outputData = output.fileHandleForReading.readDataToEndOfFile()
    let errorData = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Result(
      output: String(decoding: outputData, as: UTF8.self),
      errors: String(decoding: errorData, as: UTF8.self),
      status: process.terminationReason == .exit ? process.terminationStatus : -1)
  }

  struct NotBuilt: Error, CustomStringConvertible {
    let description: String
  }

  /// The first `SystemMonitor` found beside the test bundle, or beside a directory it is in.
  private static func executable() throws -> URL {
    var starts = [Bundle(for: Marker.self).bundleURL]
    if let runner = Bundle.main.executableURL { starts.append(runner) }
    for start in starts {
      var directory = start.resolvingSymlinksInPath()
      while directory.pathComponents.count > 1 {
        directory.deleteLastPathComponent()
        let candidate = directory.appendingPathComponent("SystemMonitor")
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: candidate.path, isDirectory: &isDirectory),
          !isDirectory.boolValue
        {
          return candidate
        }
      }
    }
    throw NotBuilt(description: "no SystemMonitor near \(starts.map(\.path))")
  }

  private final class Marker {}
}
