import Foundation

/// An example as users have it: an executable beside the test bundle.
struct ExampleProgram {
  struct Result: Equatable {
    var output: String
    var errors: String
    var status: Int32
  }

  let name: String

  /// The example's folder below `Fixtures`.
  var fixtures: String {
    URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fixtures/\(name)").path
  }

  /// Runs the program to its end; its output goes to pipes, never to a terminal.
  ///
  /// - Parameter input: the standard input of the program, short enough to fit into a pipe.
  func run(_ arguments: [String], input: String = "") throws -> Result {
    let process = Process()
    let (inputs, output, errors) = (Pipe(), Pipe(), Pipe())
    process.executableURL = try executable()
    process.arguments = arguments
    process.standardInput = inputs
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    try inputs.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try inputs.fileHandleForWriting.close()
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

  /// The first file of that name found beside the test bundle, or beside a directory it is in.
  func executable() throws -> URL {
    var starts = [Bundle(for: Marker.self).bundleURL]
    if let runner = Bundle.main.executableURL { starts.append(runner) }
    for start in starts {
      var directory = start.resolvingSymlinksInPath()
      while directory.pathComponents.count > 1 {
        directory.deleteLastPathComponent()
        let candidate = directory.appendingPathComponent(name)
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: candidate.path, isDirectory: &isDirectory),
          !isDirectory.boolValue
        {
          return candidate
        }
      }
    }
    throw NotBuilt(description: "no \(name) near \(starts.map(\.path))")
  }

  private final class Marker {}
}
