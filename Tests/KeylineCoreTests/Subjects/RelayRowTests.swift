import KeylineCore
import TestSupport
import Testing

/// Relays that are bound one to the next, in rows of any length.
@Suite struct RelayRowTests {
  let bag = DisposeBag()

  /// `count` relays, each bound to the next.
  func row(_ count: Int) -> [BehaviorRelay<Int>] {
    let relays = (0..<count).map { _ in BehaviorRelay(value: 0) }
    for (source, target) in zip(relays, relays.dropFirst()) {
      source.bind(to: target).disposed(by: bag)
    }
    return relays
  }

  /// 100,000 relays; fewer in a debug build, where 5,000 overflowed the stack before.
  static let longRow = rounds(10_000, optimised: 100_000)

  @Test("Relays bound in a long row deliver every element, in order")
  func aLongRowDeliversEveryElementInOrder() throws {
    let relays = row(Self.longRow)
    var received: [Int] = []
    _ = try #require(relays.last).subscribe(onNext: { received.append($0) })
    for element in 1...3 { relays[0].accept(element) }
    #expect(received == [0, 1, 2, 3])
    #expect(relays.allSatisfy { $0.value == 3 })
  }

  @Test("Rows of other relays, through an operator, deliver every element")
  func rowsOfOtherRelaysDeliverEveryElement() throws {
    let relays = (0..<10_000).map { _ in PublishRelay<Int>() }
    let replaying = ReplayRelay<Int>.create(bufferSize: 2)
    for (source, target) in zip(relays, relays.dropFirst()) {
      source.map { $0 + 1 }.asInfallible(onErrorJustReturn: 0).bind(to: target).disposed(by: bag)
    }
    try #require(relays.last).bind(to: replaying).disposed(by: bag)
    for element in 1...3 { relays[0].accept(element) }
    var replayed: [Int] = []
    _ = replaying.subscribe(onNext: { replayed.append($0) })
    #expect(replayed == [10_001, 10_002])
  }

  @Test("A long row is released with its bag, or with its first relay")
  func aRowIsReleased() {
    for keepsBag in [false, true] {
      var bag: DisposeBag? = DisposeBag()
      var relays = (0..<Self.longRow).map { _ in PublishRelay<Int>() }
      weak let last = relays.last
      for (source, target) in zip(relays, relays.dropFirst()) {
        let binding = source.bind(to: target)
        if keepsBag { bag?.insert(binding) }
      }
      relays.removeAll()
      bag = nil
      #expect(last == nil)
    }
  }

  @Test("A relay deep in a row has its value as soon as the first relay has")
  func aDeepRelayHasItsValueAtOnce() {
    let relays = row(1_000)
    var values: [Int] = []
    _ = relays[500].skip(1).subscribe(onNext: { values.append(relays[499].value - $0) })
    relays[0].accept(1)
    #expect(values == [0])
    #expect(relays[999].value == 1)
  }

  @Test("C6: An element emitted deep in a row follows the one under way, in every relay")
  func c6AnElementEmittedDeepInARowFollows() {
    let relays = row(300)
    var first: [Int] = []
    var last: [Int] = []
    _ = relays[0].subscribe(onNext: { first.append($0) })
    _ = relays[200].subscribe(onNext: { if $0 == 1 { relays[0].accept(2) } })
    _ = relays[299].subscribe(onNext: { last.append($0) })
    relays[0].accept(1)
    #expect(first == [0, 1, 2])
    #expect(last == [0, 1, 2])
    #expect(relays.allSatisfy { $0.value == 2 })
  }

  @Test("C7: Deep in a row, an observer that joins during a delivery misses nothing")
  func c7AnObserverThatJoinsDeepInARowMissesNothing() {
    let relays = row(300)
    var joined: [Int] = []
    _ = relays[100].skip(1).subscribe(onNext: { element in
      if element == 1 { _ = relays[200].subscribe(onNext: { joined.append($0) }) }
    })
    for element in 1...3 { relays[0].accept(element) }
    #expect(joined.last == 3)
    #expect(Array(joined.suffix(2)) == [2, 3])
    #expect(joined == joined.sorted())
  }
}

@Suite struct RelayRowConcurrencyTests {
  @Test("C5: In a row fed by several threads, all relays deliver the same order")
  func c5AllRelaysOfARowDeliverTheSameOrder() {
    for _ in 0..<rounds(20, optimised: 500) {
      let relays = (0..<200).map { _ in BehaviorRelay(value: -1) }
      let bag = DisposeBag()
      for (source, target) in zip(relays, relays.dropFirst()) {
        source.bind(to: target).disposed(by: bag)
      }
      let logs = [0, 63, 64, 65, 130, 199].map { index in
        let log = SharedLog<Int>()
        _ = relays[index].subscribe(onNext: { log.append($0) })
        return log
      }
      onThreads(4) { thread in
        for index in 0..<20 { relays[thread * 30].accept(thread * 100 + index) }
      }
      let last = logs[5].all
      #expect(last.count == 81)
      #expect(last.last == relays[199].value)
      #expect(logs[4].all == last)
      for thread in 0..<4 {
        let own = last.filter { $0 >= 0 && $0 / 100 == thread }
        #expect(own == (0..<20).map { thread * 100 + $0 })
      }
    }
  }
}
