import Keyline
import KeylineDiagnostics
import Testing

/// What a trace and a graph answer where they do not know, and what they do with hostile values.
@Suite struct TraceLimitsTests {
  let bag = DisposeBag()

  private final class Note: ReactiveObject, CustomStringConvertible {
    @Observed var text = ""
    var description: String { "note of \(Diagnostics.graph(of: self).objects.count) objects" }
  }

  /// The oldest entries are dropped, so that `why` finds the last change only.
  @Test("Answers are given from the last entries") func answersAreGivenFromTheLastEntries() {
    let (purse, bill) = (Purse(), Bill())
    purse.observe(\.balance).subscribe(onNext: { _ in }).disposed(by: bag)
    bill.observe(\.rate).subscribe(onNext: { _ in }).disposed(by: bag)
    let trace = Diagnostics.trace {
      bill.rate = 1
      for value in 0..<11_000 { purse.balance = value }
    }
    #expect(trace.omitted == 10_000)
    #expect(trace.entries.count == 12_002)
    #expect(trace.description.hasPrefix("… 10000 more\nset Purse#1.balance: 4998 → 4999\n"))
    #expect(trace.why(\.rate, of: bill) == nil)
    let cause = trace.why(\.balance, of: purse)
    #expect(cause?.steps.map(\.step) == [.set, .deliver])
    #expect(cause?.steps.first?.description == "set Purse#1.balance: 10998 → 10999")
  }

  /// The entry of the outermost set is dropped while it is open.
  @Test("Causes are followed as far as they are kept") func causesAreFollowedAsFarAsTheyAreKept() {
    let (purse, bill) = (Purse(), Bill())
    var cause: Cause?
    purse.observe(\.balance, options: .new)
      .subscribe(onNext: { [unowned bill] _ in
        for rate in 0..<11_000 { bill.rate = rate }
        cause = Diagnostics.currentCause
      })
      .disposed(by: bag)
    bill.observe(\.rate).subscribe(onNext: { _ in }).disposed(by: bag)
    let trace = Diagnostics.trace { purse.balance = 1 }
    #expect(cause == nil)
    #expect(trace.why(\.rate, of: bill)?.steps.map(\.step) == [.set, .deliver])
    #expect(trace.entries.last?.depth == 3)
  }

  @Test("A computed path has no answer") func aComputedPathHasNoAnswer() {
    let bill = Bill()
    bill.observe(\.label).subscribe(onNext: { _ in }).disposed(by: bag)
    let trace = Diagnostics.trace { bill.rate = 25 }
    #expect(trace.why(\.label, of: bill) == nil)
    #expect(trace.why(\.rate, of: bill)?.description == "set Bill#1.rate: 20 → 25")
  }

  /// What an observer with `.prior` sets has the announcement behind it.
  @Test("An announcement is a cause") func anAnnouncementIsACause() {
    let (purse, bill) = (Purse(), Bill())
    var cause: String?
    purse.observeChanges(\.balance, options: [.new, .prior])
      .filter(\.isPrior)
      .subscribe(onNext: { [unowned bill] _ in
        cause = Diagnostics.currentCause?.description
        bill.rate += 1
      })
      .disposed(by: bag)
    bill.observe(\.rate, options: .new).subscribe(onNext: { _ in }).disposed(by: bag)
    let trace = Diagnostics.trace { purse.balance = 5 }
    #expect(cause == "announce Purse#1.balance")
    #expect(
      trace.why(\.rate, of: bill)?.steps.map(\.step) == [.announce, .set, .deliver])
    #expect(trace.entries.filter { $0.depth == 0 }.map(\.step) == [.announce, .set])
  }

  @Test("Control characters are escaped") func controlCharactersAreEscaped() {
    let note = Note()
    note.text = "a\u{0}\u{1b}[31m\u{fffe}\u{2028}é\u{1F600}"
    let graph = Diagnostics.graph(of: note)
    for text in [graph.text, graph.dot] {
      #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0 != "\u{fffe}" })
      #expect(text.contains("é\u{1F600}"))
    }
    #expect(graph.text.contains(#"a\u{0}\u{1B}[31m\u{FFFE}"#))
  }

  @Test("A description may ask for the graph") func aDescriptionMayAskForTheGraph() {
    #expect("\(Note())" == "note of 1 objects")
  }
}
