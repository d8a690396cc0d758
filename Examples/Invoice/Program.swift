import Keyline

/// The wiring: a file, a session, and commands from somewhere.
struct Program {
  private let session: Session
  /// The commands of a script; nil if they come from standard input.
  private let script: [Substring]?

  init(options: Options) throws(InputError) {
    // For the commands `graph` and `why`: before anything observes.
    Diagnostics.isRecording = true
    Diagnostics.isTracing = true
    let bytes = try options.file.map(File.contents) ?? PackageResources.sample_csv
    do {
      let invoice = try Invoice(csv: bytes)
      session = Session(invoice) { text in
        do { try Console.write(text) } catch { Console.fail(error) }
      }
    } catch {
      throw .malformed(path: options.file ?? "sample.csv", error)
    }
    if let path = options.script {
      script = String(decoding: try File.contents(of: path), as: UTF8.self)
        .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    } else {
      script = nil
    }
  }

  /// Shows the invoice, and carries out commands until there are no more. What is not typed at a
  /// terminal is written as if it were.
  func run() throws(InputError) {
    session.perform("show")
    var script = script?[...]
    let echoes = script != nil || !Console.isInteractive
    while session.isOpen {
      if !echoes { try Console.write("> ") }
      let next = script == nil ? readLine() : script?.popFirst().map(String.init)
      guard let line = next else {
        if !echoes { try Console.write("\n") }
        return
      }
      if echoes { try Console.write((line.isEmpty ? ">" : "> \(Format.printable(line))") + "\n") }
      session.perform(line)
    }
  }
}
