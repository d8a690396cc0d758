import Keyline
import KeylineDiagnostics
import Testing

/// Where a report stands in a trace, and what a trace answers when entries are left out.
@Suite struct TraceCausesTests {
  let bag = DisposeBag()

  private final class Odd: ReactiveObject {
    @Observed var `weird name` = 1
    @WeakObserved var `a friend`: Odd?
  }

  private final class Tab: ReactiveObject {
    @Observed var rate = 10
  }

  // MARK: Reports

  @Test func aRefusedWriteHasItsReportInside() async {
    await #expect(processExitsWith: .success) {
      Diagnostics.handler = { _ in }
      let (purse, other) = (Purse(), Purse())
      purse.bind(\.balance, to: other, \.balance, exclusive: true)
      let trace = Diagnostics.trace { other.balance = 5 }
      #expect(
        trace.text() == """
          refuse Purse#1.balance: 5: exclusive(property: "Purse.balance")
            report refusedWrite: Purse.balance belongs to a binding; it was not set
          """)
    }
  }

  @Test func aDeclinedValueHasItsReportInside() async {
    await #expect(processExitsWith: .success) {
      Diagnostics.handler = { _ in }
      let (purse, memo) = (Purse(), Memo())
      purse.bind(\.balance, to: memo, \.text, mode: .twoWay, converter: .decimal)
      let trace = Diagnostics.trace { memo.text = "x" }
      #expect(
        trace.text() == """
          set Memo#1.text: "10" → "x"
            deliver "x" to observer 1 of Memo#1.text
              decline "x": notConvertible(text: "x", type: "Int")
                report bindingError: notConvertible(text: "x", type: "Int")
          """)
    }
  }

  /// A rule that accepts the value is no entry; what it sets stays where it was.
  @Test func whatARuleSetsIsKept() {
    let (purse, bill) = (Purse(), Tab())
    let recording = RecordingSession()
    bill.observe(\.rate).subscribe(onNext: { _ in }).disposed(by: bag)
    purse.observe(\.balance).subscribe(onNext: { _ in }).disposed(by: bag)
    purse.validate(\.balance) { _, balance in
      bill.rate = balance
      return balance < 0 ? .rejected(Overdrawn()) : .valid
    }
    .disposed(by: bag)
    let trace = Diagnostics.trace {
      purse.balance = 20
      purse.balance = -1
    }
    withExtendedLifetime(recording) {}
    #expect(
      trace.text().replacing(/\ \(TraceCausesTests.swift:[0-9]+\)/, with: "") == #"""
        set Tab#1.rate: 10 → 20
          deliver 20 to observe(\.rate) → subscribe
        set Purse#1.balance: 10 → 20
          mark Validation<Int> of Purse#1
          deliver 20 to observe(\.balance) → subscribe
          settle
            evaluate Validation<Int> of Purse#1, because Purse#1.balance changed: valid
              set Tab#1.rate: 20 → 20, equal
              restore Tab#1.rate: 20 again
            deliver valid to validate
        refuse Purse#1.balance: -1: Overdrawn()
          set Tab#1.rate: 20 → -1
            deliver -1 to observe(\.rate) → subscribe
        """#)
  }

  // MARK: Answers

  /// The evaluation between the set and the delivery is left out.
  @Test func noAnswerSkipsWhatIsLeftOut() {
    let bill = Bill()
    bill.observe(\.verdict).subscribe(onNext: { _ in }).disposed(by: bag)
    let whole = Diagnostics.trace { bill.rate = 60 }
    #expect(
      whole.why(\.verdict, of: bill)?.steps.map(\.step) == [.set, .evaluate, .evaluate, .deliver])
    let trace = Diagnostics.trace(limit: 2) { bill.rate = 30 }
    #expect(trace.entries.first?.entries.last?.omitted == 1)
    #expect(trace.entries.first?.entries.last?.entries.last?.subject == "Bill#1.verdict")
    #expect(trace.why(\.verdict, of: bill) == nil)
  }

  @Test func aTraceHoldsNoMoreThanItsLimit() {
    let purse = Purse()
    purse.observe(\.balance).subscribe(onNext: { _ in }).disposed(by: bag)
    func trace(limit: Int) -> Trace {
      Diagnostics.trace(limit: limit) { for balance in 1...3 { purse.balance = balance } }
    }
    for limit in [0, -1] {
      #expect(trace(limit: limit).entries.isEmpty)
      #expect(trace(limit: limit).omitted == 3)
      #expect(trace(limit: limit).text() == "… 3 more")
      #expect(trace(limit: limit).why(\.balance, of: purse) == nil)
    }
    #expect(trace(limit: 1).text().hasPrefix("… 2 more\nset Purse#1.balance: 2 → 3\n"))
    #expect(trace(limit: 1).omitted == 2)
    #expect(trace(limit: 3).omitted == 0)
  }

  @Test func aPropertyThatIsBackAfterABatchHasNotChanged() {
    let purse = Purse()
    purse.observe(\.balance).subscribe(onNext: { _ in }).disposed(by: bag)
    let restored = Diagnostics.trace {
      batchUpdates {
        purse.balance = 77
        purse.balance = 10
      }
    }
    #expect(restored.why(\.balance, of: purse) == nil)
    let trace = Diagnostics.trace {
      purse.balance = 5
      batchUpdates {
        purse.limit = 7
        purse.balance = 77
        purse.balance = 5
      }
    }
    #expect(
      trace.why(\.balance, of: purse)?.steps.map(\.description).first
        == "set Purse#1.balance: 10 → 5")
  }

  // MARK: Names

  @Test func propertiesWithRawIdentifiersHaveTheirNames() throws {
    let (odd, friend) = (Odd(), Odd())
    odd.observe(\.`weird name`).subscribe(onNext: { _ in }).disposed(by: bag)
    odd.`a friend` = friend
    #expect(
      Diagnostics.trace { odd.`weird name` = 2 }.entries.map(\.description)
        == ["set Odd#1.weird name: 1 → 2"])
    let graph = Diagnostics.graph(of: odd)
    #expect(
      graph[graph.objects[0].id]?.properties.map(\.name) == ["weird name", "a friend"])
    #expect(Odd.properties.map(\.name) == ["weird name", "a friend"])
    #expect(Mirror(reflecting: odd).children.map(\.label) == ["weird name", "a friend"])
    try odd.setValue(3, forKey: "weird name")
    #expect(odd.`weird name` == 3)
  }
}
