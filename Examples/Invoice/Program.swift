import ExampleSupport
import Keyline
import KeylineDiagnostics

/// The wiring: a file, a session, and commands from somewhere.
struct Program {
  private let session: Session
  private let commands: CommandReader

  init(options: Options) throws {
    // For the command `graph`: before anything observes.
    Diagnostics.isRecording = true
    let bytes = try options.file.map(File.contents) ?? PackageResources.sample_csv
    let invoice: Invoice
    do {
      invoice = try Invoice(csv: bytes)
    } catch {
      throw MalformedFile(path: options.file ?? "sample.csv", error)
    }
    session = Session(invoice, write: Console.show)
    // For the command `why`. Switched on after the first values are set: tracing those is costly, and
    // `why` does not need them.
    Diagnostics.isTracing = true
    commands = try CommandReader(script: options.script)
  }

  /// Shows the invoice, and carries out commands until there are no more.
  func run() throws {
    session.perform("show")
    try session.perform(commands)
  }
}
