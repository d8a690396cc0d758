import Keyline
import KeylineDiagnostics
import TestSupport
import Testing

/// Ten questions that users of reactive libraries ask, and the trace that answers each.
@Suite struct TraceTests {
  let bag = DisposeBag()
  let recording = RecordingSession()

  /// Subscribes to `source` with `onNext`, which does nothing by default.
  func watch<Element>(
    _ source: Observable<Element>, _ onNext: @escaping (Element) -> Void = { _ in }
  ) {
    source.subscribe(onNext: onNext).disposed(by: bag)
  }

  /// The text of `trace`, without the places in this file.
  func text(of trace: Trace) -> String {
    trace.description.replacing(/\ \(TraceTests.swift:[0-9]+\)/, with: "")
  }

  /// Both paths from `net` to `total` are one evaluation.
  @Test("A diamond is no glitch") func aDiamondIsNoGlitch() {
    let bill = Bill()
    watch(bill.observe(\.total))
    let trace = Diagnostics.trace { bill.net = 200 }
    #expect(
      text(of: trace) == #"""
        set Bill#1.net: 100 → 200
          mark Bill#1.tax, Bill#1.total
          settle
            evaluate Bill#1.total, because Bill#1.net changed: 120 → 240
              evaluate Bill#1.tax, because Bill#1.net changed: 20 → 40
            deliver 240 to observe(\.total) → subscribe
        """#)
  }

  /// An observer that sets the property it observes.
  @Test("A feedback loop") func aFeedbackLoop() async {
    await #expect(processExitsWith: .success) {
      Diagnostics.feedbackLimit = 3
      Diagnostics.handler = { _ in }
      let purse = Purse()
      let subscription = purse.observe(\.balance, options: .new)
        .subscribe(onNext: { [unowned purse] in purse.balance = $0 + 1 })
      let trace = Diagnostics.trace { purse.balance = 0 }
      #expect(
        trace.description == """
          set Purse#1.balance: 10 → 0
            deliver 0 to observer 1 of Purse#1.balance
              set Purse#1.balance: 0 → 1, queued
            deliver 1 to observer 1 of Purse#1.balance
              set Purse#1.balance: 1 → 2, queued
            deliver 2 to observer 1 of Purse#1.balance
              set Purse#1.balance: 2 → 3, queued
            deliver 3 to observer 1 of Purse#1.balance
              set Purse#1.balance: 3 → 4, queued
            report feedbackLoop: Purse.balance: each of 3 deliveries in a row has set it, or what it depends on, again; delivery stops with the value stored
            deliver 4 to observer 1 of Purse#1.balance
              set Purse#1.balance: 4 → 5, queued
          """)
      subscription.dispose()
    }
  }

  @Test("A refused write") func aRefusedWrite() {
    let purse = Purse()
    let validation = purse.validate(\.balance) { purse, balance in
      if balance < 0 { return .rejected(Overdrawn()) }
      return balance > purse.limit ? .coerced(purse.limit) : .valid
    }
    // Without an observer of the results, the refusal is reported.
    _ = validation.results.subscribe()
    watch(purse.observe(\.balance))
    let trace = Diagnostics.trace {
      purse.balance = -5
      purse.balance = 500
    }
    #expect(
      text(of: trace) == #"""
        validate Purse#1.balance: -5, refused: Overdrawn()
        validate Purse#1.balance: 500, coerced to 100
        set Purse#1.balance: 10 → 100
          mark Validation<Int> of Purse#1
          deliver 100 to observe(\.balance) → subscribe
          settle
            evaluate Validation<Int> of Purse#1, because Purse#1.balance changed: valid
            deliver valid to validate
        """#)
  }

  let decimal = BindingConverter<Int, String>.decimal

  @Test("A converter that declines") func aConverterThatDeclines() {
    let (purse, memo) = (Purse(), Memo())
    let amount = BindingConverter<Int, String>(
      forward: { "\($0)" }, backward: { [decimal] in $0.isEmpty ? nil : try decimal.backward($0) })
    let binding = purse.bind(\.balance, to: memo, \.text, mode: .twoWay, converter: amount)
    watch(binding.errors)
    let trace = Diagnostics.trace {
      memo.text = "12"
      memo.text = ""
      memo.text = "a dozen"
    }
    #expect(
      text(of: trace) == #"""
        set Memo#1.text: "10" → "12"
          deliver "12" to bind(\.text)
            write 12 to Purse#1.balance
              set Purse#1.balance: 10 → 12
                deliver 12 to bind(\.balance)
        set Memo#1.text: "12" → ""
          deliver "" to bind(\.text)
            decline "": the converter has returned nil
        set Memo#1.text: "" → "a dozen"
          deliver "a dozen" to bind(\.text)
            decline "a dozen": notConvertible(text: "a dozen", type: "Int")
        """#)
  }

  @Test("A chain that broke") func aChainThatBroke() {
    let (worker, chief) = (Worker("Ada"), Worker("Grace"))
    chief.desk = Desk()
    worker.chief = chief
    watch(worker.observeWeakly { $0.chief.desk.room })
    let trace = Diagnostics.trace {
      chief.desk?.room = 2
      chief.desk = nil
      chief.desk = Desk()
    }
    #expect(
      text(of: trace) == #"""
        set Desk#1.room: 1 → 2
          mark chain to Int of Worker#1
          settle
            evaluate chain to Int of Worker#1, because Desk#1.room changed: 2
            deliver 2 to observeWeakly → subscribe
        set Worker#2.desk: Desk#1 → nil
          mark chain to Int of Worker#1
          settle
            break chain to Int of Worker#1, because Worker#2.desk changed: hop 1 is nil
            deliver nil to observeWeakly → subscribe
        death of Desk#1
        set Worker#2.desk: nil → Desk#2
          mark chain to Int of Worker#1
          settle
            follow chain to Int of Worker#1, because Worker#2.desk changed: 1
            deliver 1 to observeWeakly → subscribe
        """#)
  }

  /// What depends on a derived value that stays the same is not evaluated.
  @Test("An equal derived value") func anEqualDerivedValue() {
    let bill = Bill()
    watch(bill.observe(\.verdict))
    let trace = Diagnostics.trace {
      bill.rate = 30
      bill.net = 100
    }
    #expect(
      text(of: trace) == #"""
        set Bill#1.rate: 20 → 30
          mark Bill#1.tax, Bill#1.verdict
          settle
            evaluate Bill#1.tax, because Bill#1.rate changed: 20 → 30
            evaluate Bill#1.verdict, because Bill#1.tax changed: "cheap" → "cheap", equal
        set Bill#1.net: 100 → 100, equal
          mark Bill#1.tax, Bill#1.verdict
          settle
            evaluate Bill#1.tax, because Bill#1.net changed: 30 → 30, equal
            skip Bill#1.verdict: nothing that it has read has changed
        """#)
  }

  @Test("A batch") func aBatch() {
    let bill = Bill()
    watch(bill.observe(\.rate))
    watch(bill.observe(\.total))
    watch(bill.observe(\.label))
    let trace = Diagnostics.trace {
      batchUpdates {
        bill.net = 200
        bill.rate = 10
        bill.rate = 20
      }
    }
    #expect(
      text(of: trace) == #"""
        batch
          set Bill#1.net: 100 → 200
            mark Bill#1.tax, Bill#1.total, String of Bill#1
          set Bill#1.rate: 20 → 10
            mark Bill#1.tax, Bill#1.total, String of Bill#1
          set Bill#1.rate: 10 → 20
            mark Bill#1.tax, Bill#1.total, String of Bill#1
          restore Bill#1.rate: 20 again
          settle
            evaluate Bill#1.total, because Bill#1.net changed: 120 → 240
              evaluate Bill#1.tax, because Bill#1.net changed: 20 → 40
            deliver 240 to observe(\.total) → subscribe
            evaluate String of Bill#1, because Bill#1.net changed: "200 + 20 %"
            deliver "200 + 20 %" to observe → subscribe
        """#)
  }

  /// Both observers receive both values, in order.
  @Test("A reentrant set") func aReentrantSet() {
    let memo = Memo()
    watch(memo.observe(\.text)) { [unowned memo] in
      if $0 != $0.uppercased() { memo.text = $0.uppercased() }
    }
    watch(memo.observe(\.text).map(\.count))
    let trace = Diagnostics.trace { memo.text = "ada" }
    #expect(
      text(of: trace) == #"""
        set Memo#1.text: "" → "ada"
          deliver "ada" to observe(\.text) → subscribe
            set Memo#1.text: "ada" → "ADA", queued
          deliver "ada" to observe(\.text) → map → subscribe
          deliver "ADA" to observe(\.text) → subscribe
          deliver "ADA" to observe(\.text) → map → subscribe
        """#)
  }

  @Test("A death") func aDeath() {
    let worker = Worker("Ada")
    var chief: Worker? = Worker("Grace")
    worker.chief = chief
    watch(worker.observe(\.chief))
    watch(chief!.observe(\.name))
    watch(worker.observeWeakly { $0.chief.name })
    let trace = Diagnostics.trace { chief = nil }
    #expect(
      text(of: trace) == #"""
        death of Worker#1
          complete Worker#1.name
          set Worker#2.chief: → nil, because the object has died
            mark chain to String of Worker#2
            deliver nil to observe(\.chief) → subscribe
          settle
            break chain to String of Worker#2, because Worker#2.chief changed: hop 0 is nil
            deliver nil to observeWeakly → subscribe
        """#)
  }

  /// One that subscribes during a delivery has the value already.
  @Test("A late subscriber") func aLateSubscriber() {
    let memo = Memo()
    var isFirst = true
    watch(memo.observe(\.text, options: .new)) { [unowned memo] _ in
      guard isFirst else { return }
      isFirst = false
      watch(memo.observe(\.text).map(\.count))
    }
    let trace = Diagnostics.trace {
      memo.text = "a"
      memo.text = "b"
    }
    #expect(
      text(of: trace) == #"""
        set Memo#1.text: "" → "a"
          deliver "a" to observe(\.text) → subscribe
            subscribe observe(\.text) → map → subscribe to Memo#1.text: "a"
        set Memo#1.text: "a" → "b"
          deliver "b" to observe(\.text) → subscribe
          deliver "b" to observe(\.text) → map → subscribe
        """#)
  }
}
