import Foundation
import Keyline
import KeylineDiagnostics
import Testing

/// Graphs in DOT and Mermaid.
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

  @Test func dot() {
    #expect(
      drawing(\.dot) == """
        digraph Keyline {
          rankdir=LR; nodesep=0.12; ranksep=0.9;
          node [shape=plain, fontname="Helvetica", fontsize=10];
          edge [fontname="Helvetica", fontsize=8, arrowsize=0.6, color="#30507a"];
          o0 [label=<<table border="0" cellborder="1" cellspacing="0" cellpadding="3" \
        color="#8090a8"><tr><td port="o" bgcolor="#dfe8f3"><b>Target#1</b></td></tr>\
        <tr><td port="p0" align="left"><font>text = "&lt;&amp;\\"&gt;"</font></td></tr>\
        <tr><td port="p1" align="left"><font>source = Source#1, weak</font></td></tr></table>>];
          o1 [label=<<table border="0" cellborder="1" cellspacing="0" cellpadding="3" \
        color="#8090a8"><tr><td port="o" bgcolor="#dfe8f3"><b>Source#1 (held from outside)</b></td>\
        </tr><tr><td port="p0" align="left"><font>text = "&lt;&amp;\\"&gt;"</font></td></tr>\
        <tr><td port="p1" align="left"><font>size = 4</font></td></tr></table>>];
          n2 [shape=box, style="rounded,filled", fillcolor="#f6f1e2", color="#b8a878", fontsize=9, \
        label=<observeWeakly → subscribe<br/>here>];
          o0:p1 -> o1:o [color="#b0b0b0", arrowhead=odot];
          o1:p0 -> o1:p1 [style=dashed];
          o1:p0 -> o0:p0 [label="two-way, here", dir=both];
          o0:p1 -> n2 [label="hop 0"];
          o1:p1 -> n2 [label="hop 1"];
        }

        """)
  }

  @Test func mermaid() {
    #expect(
      drawing(\.mermaid) == """
        flowchart LR
          subgraph o0["Target#35;1"]
            o0p0["text = #quot;#lt;&\\#quot;#gt;#quot;"]
            o0p1["source = Source#35;1, weak"]
          end
          subgraph o1["Source#35;1 (held from outside)"]
            o1p0["text = #quot;#lt;&\\#quot;#gt;#quot;"]
            o1p1["size = 4"]
          end
          n2(["observeWeakly → subscribe<br/>here"])
          o0p1 --- o1
          o1p0 -.-> o1p1
          o1p0 <-->|"two-way, here"| o0p0
          o0p1 -->|"hop 0"| n2
          o1p1 -->|"hop 1"| n2

        """)
  }

  @Test func aFileHasTheLanguageOfItsName() {
    let graph = Diagnostics.graph(of: Source())
    #expect(graph.contents(ofFile: "a.dot") == graph.dot)
    #expect(graph.contents(ofFile: "/b.c/a.mmd") == graph.mermaid)
    #expect(graph.contents(ofFile: "a.txt") == graph.text)
    #expect(graph.contents(ofFile: "a.svg") == nil)
  }

  static let graphviz = ["/usr/bin/dot", "/usr/local/bin/dot", "/opt/homebrew/bin/dot"]
    .first(where: FileManager.default.isExecutableFile(atPath:))

  @Test(.enabled(if: graphviz != nil, "Graphviz is not installed"))
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
