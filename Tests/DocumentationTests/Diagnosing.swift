import Keyline

enum Diagnosing: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Diagnosing.md"
  static let file = #filePath

  static func run() async throws {
    whySomethingFires()
    whyAComputedValueDoesNotChange()
    observersAndBindings()
    descriptionsAndTheEventsOfASequence()
  }

  // snippet
  final class Invoice: ReactiveObject {
    @Observed var net = 100
    @Observed var rate = 20
    @Derived({ (self: Invoice) in self.net * self.rate / 100 }) var tax: Int
    @Derived({ (self: Invoice) in self.net + self.tax }) var total: Int
  }
  // end

  static func whySomethingFires() {
    Diagnostics.isRecording = true
    // snippet
    #sourceLocation(file:"Form.swift",line:1)
    let invoice = Invoice()
    _ = invoice.observe(\.total).subscribe(onNext: { _ in })
    let trace = Diagnostics.trace {
      invoice.rate = 25
    }
    print(trace)
    print(trace.why(\.total, of: invoice)!)
    #sourceLocation()
    end()
  }

  static func whyAComputedValueDoesNotChange() {
    // snippet
    #sourceLocation(file:"Form.swift",line:1)
    Diagnostics.isRecording = true
    final class Account: ReactiveObject {
      @Observed var balance = 100
      var rate = 3
      @Derived({ (self: Account) in self.balance * self.rate }) var interest: Int
    }
    let account = Account()
    _ = account.observe(\.interest).subscribe(onNext: { print($0) })
    print("trace: [\(Diagnostics.trace { account.rate = 4 })]")
    print(Diagnostics.graph(of: account))
    #sourceLocation()
    end()
  }

  static func observersAndBindings() {
    // snippet
    #sourceLocation(file:"Form.swift",line:1)
    final class Form: ReactiveObject { @Observed var text = "" }

    let (invoice, form) = (Invoice(), Form())
    invoice.bind(\.net, to: form, \.text, mode: .twoWay, converter: .decimal)
    _ = invoice.observe(\.total).map { $0 > 100 }.subscribe(onNext: { _ in })
    print(Diagnostics.graph(of: invoice, form))
    #sourceLocation()
    end()
  }

  static func descriptionsAndTheEventsOfASequence() {
    // snippet
    #sourceLocation(file:"Form.swift",line:1)
    final class Form: ReactiveObject { @Observed var text = "" }

    let (invoice, form) = (Invoice(), Form())
    let binding = invoice.bind(\.net, to: form, \.text, mode: .twoWay, converter: .decimal)
    print(binding)
    print(invoice.$total)
    _ = Observable.of(1, 2).debug("numbers").subscribe()
    #sourceLocation()
    end()
  }
}
