import Dispatch
import KeylineCore
import TestSupport
import Testing

/// C1 and C5 for the observer of `create`, and sources that never pause.
@Suite struct CreatingConcurrencyTests {
  @Test("A disposed source that never pauses leaves its queue")
  func aDisposedSourceThatNeverPausesLeavesItsQueue() {
    let endless = Observable.repeatElement(1)
    let sources = [
      endless, endless.flatMap { Observable.just($0) }, .merge(endless, .never()),
      endless.take(until: Observable<Int>.never()), endless.do(onNext: { _ in }), endless.share(),
    ]
    for source in sources {
      let scheduler = SerialDispatchQueueScheduler(qos: .default)
      let (hasBegun, hasLeft) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let subscription = source.subscribe(on: scheduler).subscribe(onNext: { _ in
        hasBegun.signal()
      })
      hasBegun.wait()
      subscription.dispose()
      _ = scheduler.schedule(()) { _ in
        hasLeft.signal()
        return Disposables.create()
      }
      #expect(hasLeft.wait(timeout: .now() + 60) == .success)
    }
  }

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
