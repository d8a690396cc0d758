import Keyline
import KeylineDiagnostics

enum DiagnosticsComments: SnippetFile {
  static let page = "Sources/KeylineDiagnostics"
  static let file = #filePath

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
    // snippet
    #sourceLocation(file:"Form.swift",line:1)
    Diagnostics.isRecording = true  // before the observations are made
    model.bind(\.price, to: form, \.text, converter: .decimal)
    _ = model.observe(\.total).map { "\($0)" }.subscribe(onNext: { _ in })
    print(Diagnostics.graph(of: model, form))
    #sourceLocation()
    // end
    Diagnostics.isRecording = false
    end()
  }

  static func resourcesSwift1() {
    func openScreen() {}
    func closeScreen() {}
    // snippet
    Resources.isCounting = true
    let before = Resources.total
    openScreen()
    closeScreen()
    assert(Resources.total == before, "\(Resources.counts)")
    // end
    Resources.isCounting = false
    end()
  }

  static func traceSwift1() {
    let invoice = Invoice()
    _ = invoice.observe(\.total).subscribe(onNext: { _ in })
    let trace = Diagnostics.trace { invoice.rate = 25 }
    // snippet
    print(trace.why(\.total, of: invoice) ?? "it has not changed")
    end()
  }

  static func tracingSwift1() {
    let invoice = Invoice()
    _ = invoice.observe(\.total).subscribe(onNext: { _ in })
    // snippet
    print(Diagnostics.trace { invoice.rate = 25 })
    end()
  }

  static func tracingSwift2() {
    let invoice = Invoice()
    // snippet
    let (total, trace) = Diagnostics.trace { invoice.total }
    // end
    _ = (total, trace)
    end()
  }

  static func tracingSwift3() {
    let invoice = Invoice()
    // snippet
    _ = invoice.observe(\.total).subscribe(onNext: { _ in
      if let cause = Diagnostics.currentCause { print(cause) }
    })
    end()
  }
}
