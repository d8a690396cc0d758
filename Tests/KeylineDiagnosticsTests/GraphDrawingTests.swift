import Foundation
import Keyline
import KeylineDiagnostics
import TestSupport
import Testing

/// Graphs in DOT.
@Suite struct GraphDrawingTests {
  private final class Source: ReactiveObject {
    @Observed var text = "<&\">"
    @Derived({ (self: Source) in self.text.count }) var size: Int
  }

  private final class Target: ReactiveObject {
    @Observed var text = ""
    @WeakObserved var source: Source?
  }

  /// A binding both ways, a derived value with an observer, and a weak reference.
  private func drawing(_ draw: (Diagnostics.Graph) -> String) -> String {
    whileRecording {
      let (source, target) = (Source(), Target())
      target.source = source
      source.bind(\.text, to: target, \.text, mode: .twoWay)
      let subscription = target.observeWeakly { $0.source.size }.subscribe(onNext: { _ in })
      defer { subscription.dispose() }
      return draw(Diagnostics.graph(of: target))
        .replacing(/GraphDrawingTests\.swift:\d+/, with: "here")
    }
  }

  @Test("Dot") func dot() {
    #expect(
      drawing(\.dot) == """
        digraph Keyline {
          rankdir=LR; nodesep=0.12; ranksep=0.9;
          node [shape=plain, fontname="Helvetica", fontsize=10];
          edge [fontname="Helvetica", fontsize=8, arrowsize=0.6, color="#30507a"];
          "Target#1" [label=<<table border="0" cellborder="1" cellspacing="0" cellpadding="3" \
        color="#8090a8"><tr><td port="Target#1" bgcolor="#dfe8f3"><b>Target#1</b></td></tr>\
        <tr><td port="text" align="left"><font>text = "&lt;&amp;\\"&gt;"</font></td></tr>\
        <tr><td port="source" align="left"><font>source = Source#1, weak</font></td></tr></table>>];
          "Source#1" [label=<<table border="0" cellborder="1" cellspacing="0" cellpadding="3" \
        color="#8090a8"><tr><td port="Source#1" bgcolor="#dfe8f3"><b>Source#1 (held from outside)\
        </b></td></tr>\
        <tr><td port="text" align="left"><font>text = "&lt;&amp;\\"&gt;"</font></td></tr>\
        <tr><td port="size" align="left"><font>size = 4</font></td></tr></table>>];
          n2 [shape=box, style="rounded,filled", fillcolor="#f6f1e2", color="#b8a878", fontsize=9, \
        label=<observeWeakly → subscribe<br/>here>];
          "Target#1":"source" -> "Source#1":"Source#1" [color="#b0b0b0", arrowhead=odot];
          "Source#1":"text" -> "Source#1":"size" [style=dashed];
          "Source#1":"text" -> "Target#1":"text" [label="two-way, here", dir=both];
          "Target#1":"source" -> n2 [label="hop 0"];
          "Source#1":"size" -> n2 [label="hop 1"];
        }

        """)
  }

  @Test("A file has the language of its name") func aFileHasTheLanguageOfItsName() {
    let graph = Diagnostics.graph(of: Source())
    #expect(graph.contents(ofFile: "a.dot") == graph.dot)
    #expect(graph.contents(ofFile: "/b.c/a.txt") == graph.text)
    #expect(graph.contents(ofFile: "a.svg") == nil)
  }

  static let graphviz = ["/usr/bin/dot", "/usr/local/bin/dot", "/opt/homebrew/bin/dot"]
    .first(where: FileManager.default.isExecutableFile(atPath:))

  @Test(
    "Graphviz takes it without a warning",
    .enabled(if: graphviz != nil, "Graphviz is not installed"))
  func graphvizTakesItWithoutAWarning() throws {
    let process = Process()
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    process.executableURL = URL(filePath: Self.graphviz ?? "")
    process.arguments = ["-Tsvg"]
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(drawing(\.dot).utf8))
    try input.fileHandleForWriting.close()
    let svg = output.fileHandleForReading.readDataToEndOfFile()
    let warnings = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(String(decoding: warnings, as: UTF8.self) == "")
    #expect(String(decoding: svg, as: UTF8.self).hasSuffix("</svg>\n"))
  }
}
