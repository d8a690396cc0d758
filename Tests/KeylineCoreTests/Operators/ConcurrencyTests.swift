import KeylineTest
import TestSupport
import Testing

@testable import KeylineCore

@Suite struct AsyncValuesConcurrencyTests {
  let subject = PublishSubject<Int>()

  @Test("Everything emitted since values was called comes in order")
  func everythingEmittedSinceValuesWasCalledComesInOrder() async throws {
    let values = subject.values
    for value in 0..<10_000 { subject.onNext(value) }
    subject.onCompleted()
    var received: [Int] = []
    for try await value in values { received.append(value) }
    #expect(received == Array(0..<10_000))
  }

  @Test("An error is thrown after the elements") func anErrorIsThrownAfterTheElements() async {
    let values = subject.values
    subject.onNext(1)
    subject.onError(Failure())
    var received: [Int] = []
    await #expect(throws: Failure.self) {
      for try await value in values { received.append(value) }
    }
    #expect(received == [1])
  }

  @Test("Synchronous sources are read to the end") func synchronousSourcesAreReadToTheEnd()
    async throws
  {
    var received: [Int] = []
    for try await value in Observable.of(1, 2, 3).values { received.append(value) }
    for try await value in Observable<Int>.empty().values { received.append(value) }
    #expect(received == [1, 2, 3])
  }

  @Test("Leaving the loop disposes") func leavingTheLoopDisposes() async throws {
    let subject = BehaviorSubject(value: 1)
    for try await value in subject.values {
      #expect(value == 1)
      #expect(subject.hasObservers)
      break
    }
    #expect(!subject.hasObservers)
  }

  @Test("Leaving the loop over a sequence in a variable disposes with the variable")
  func leavingTheLoopOverASequenceInAVariableDisposesWithTheVariable() async throws {
    let subject = BehaviorSubject(value: 1)
    do {
      let values = subject.values
      for try await _ in values { break }
      #expect(subject.hasObservers)
      withExtendedLifetime(values) {}
    }
    #expect(!subject.hasObservers)
  }

  @Test("Dropping the sequence disposes") func droppingTheSequenceDisposes() {
    var values: AsyncThrowingStream<Int, any Error>? = subject.values
    #expect(subject.hasObservers)
    withExtendedLifetime(values) {}
    values = nil
    #expect(!subject.hasObservers)
  }

  @Test("Cancelling the task disposes wherever it is") func cancellingTheTaskDisposesWhereverItIs()
    async
  {
    for hasElement in [false, true] {
      let values = subject.values
      let task = Task { for try await _ in values {} }
      if hasElement { subject.onNext(1) }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(!subject.hasObservers)
    }
  }

  @Test("A subject that dies ends the loop") func aSubjectThatDiesEndsTheLoop() async {
    var subject: PublishSubject<Int>? = PublishSubject()
    let values = subject!.values
    subject?.onNext(1)
    subject = nil
    var received: [Int] = []
    await #expect(throws: CancellationError.self) {
      for try await value in values { received.append(value) }
    }
    #expect(received == [1])
  }

  @Test("Many producers lose nothing") func manyProducersLoseNothing() async throws {
    let values = subject.values
    let subject = subject
    let reader = Task { try await values.reduce(into: [Int]()) { $0.append($1) } }
    onThreads(4) { thread in
      for index in 0..<1_000 { subject.onNext(thread * 1_000 + index) }
    }
    subject.onCompleted()
    let received = try await reader.value
    #expect(received.count == 4_000)
    for thread in 0..<4 {
      let own = received.filter { $0 / 1_000 == thread }
      #expect(own == Array((thread * 1_000)..<((thread + 1) * 1_000)))
    }
  }

  @Test("Cancellation and completion at once end the loop once")
  func cancellationAndCompletionAtOnceEndTheLoopOnce() async throws {
    for _ in 0..<200 {
      let subject = PublishSubject<Int>()
      let values = subject.values
      let ends = SharedLog<Void>()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          do { for try await _ in values {} } catch is CancellationError {}
          ends.append(())
        }
        group.addTask { subject.onCompleted() }
        group.cancelAll()
        try await group.waitForAll()
      }
      #expect(ends.all.count == 1)
      #expect(!subject.hasObservers)
    }
  }

  @Test("Values that cannot fail end their loop by completion and death")
  func valuesThatCannotFailEndTheirLoopByCompletionAndDeath() async {
    let values = subject.unfailingValues()
    subject.onNext(1)
    subject.onCompleted()
    var received: [Int] = []
    for await value in values { received.append(value) }
    var dying: PublishSubject<Int>? = PublishSubject()
    let last = dying!.unfailingValues()
    dying = nil
    for await value in last { received.append(value) }
    #expect(received == [1])
  }

  @Test("The first value is awaited") func theFirstValueIsAwaited() async throws {
    #expect(try await Observable.of(1, 2).firstValue() == 1)
    #expect(try await Observable<Int>.empty().firstValue() == nil)
    await #expect(throws: Failure.self) { try await Observable<Int>.error(Failure()).firstValue() }
    let waiting = Task { [subject] in try await subject.firstValue() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(!subject.hasObservers)
  }

  @Test("A termination that has happened is awaited in a cancelled task")
  func aTerminationThatHasHappenedIsAwaitedInACancelledTask() async throws {
    let completed = Completable.empty()
    let values = Observable.of(1, 2).values
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await completed.value
      #expect(try await Maybe<Int>.empty().value == nil)
      #expect(try await Single.just(1).value == 1)
      await #expect(throws: Failure.self) { try await Completable.error(Failure()).value }
      await #expect(throws: CancellationError.self) { try await Completable.never().value }
      return try await values.reduce(0, +)
    }
    #expect(try await task.value == 3)
  }

  @MainActor @Test("Elements of the main actor are read without annotations")
  func elementsOfTheMainActorAreReadWithoutAnnotations() async throws {
    let relay = BehaviorRelay(value: 7)
    #expect(try await relay.firstValue() == 7)
  }
}

@Suite struct AsyncSequenceConcurrencyTests {
  /// Subscribes, and waits for the termination.
  func events(of source: Observable<Int>) async -> [Event<Int>] {
    let log = SharedLog<Event<Int>>()
    await withCheckedContinuation { continuation in
      _ = source.subscribe { event in
        log.append(event)
        if event.isStopEvent { continuation.resume() }
      }
    }
    return log.all
  }

  @Test("Elements come in order then the end", arguments: [false, true])
  func elementsComeInOrderThenTheEnd(detached: Bool) async {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    for value in 0..<1_000 { continuation.yield(value) }
    continuation.finish()
    let events = await events(of: stream.asObservable(detached: detached, priority: .high))
    #expect(events == (0..<1_000).map(Event.next) + [.completed])
  }

  @Test("An error ends the output") func anErrorEndsTheOutput() async {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
    continuation.yield(1)
    continuation.finish(throwing: Failure())
    #expect(await events(of: stream.asObservable()) == [.next(1), .error(Failure())])
  }

  @Test("Disposal cancels the task") func disposalCancelsTheTask() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    await withCheckedContinuation { cancelled in
      continuation.onTermination = { reason in
        if case .cancelled = reason { cancelled.resume() }
      }
      stream.asObservable().subscribe { _ in Issue.record("nothing was emitted") }.dispose()
    }
  }

  @Test("An end downstream cancels the task") func whatEndsDownstreamCancelsTheTask() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let log = SharedLog<Event<Int>>()
    await withCheckedContinuation { cancelled in
      continuation.onTermination = { reason in
        if case .cancelled = reason { cancelled.resume() }
      }
      _ = stream.asObservable().take(2).subscribe { log.append($0) }
      for value in 0..<5 { continuation.yield(value) }
    }
    #expect(log.all == [.next(0), .next(1), .completed])
  }

  /// Emits nothing, and does not respond to cancellation.
  struct Deaf: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let isReleased: AsyncStream<Void>

    func next() async -> Int? {
      await Task { for await _ in isReleased {} }.value
      return nil
    }

    func makeAsyncIterator() -> Deaf { self }
  }

  @Test("C8: Disposal releases the observer of a sequence that goes on")
  func c8DisposalReleasesTheObserverOfASequenceThatGoesOn() async {
    let (isReleased, release) = AsyncStream.makeStream(of: Void.self)
    let tracker = LifetimeTracker()
    let subscription = Deaf(isReleased: isReleased).asObservable().subscribe {
      [token = tracker.track()] _ in Issue.record("released: \(token)")
    }
    #expect(tracker.alive == 1)
    subscription.dispose()
    #expect(tracker.alive == 0)
    release.finish()
  }

  @Test("There and back nothing is lost") func thereAndBackNothingIsLost() async throws {
    let subject = PublishSubject<Int>()
    let values = subject.values
    for value in 0..<1_000 { subject.onNext(value) }
    subject.onCompleted()
    let events = await events(of: values.asObservable())
    #expect(events == (0..<1_000).map(Event.next) + [.completed])
  }
}
