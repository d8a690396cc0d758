import Foundation
import Testing

/// The live graphs of both examples, to the letter but for the numbers of lines in their sources.
@Suite("Examples: live graphs")
struct ExampleGraphTests {
  private let invoice = ExampleProgram(name: "Invoice")

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  private func withFile(_ ending: String, _ body: (String) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).\(ending)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path)
  }

  @Test("Of the monitor") func ofTheMonitor() throws {
    try withFile("txt") { path in
      let result = try SystemMonitorProgram.run(
        "--root", SystemMonitorProgram.recording, "--samples", "2", "--graph", path)
      #expect(result == .init(output: "", errors: "", status: 0))
      let graph = try text(path)
      #expect(
        graph.replacing(/\.swift:\d+/, with: ".swift")
          == (try text(SystemMonitorProgram.fixtures + "/graph.txt")))
      #expect(
        graph.firstMatch(of: /bind → MonitorViewModel#1.sample  \(ViewModel.swift:\d+\)/) != nil)
    }
  }

  @Test("Of the monitor as a picture") func ofTheMonitorAsAPicture() throws {
    try withFile("dot") { path in
      let result = try SystemMonitorProgram.run(
        "--root", SystemMonitorProgram.recording, "--graph", path)
      #expect(result == .init(output: "", errors: "", status: 0))
      let graph = try text(path)
      #expect(graph.hasPrefix("digraph Keyline {\n"))
      #expect(graph.firstRange(of: "Process#1 \"101\"") != nil)
    }
  }

  @Test("Where no file can be") func whereNoFileCanBe() throws {
    #expect(
      try SystemMonitorProgram.run(
        "--root", SystemMonitorProgram.recording, "--graph", "/no/where.txt")
        == .init(
          output: "",
          errors: "SystemMonitor: cannot write /no/where.txt: No such file or directory\n",
          status: 2))
  }

  @Test("Of the invoice") func ofTheInvoice() throws {
    let commands = "select 1\nset 1.quantity two\nset 1.price 600\ngraph\n"
    let result = try invoice.run([invoice.fixtures + "/one.csv"], input: commands)
    let graph = result.output.split(separator: "> graph\n").last.map(String.init)
    #expect(
      graph?.replacing(/\.swift:\d+/, with: ".swift")
        == (try text(invoice.fixtures + "/graph.txt")))
  }

  @Test("Of the invoice in a file") func ofTheInvoiceInAFile() throws {
    try withFile("dot") { path in
      let result = try invoice.run([], input: "graph \(path)\n")
      #expect(result.output.hasSuffix("> graph \(path)\n"))
      #expect(try text(path).hasPrefix("digraph Keyline {\n"))
    }
    let answers = try invoice.run([], input: "graph a.svg\ngraph /no/where.dot\n").output
    #expect(
      answers.hasSuffix(
        """
        > graph a.svg
        error: 'a.svg' does not end in .dot or .txt
        > graph /no/where.dot
        error: cannot write /no/where.dot: No such file or directory

        """))
  }
}
