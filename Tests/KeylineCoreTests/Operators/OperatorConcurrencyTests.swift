import Dispatch
import KeylineCore
import KeylineTest
import Synchronization
import TestSupport
import Testing

@Suite struct OperatorConcurrencyTests {
  @Test("C5: Merge delivers every element one at a time")
  func c5MergeDeliversEveryElementOneAtATime() {
    let subjects = (0..<4).map { _ in PublishSubject<Int>() }
    let merged = Observable.merge(subjects.map { $0.asObservable() })
    expectEveryElementOneAtATime(of: merged, feeding: subjects, each: 1_000)
  }

  @Test("C5: combineLatest ends with the latest of each")
  func c5CombineLatestEndsWithTheLatestOfEach() {
    for _ in 0..<100 {
      let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
      let log = SharedLog<[Int]>()
      _ = Observable.combineLatest(left, right) { [$0, $1] }.subscribe(onNext: { log.append($0) })
      left.onNext(0)
      right.onNext(0)
      onThreads(2) { thread in
        for value in 1...50 { (thread == 0 ? left : right).onNext(value) }
      }
      let all = log.all
      #expect(all.count == 101)
      #expect(all.last == [50, 50])
      for (former, latter) in zip(all, all.dropFirst()) {
        #expect(former[0] + former[1] + 1 == latter[0] + latter[1])
      }
    }
  }

  @Test("C1: Take until ends once") func c1TakeUntilEndsOnce() {
    for _ in 0..<200 {
      let (source, other) = (PublishSubject<Int>(), PublishSubject<Int>())
      let log = SharedLog<Int>()
      _ = source.take(until: other).subscribe(
        onNext: { log.append($0) }, onCompleted: { log.append(-1) })
      onThreads(2) { thread in
        if thread == 0 {
          for value in 0..<20 { source.onNext(value) }
        } else {
          other.onNext(0)
        }
      }
      let all = log.all
      #expect(all.last == -1)
      #expect(all.dropLast() == Array(0..<(all.count - 1))[...])
    }
  }

  @Test("C8: Shared connects once and leaves with the last")
  func c8SharedConnectsOnceAndLeavesWithTheLast() {
    let source = PublishSubject<Int>()
    let connections = Atomic<Int>(0)
    let open = Atomic<Int>(0)
    let shared = Observable<Int>.create { observer in
      connections.add(1, ordering: .relaxed)
      #expect(open.add(1, ordering: .sequentiallyConsistent).newValue <= 2)
      let subscription = source.subscribe(observer)
      return Disposables.create {
        subscription.dispose()
        open.subtract(1, ordering: .sequentiallyConsistent)
      }
    }.share(replay: 1)
    let box = SendableBox(shared)
    onThreads(4) { _ in
      for _ in 0..<300 {
        let subscription = box.value.subscribe(onNext: { _ in })
        source.onNext(1)
        subscription.dispose()
      }
    }
    #expect(open.load(ordering: .sequentiallyConsistent) == 0)
    #expect(!source.hasObservers)
    #expect(connections.load(ordering: .relaxed) <= 1_200)
  }

  @Test("Observe on delivers in order on its queue") func observeOnDeliversInOrderOnItsQueue() async
  {
    let queue = DispatchQueue(label: "observe(on:)")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let scheduler = SerialDispatchQueueScheduler(serialQueue: queue)
    let log = SharedLog<Int>()
    await withCheckedContinuation { continuation in
      _ = Observable.from(0..<1_000).observe(on: scheduler).subscribe(
        onNext: {
          #expect(DispatchQueue.getSpecific(key: key) == true)
          log.append($0)
        }, onCompleted: { continuation.resume() })
    }
    #expect(log.all == Array(0..<1_000))
  }

  @Test("Observe on a concurrent queue delivers in order one at a time")
  func observeOnAConcurrentQueueDeliversInOrderOneAtATime() async {
    let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
    let log = SharedLog<Int>()
    await withCheckedContinuation { continuation in
      _ = Observable.from(0..<1_000).observe(on: scheduler).subscribe(
        onNext: { log.append($0) }, onCompleted: { continuation.resume() })
    }
    #expect(log.all == Array(0..<1_000))
  }

  @Test("Interval counts on its scheduler") func intervalCountsOnItsScheduler() async {
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    let log = SharedLog<Int>()
    await withCheckedContinuation { continuation in
      _ = Observable<Int>.interval(.milliseconds(1), scheduler: scheduler).take(5).subscribe(
        onNext: { log.append($0) }, onCompleted: { continuation.resume() })
    }
    #expect(log.all == [0, 1, 2, 3, 4])
  }

  @Test("Debounce emits the last of a burst") func debounceEmitsTheLastOfABurst() async {
    let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
    let subject = PublishSubject<Int>()
    // Longer than a loaded machine suspends the threads of a burst.
    let value = await withCheckedContinuation { continuation in
      _ = subject.debounce(.seconds(1), scheduler: scheduler).take(1).subscribe(
        onNext: { continuation.resume(returning: $0) })
      onThreads(4) { _ in for value in 0..<100 { subject.onNext(value) } }
      subject.onNext(1_000)
    }
    #expect(value == 1_000)
  }

  @Test("The MainScheduler delivers on the main thread")
  func theMainSchedulerDeliversOnTheMainThread() async {
    let log = SharedLog<Int>()
    await withCheckedContinuation { continuation in
      _ = Observable.from(0..<100).observe(on: MainScheduler.instance).subscribe(
        onNext: {
          MainActor.preconditionIsolated()
          log.append($0)
        }, onCompleted: { continuation.resume() })
    }
    #expect(log.all == Array(0..<100))
  }
}

/// Carries a value that several threads of a test may use.
struct SendableBox<Value>: @unchecked Sendable {
  // Proof of @unchecked: a shared observable of `Sendable` elements synchronises itself.
  let value: Value

  init(_ value: Value) { self.value = value }
}

/// C5: feeds `count` elements and a completion into each of `sources`, on a thread of its own.
/// Expects `merged` to deliver every element, one at a time and in the order of its source, and then
/// one completion.
func expectEveryElementOneAtATime<Source: ObserverType & Sendable>(
  of merged: Observable<Int>, feeding sources: [Source], each count: Int,
  at location: SourceLocation = #_sourceLocation
) where Source.Element == Int {
  let log = SharedLog<Int>()
  let inside = Atomic<Int>(0)
  _ = merged.subscribe(
    onNext: {
      #expect(inside.add(1, ordering: .relaxed).newValue == 1, sourceLocation: location)
      log.append($0)
      inside.subtract(1, ordering: .relaxed)
    }, onCompleted: { log.append(-1) })
  onThreads(sources.count) { thread in
    for index in 0..<count { sources[thread].onNext(thread * count + index) }
    sources[thread].onCompleted()
  }
  let all = log.all
  #expect(all.count == sources.count * count + 1, sourceLocation: location)
  #expect(all.last == -1, sourceLocation: location)
  for thread in sources.indices {
    let own = all.filter { $0 >= 0 && $0 / count == thread }
    #expect(own == Array(thread * count..<(thread + 1) * count), sourceLocation: location)
  }
}
