import Keyline
import KeylineDiagnostics
import TestSupport
import Testing

/// Where a report stands in a trace, and what a trace answers of a batch.
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

  @Test("A refused write has its report inside") func aRefusedWriteHasItsReportInside() async {
    await #expect(processExitsWith: .success) {
      Diagnostics.handler = { _ in }
      let (purse, other) = (Purse(), Purse())
      purse.bind(\.balance, to: other, \.balance, exclusive: true)
      let trace = Diagnostics.trace { other.balance = 5 }
      #expect(
        trace.description == """
          validate Purse#1.balance: 5, refused: exclusive(property: "Purse.balance")
            report refusedWrite: Purse.balance belongs to a binding; it was not set
          """)
    }
  }

  @Test("A declined value has its report inside") func aDeclinedValueHasItsReportInside() async {
    await #expect(processExitsWith: .success) {
      Diagnostics.handler = { _ in }
      let (purse, memo) = (Purse(), Memo())
      purse.bind(\.balance, to: memo, \.text, mode: .twoWay, converter: .decimal)
      let trace = Diagnostics.trace { memo.text = "x" }
      #expect(
        trace.description == """
          set Memo#1.text: "10" → "x"
            deliver "x" to observer 1 of Memo#1.text
              decline "x": notConvertible(text: "x", type: "Int")
                report bindingError: Memo.text: notConvertible(text: "x", type: "Int")
          """)
    }
  }

  /// What a rule sets stands inside the validation.
  @Test("A value set by a rule is kept") func whatARuleSetsIsKept() {
    let (purse, bill) = (Purse(), Tab())
    let recording = RecordingSession()
    bill.observe(\.rate).subscribe(onNext: { _ in }).disposed(by: bag)
    purse.observe(\.balance).subscribe(onNext: { _ in }).disposed(by: bag)
    let validation = purse.validate(\.balance) { _, balance in
      bill.rate = balance
      return balance < 0 ? .rejected(Overdrawn()) : .valid
    }
    validation.results.subscribe().disposed(by: bag)
    validation.disposed(by: bag)
    let trace = Diagnostics.trace {
      purse.balance = 20
      purse.balance = -1
    }
    withExtendedLifetime(recording) {}
    #expect(
      trace.description.replacing(/\ \(TraceCausesTests.swift:[0-9]+\)/, with: "") == #"""
        validate Purse#1.balance: 20
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
        validate Purse#1.balance: -1, refused: Overdrawn()
          set Tab#1.rate: 20 → -1
            deliver -1 to observe(\.rate) → subscribe
        """#)
  }

  // MARK: Answers

  @Test("A property that is back after a batch is restored")
  func aPropertyThatIsBackAfterABatchIsRestored() {
    let purse = Purse()
    purse.observe(\.balance).subscribe(onNext: { _ in }).disposed(by: bag)
    let trace = Diagnostics.trace {
      purse.balance = 5
      batchUpdates {
        purse.limit = 7
        purse.balance = 77
        purse.balance = 5
      }
    }
    #expect(
      trace.why(\.balance, of: purse)?.steps.map(\.description)
        == ["batch", "restore Purse#1.balance: 5 again"])
  }

  // MARK: Names

  @Test("Properties with raw identifiers have their names")
  func propertiesWithRawIdentifiersHaveTheirNames() throws {
    let (odd, friend) = (Odd(), Odd())
    odd.observe(\.`weird name`).subscribe(onNext: { _ in }).disposed(by: bag)
    odd.`a friend` = friend
    #expect(
      Diagnostics.trace { odd.`weird name` = 2 }.entries.first?.description
        == "set Odd#1.weird name: 1 → 2")
    let graph = Diagnostics.graph(of: odd)
    #expect(
      graph[graph.objects[0].id]?.properties.map(\.name) == ["weird name", "a friend"])
    #expect(Odd.properties.map(\.name) == ["weird name", "a friend"])
    #expect(Mirror(reflecting: odd).children.map(\.label) == ["weird name", "a friend"])
    try odd.setValue(3, forKey: "weird name")
    #expect(odd.`weird name` == 3)
  }
}
