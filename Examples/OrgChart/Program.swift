import ExampleSupport
import Keyline
import KeylineDiagnostics

/// The wiring: a company, a session, and commands from somewhere.
struct Program {
  private let session: Session
  private let commands: CommandReader
  private let graph: String?

  init(options: Options) throws {
    // Switched on before the first observation: only later observations have names and places.
    Diagnostics.isRecording = true
    let lines =
      try options.file.map(File.lines(of:))
      ?? File.lines(String(decoding: PackageResources.sample_txt, as: UTF8.self))
    do {
      session = Session(try Company(chart: lines), write: Console.show)
    } catch {
      throw MalformedFile(path: options.file ?? "sample.txt", error)
    }
    commands = try CommandReader(script: options.script)
    graph = options.graph
  }

  /// Shows the chart, and carries out commands until there are no more.
  func run() throws {
    session.perform("show")
    try session.perform(commands)
    if let graph { try File.write(session.graph.contents(ofFile: graph) ?? "", to: graph) }
  }
}
