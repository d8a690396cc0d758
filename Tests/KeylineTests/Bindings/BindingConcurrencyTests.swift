import Dispatch
import Keyline
import KeylineTest
import TestSupport
import Testing

/// Bindings whose targets die, and that are disposed, on other threads while the source is written.
/// Run under ThreadSanitizer by CI.
@Suite struct BindingConcurrencyTests {
  final class Row: ReactiveObject {
    @Observed var number = 0
  }

  private final class Table: ReactiveObject {
    @Observed var number = 0
    @Observed var first: Row? = Row()
    @Observed var second: Row? = Row()
    @Observed var isSecond = false
    var current: Row? { isSecond ? second : first }
    @Derived({ (table: Table) in table.isSecond ? table.second : table.first }) var derived: Row?
  }

  @Test(
    "Targets die on other threads while the source is written",
    arguments: [BindingMode.oneWay, .twoWay])
  func targetsDieOnOtherThreadsWhileTheSourceIsWritten(mode: BindingMode) {
    for _ in 0..<ThreadTime.rounds(100, brief: 30) {
      let source = Row()
      let rows = Rows(16)
      let survivor = Row()
      source.bind(\.number, to: survivor, \.number, mode: mode)
      let bindings = rows.rows.map {
        source.bind(\.number, to: $0, \.number, mode: mode, exclusive: mode == .oneWay)
      }
      let group = DispatchGroup()
      ownThread().async(group: group) {
        // Their last references, unless one is being written to at this moment.
        rows.release()
      }
      for number in 1...200 { source.number = number }
      group.wait()
      source.number = 1000
      #expect(survivor.number == 1000)
      #expect(bindings.allSatisfy { !$0.isActive })
      #expect(
        bindings.allSatisfy { if case .targetDied = $0.endReason { true } else { false } })
    }
  }

  @Test("Bindings are disposed on other threads while the source is written")
  func bindingsAreDisposedOnOtherThreadsWhileTheSourceIsWritten() {
    let source = Row()
    let rows = (0..<800).map { _ in Row() }
    let bindings = rows.map { source.bind(\.number, to: $0, \.number, mode: .twoWay) }
    let group = DispatchGroup()
    for part in 0..<8 {
      ownThread().async(group: group) {
        for index in stride(from: part, to: bindings.count, by: 8) { bindings[index].dispose() }
      }
    }
    for number in 1...500 { source.number = number }
    group.wait()
    source.number = -1
    #expect(rows.allSatisfy { $0.number != -1 })
    #expect(bindings.allSatisfy { !$0.isActive })
  }

  /// What awaits a hop asks where the hops lead, while another thread ends the chain.
  @Test("Chains are disposed on other threads while their hops are replaced in batches")
  func chainsAreDisposedOnOtherThreadsWhileTheirHopsAreReplacedInBatches() {
    let table = Table()
    let subscriptions: [any Disposable] = (0..<100).flatMap { _ -> [any Disposable] in
      [
        table.observeWeakly { $0.first.number }.subscribe(),
        table.observeWeakly { $0.current.number }.subscribe(),
        table.observeWeakly { $0.derived.number }.subscribe(),
        table.bind(\.number, to: table, { $0.first.number }),
        table.bind(
          { $0.number }, to: table, { $0.current.number }, mode: .twoWay, converter: .identity),
      ]
    }
    whileDisposing(subscriptions) {
      batchUpdates {
        table.first?.number += 1
        table.number += 1
        table.first = Row()
        table.isSecond.toggle()
      }
      table.first?.number += 1
    }
    let number = table.number
    table.first?.number = -1
    #expect(table.number == number)
    #expect(subscriptions.allSatisfy { ($0 as? any Cancelable)?.isDisposed != false })
  }

  @Test("Exclusive bindings are disposed on other threads while the target is written")
  func exclusiveBindingsAreDisposedOnOtherThreadsWhileTheTargetIsWritten() {
    Reports.collect()
    let (source, target) = (Row(), Row())
    let bindings = (0..<500).map { _ in
      source.bind(\.number, to: target, \.number, exclusive: true)
    }
    whileDisposing(bindings) { target.number += 1 }
    target.number = -1
    #expect(target.number == -1)
  }

  @Test("Rules are disposed on other threads while the property is written")
  func rulesAreDisposedOnOtherThreadsWhileThePropertyIsWritten() {
    let row = Row()
    let rules = (0..<500).map { _ in row.validate(\.number) { $1 < 0 ? .coerced(0) : .valid } }
    var number = 0
    whileDisposing(rules) {
      number += 1
      row.number = number
    }
    #expect(row.number == number)
    row.number = -1
    #expect(row.number == -1)
  }
}

/// Objects whose last references another thread releases.
private final class Rows: @unchecked Sendable {
  // Proof of @unchecked: filled before it is handed over, and then touched by that thread alone.
  private(set) var rows: [BindingConcurrencyTests.Row]

  init(_ count: Int) { rows = (0..<count).map { _ in BindingConcurrencyTests.Row() } }

  func release() { rows = [] }
}

/// Bindings that deliver on a scheduler.
@Suite struct ScheduledBindingConcurrencyTests {
  /// Sets of the source on one thread, writes to the target on another: the write reads nothing of the
  /// source.
  @Test("A source is set while the target is written on a scheduler", arguments: [false, true])
  func aSourceIsSetWhileTheTargetIsWrittenOnAScheduler(isComputed: Bool) {
    final class Form: ReactiveObject {
      @Observed var text = ""
      var upper: String { text.uppercased() }
    }
    let queue = DispatchQueue(label: "target")
    let scheduler = SerialDispatchQueueScheduler(serialQueue: queue)
    let (source, target) = (Form(), Form())
    if isComputed {
      source.bind(\.upper, to: target, \.text, on: .scheduler(scheduler))
    } else {
      source.bind(\.text, to: target, \.text, on: .scheduler(scheduler))
    }
    for number in 0..<2_000 { source.text = "n\(number)" }
    queue.sync {}
    #expect(target.text == (isComputed ? "N1999" : "n1999"))
  }

  private final class Output: ReactiveObject {
    @Observed var text = ""
    @Observed var next: Output?
  }

  /// The source is set here, and the objects of the target belong to the queue.
  @Test("A source is set while a hop of the chain that is the target is replaced on a scheduler")
  func aHopOfTheTargetIsReplacedOnAScheduler() {
    final class Form: ReactiveObject { @Observed var text = "" }
    let queue = DispatchQueue(label: "target")
    let scheduler = SerialDispatchQueueScheduler(serialQueue: queue)
    nonisolated(unsafe) let (form, target) = (Form(), Output())
    form.bind(\.text, to: target, { $0.next.text }, on: .scheduler(scheduler))
    for number in 0..<1_000 {
      queue.async { target.next = Output() }
      form.text = "\(number)"
    }
    // The last replacement schedules another write.
    for _ in 0..<2 { queue.sync {} }
    #expect(target.next?.text == "999")
    queue.sync {
      target.next = nil
      target.next = Output()
    }
    queue.sync {}
    #expect(target.next?.text == "999")
  }

  @Test("A broken source has no last value for the next owner of the target on a scheduler")
  func aBrokenSourceHasNoLastValue() {
    final class Form: ReactiveObject { @Observed var output: Output? = Output() }
    let scheduler = TestScheduler(initialClock: 0)
    let (form, target) = (Form(), Output())
    form.output?.text = "a"
    target.next = Output()
    form.bind(
      { $0.output.text }, to: target, { $0.next.text }, converter: .identity,
      whenBroken: .value("-"),
      on: .scheduler(scheduler))
    scheduler.start()
    #expect(target.next?.text == "a")
    target.next = Output()
    scheduler.start()
    #expect(target.next?.text == "a")
    form.output = nil
    scheduler.start()
    target.next = Output()
    scheduler.start()
    #expect(target.next?.text == "-")
  }

  @Test("A binding that ends while a delivery waits releases its converter", arguments: 0..<4)
  func aBindingThatEndsWhileADeliveryWaits(kind: Int) {
    let (scheduler, tracker) = (TestScheduler(initialClock: 0), LifetimeTracker())
    do {
      let source = Output()
      var target: Output? = Output()
      let token = tracker.track()
      let binding = source.bind(
        \.text, to: target!, \.text, converter: BindingConverter { token.pass($0) },
        on: .scheduler(scheduler))
      if kind > 1 { scheduler.start() }
      source.text = "a"
      if kind.isMultiple(of: 2) { binding.dispose() } else { target = nil }
      if kind == 0 { scheduler.start() }
    }
    #expect(tracker.survivors() == "")
  }
}
