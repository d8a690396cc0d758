import Dispatch
import KeylineCore
import KeylineTest
import Testing

/// The turns of the main queue in which drivers and signals of given elements emit, and the objects that they
/// retain.
@Suite struct DriverTurnTests {
  /// What happens around a subscription on the main queue, `turn` being the queue's next turn.
  @MainActor private func log<Trait>(
    _ source: TraitSequence<Trait, Int>
  ) async -> [String] where Trait: SharingStrategyProtocol {
    var log: [String] = []
    await withCheckedContinuation { continuation in
      _ = source.asObservable().subscribe(
        onNext: { log.append("\($0)") },
        onCompleted: {
          log.append("completed")
          continuation.resume()
        })
      log.append("subscribed")
      DispatchQueue.main.async { MainActor.assumeIsolated { log.append("turn") } }
    }
    return log
  }

  @MainActor @Test("Drivers of elements take a turn of the main queue for each")
  func driversOfElementsTakeATurnOfTheMainQueueForEach() async {
    let expected = ["1", "subscribed", "2", "turn", "3", "completed"]
    #expect(await log(Driver.of(1, 2, 3)) == expected)
    #expect(await log(Driver.from([1, 2, 3])) == expected)
    #expect(await log(Driver.from(optional: 1)) == ["1", "subscribed", "completed", "turn"])
  }

  @MainActor @Test("Signals of elements take a turn of the main queue for each")
  func signalsOfElementsTakeATurnOfTheMainQueueForEach() async {
    let expected = ["1", "subscribed", "2", "turn", "3", "completed"]
    #expect(await log(Signal.of(1, 2, 3)) == expected)
    #expect(await log(Signal.from([1, 2, 3])) == expected)
  }

  @Test("A driver stays when its relay is released") func aDriverStaysWhenItsRelayIsReleased() {
    let tracker = LifetimeTracker()
    SharingScheduler.mock(scheduler: TestScheduler(initialClock: 0)) {
      var relay: BehaviorRelay<Int>? = BehaviorRelay(value: 0)
      let subscription = relay?.asDriver().asObservable()
        .subscribe(onNext: { [token = tracker.track()] in _ = token.pass($0) })
      relay = nil
      #expect(tracker.alive == 1)
      subscription?.dispose()
      #expect(tracker.alive == 0)
    }
  }
}
