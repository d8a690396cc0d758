import Testing

@testable import Keyline
@testable import KeylineCore

/// `debug()` of a property's sequence names the property.
@Suite struct DebugPropertyTests {
  @Test func theSequenceKnowsWhatItObserves() {
    let (worker, chief, bill) = (Worker("Ada"), Worker("Grace"), Bill())
    #expect(worker.observe(\.name).propertyNames == "Worker.name")
    #expect(worker.observeChanges(\.name).propertyNames == "Worker.name")
    #expect(bill.observe(\.total).propertyNames == "Bill.total")
    #expect(bill.observe(\.label).propertyNames == "String of Bill")
    #expect(worker.observeWeakly { $0.chief.desk.room }.propertyNames == "Worker.chief")
    worker.chief = chief
    chief.desk = Desk()
    let chain = worker.observeWeakly { $0.chief.desk.room }
    #expect(chain.propertyNames == "Worker.chief → Worker.desk → Desk.room")
    var dead: Worker? = Worker("Joan")
    let name = dead!.observe(\.name)
    dead = nil
    #expect(name.propertyNames == "")
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
