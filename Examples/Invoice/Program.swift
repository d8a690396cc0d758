import ExampleSupport
import Keyline

/// The wiring: a file, a session, and commands from somewhere.
struct Program {
  private let session: Session
  private let commands: CommandReader

  init(options: Options) throws {
    // For the commands `graph` and `why`: before anything observes.
    Diagnostics.isRecording = true
    Diagnostics.isTracing = true
    let bytes = try options.file.map(File.contents) ?? PackageResources.sample_csv
    do {
      session = Session(try Invoice(csv: bytes), write: Console.show)
    } catch {
      throw MalformedFile(path: options.file ?? "sample.csv", error)
    }
    commands = try CommandReader(script: options.script)
  }

  /// Shows the invoice, and carries out commands until there are no more.
  func run() throws {
    session.perform("show")
    try session.perform(commands)
  }
}
