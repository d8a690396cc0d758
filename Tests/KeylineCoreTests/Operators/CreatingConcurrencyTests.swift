import KeylineCore
import TestSupport
import Testing

/// C1 and C5 for the observer of `create`.
@Suite struct CreatingConcurrencyTests {
  /// Every thread's elements arrive, in its order, one at a time; a termination is the last event.
  @Test("Threads feed one observer") func threadsFeedOneObserver() {
    let (threads, count) = (4, 5_000)
    let handed = Guarded<AnyObserver<Int>?>(nil)
    let source = Observable<Int>.create { observer in
      handed.withLock { $0 = observer }
      return Disposables.create()
    }
    let log = SharedLog<Event<Int>>()
    let isInside = Guarded(false)
    let overlaps = SharedLog<Int>()
    let subscription = source.subscribe { event in
      if isInside.withLock({ isInside in
        defer { isInside = true }
        return isInside
      }) {
        overlaps.append(1)
      }
      log.append(event)
      isInside.withLock { $0 = false }
    }
    let observer = handed.withLock { $0 }!
    onThreads(threads) { thread in
      for index in 0..<count { observer.onNext(thread * count + index) }
    }
    observer.onCompleted()
    observer.onNext(-1)
    let elements = log.all.compactMap(\.element)
    #expect(overlaps.all.isEmpty)
    #expect(elements.count == threads * count)
    #expect(log.all.count == elements.count + 1)
    #expect(log.all.last == .completed)
    for thread in 0..<threads {
      let own = elements.filter { $0 / count == thread }
      #expect(own == Array(thread * count..<(thread + 1) * count))
    }
    subscription.dispose()
  }

  /// Terminations and elements at once: the grammar holds, and elements before the end are in order.
  @Test("Nothing follows a termination of another thread")
  func nothingFollowsATerminationOfAnotherThread() {
    for _ in 0..<200 {
      let handed = Guarded<AnyObserver<Int>?>(nil)
      let log = SharedLog<Event<Int>>()
      let subscription = Observable<Int>.create { observer in
        handed.withLock { $0 = observer }
        return Disposables.create()
      }.subscribe { log.append($0) }
      let observer = handed.withLock { $0 }!
      onThreads(3) { thread in
        for index in 0..<50 {
          if thread == 0, index == 25 { observer.onCompleted() } else { observer.onNext(index) }
        }
      }
      let events = log.all
      #expect(events.last == .completed)
      #expect(events.count { $0 == .completed } == 1)
      subscription.dispose()
    }
  }
}
