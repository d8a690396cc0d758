import KeylineCore
import TestSupport
import Testing

/// Traits and `await`, both ways.
@Suite struct AsyncTraitConcurrencyTests {
  @MainActor @Test("Values of a driver on the main actor") func valuesOfADriverOnTheMainActor()
    async
  {
    let relay = BehaviorRelay(value: 1)
    var seen: [Int] = []
    for await value in relay.asDriver().take(3).values {
      seen.append(value)
      relay.accept(value + 1)
    }
    #expect(seen == [1, 2, 3])
  }

  @Test("Value waits for the event") func valueWaitsForTheEvent() async throws {
    #expect(try await Single.just(1).value == 1)
    #expect(try await Maybe.just(1).value == 1)
    #expect(try await Maybe<Int>.empty().value == nil)
    try await Completable.empty().value
    await #expect(throws: Failure.self) { try await Single<Int>.error(Failure()).value }
    await #expect(throws: Failure.self) { try await Completable.error(Failure()).value }
    await #expect(throws: Failure.self) { try await Maybe<Int>.error(Failure()).value }
  }

  @MainActor @Test("Value on the main actor") func valueOnTheMainActor() async throws {
    #expect(try await Single.just(1).observe(on: MainScheduler.asyncInstance).value == 1)
  }

  @Test("Single of async work") func singleOfAsyncWork() async throws {
    let doubled = Single.create { 21 }.map { $0 * 2 }
    #expect(try await doubled.value == 42)
    let failing = Single<Int>.create(detached: true, priority: .high) { throw Failure() }
    await #expect(throws: Failure.self) { try await failing.value }
  }

  @Test("Disposal cancels the work") func disposalCancelsTheWork() async {
    await withCheckedContinuation { continuation in
      let (started, mayStart) = AsyncStream<Void>.makeStream()
      let subscription = Single<Int>.create {
        mayStart.yield()
        await withTaskCancellationHandler {
          while !Task.isCancelled { await Task.yield() }
        } onCancel: {
          continuation.resume()
        }
        return 1
      }.subscribe(onSuccess: { _ in Issue.record("it was disposed") })
      Task {
        for await _ in started { break }
        subscription.dispose()
      }
    }
  }
}
