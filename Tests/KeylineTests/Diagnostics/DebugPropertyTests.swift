import Keyline
import Testing

@testable import KeylineCore
@testable import KeylineDiagnostics

/// `debug()` of a property's sequence names the property.
@Suite struct DebugPropertyTests {
  static func show<Element>(_ sequence: PropertySequence<Element>) {
    sequence.debug(trimOutput: true).subscribe().dispose()
  }

  /// In a process of its own, for its output.
  @Test func theSequenceKnowsWhatItObserves() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      let (worker, chief, bill) = (Worker("Ada"), Worker("Grace"), Bill())
      DebugPropertyTests.show(worker.observe(\.name))
      DebugPropertyTests.show(worker.observeChanges(\.name))
      DebugPropertyTests.show(bill.observe(\.total))
      DebugPropertyTests.show(bill.observe(\.label))
      DebugPropertyTests.show(worker.observeWeakly { $0.chief.desk.room })
      worker.chief = chief
      chief.desk = Desk()
      DebugPropertyTests.show(worker.observeWeakly { $0.chief.desk.room })
      var dead: Worker? = Worker("Joan")
      let name = dead!.observe(\.name)
      dead = nil
      DebugPropertyTests.show(name)
    }
    let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    let place = /, DebugPropertyTests.swift:[0-9]+ \([^)]*\)+ -> subscribed/
    #expect(
      output.split(separator: "\n").filter { $0.contains("-> subscribed") }
        .map { $0.replacing(place, with: "") } == [
          "Worker.name", "Worker.name", "Bill.total", "String of Bill", "Worker.chief",
          "Worker.chief → Worker.desk → Desk.room", "",
        ])
  }

  /// In a process of its own, for its output.
  @Test func theLinesNameTheProperty() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      let worker = Worker("Ada")
      let subscription = worker.observe(\.name).debug(trimOutput: true).map(\.count).subscribe()
      worker.name = "Grace"
      subscription.dispose()
      worker.observe(\.name).debug("who").subscribe().dispose()
    }
    let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    let lines = output.split(separator: "\n").filter { $0.contains("->") }
    let place = /DebugPropertyTests.swift:[0-9]+ \([^)]*\)/
    #expect(
      lines.map { $0.replacing(place, with: "PLACE").replacing(")", with: "") } == [
        "Worker.name, PLACE -> subscribed",
        "Worker.name, PLACE -> Event next(Ada",
        "Worker.name, PLACE -> Event next(Grace",
        "Worker.name, PLACE -> isDisposed",
        "who -> subscribed",
        "who -> Event next(Grace",
        "who -> isDisposed",
      ])
  }
}
