import Keyline
import KeylineDiagnostics

enum DiagnosticsComments: SnippetFile {
  static let page = "Sources/KeylineDiagnostics"

  static func run() async throws {
    graphSwift1()
    resourcesSwift1()
    traceSwift1()
    tracingSwift1()
    tracingSwift2()
    tracingSwift3()
  }

  final class Model: ReactiveObject {
    @Observed var price = 12
    @Derived({ (self: Model) in self.price * 2 }) var total: Int
  }
  final class Form: ReactiveObject { @Observed var text = "" }
  final class Invoice: ReactiveObject {
    @Observed var rate = 20
    @Derived({ (self: Invoice) in self.rate }) var tax: Int
    @Derived({ (self: Invoice) in 100 + self.tax }) var total: Int
  }

  static func graphSwift1() {
    discardOutput()
    let (model, form) = (Model(), Form())
    #sourceLocation(file:"Form.swift",line:1)
    // block Graph
    #sourceLocation()
    Diagnostics.isRecording = false
    end("Graph")
  }

  static func resourcesSwift1() {
    func openScreen() {}
    func closeScreen() {}
    // block Resources
    Resources.isCounting = false
    end("Resources")
  }

  static func traceSwift1() {
    let invoice = Invoice()
    _ = invoice.observe(\.total).subscribe(onNext: { _ in })
    let trace = Diagnostics.trace { invoice.rate = 25 }
    // block Trace
    end("Trace")
  }

  static func tracingSwift1() {
    let invoice = Invoice()
    _ = invoice.observe(\.total).subscribe(onNext: { _ in })
    // block Tracing
    end("Tracing")
  }

  static func tracingSwift2() {
    let invoice = Invoice()
    // block Tracing 2
    _ = (total, trace)
    end("Tracing 2")
  }

  static func tracingSwift3() {
    let invoice = Invoice()
    // block Tracing 3
    end("Tracing 3")
  }
}
