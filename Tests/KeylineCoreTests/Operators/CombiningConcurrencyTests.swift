import Dispatch
import KeylineCore
import KeylineTest
import Synchronization
import TestSupport
import Testing

@Suite struct CombiningConcurrencyTests {
  @Test("C5: zip pairs the nth element with the nth, on any threads")
  func c5ZipPairsTheNthWithTheNthWhateverTheThreads() {
    for _ in 0..<50 {
      let subjects = (0..<3).map { _ in PublishSubject<Int>() }
      let log = SharedLog<[Int]>()
      _ = Observable.zip(subjects).subscribe(
        onNext: { log.append($0) }, onCompleted: { log.append([]) })
      onThreads(3) { thread in
        for value in 0..<200 { subjects[thread].onNext(value) }
        subjects[thread].onCompleted()
      }
      #expect(log.all == (0..<200).map { [$0, $0, $0] } + [[]])
    }
  }

  @Test("C5: Merge limited delivers every element one at a time")
  func c5MergeLimitedDeliversEveryElementOneAtATime() {
    for _ in 0..<20 {
      let subjects = (0..<4).map { _ in ReplaySubject<Int>.createUnbounded() }
      let merged = Observable.from(subjects).merge(maxConcurrent: 2)
      expectEveryElementOneAtATime(of: merged, feeding: subjects, each: 100)
    }
  }

  /// The completion on the other thread and the return of `subscribe` here race for the permit.
  @Test("C5: A limited merge goes on, whenever its inner observables end")
  func c5ALimitedMergeGoesOnWheneverItsInnerObservablesEnd() {
    let queue = DispatchQueue(label: "inner", attributes: .concurrent)
    for limit in [1, 2, 3] {
      for _ in 0..<20 {
        let ended = DispatchSemaphore(value: 0)
        let sum = Atomic<Int>(0)
        let inners = (0..<300).map { number in
          Observable<Int>.create { observer in
            queue.async {
              observer.onNext(number)
              observer.onCompleted()
            }
            return Disposables.create()
          }
        }
        let subscription = Observable.from(inners).merge(maxConcurrent: limit).subscribe(
          onNext: { sum.add($0, ordering: .relaxed) }, onCompleted: { ended.signal() })
        #expect(ended.wait(timeout: .now() + 60) == .success)
        #expect(sum.load(ordering: .relaxed) == 299 * 300 / 2)
        subscription.dispose()
      }
    }
  }

  @Test("The thread that delivers also delivers elements that others emit meanwhile")
  func theThreadThatDeliversAlsoDeliversElementsThatOthersEmitMeanwhile() {
    let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
    let relay = BehaviorRelay(value: 0)
    let sources: [(Observable<Int>, @Sendable () -> Void)] = [
      (.merge(first, second), { second.onNext(2) }),
      (first.withLatestFrom(relay) { $0 + $1 }, { first.onNext(2) }),
      (first.flatMap { Observable.merge(second, .just($0)) }, { second.onNext(2) }),
      (.merge(first, relay.skip(1)), { relay.accept(2) }),
    ]
    for (output, emit) in sources {
      let log = SharedLog<String>()
      let subscription = output.subscribe(onNext: { element in
        log.append("\(element)")
        if element == 1 {
          onAnotherThread { emit() }
          log.append("emitted")
        }
      })
      first.onNext(1)
      subscription.dispose()
      relay.accept(0)
      #expect(log.all == ["1", "emitted", "2"])
    }
  }

  @Test("refCount does not wait while another thread connects")
  func refCountDoesNotWaitWhileAnotherThreadConnects() {
    let (isConnecting, mayConnect) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let shared = Observable<Int>.create { observer in
      isConnecting.signal()
      mayConnect.wait()
      observer.onNext(1)
      return Disposables.create()
    }.share()
    let log = SharedLog<Int>()
    let connecting = Unchecked(shared)
    let group = DispatchGroup()
    ownThread().async(group: group) { _ = connecting.value.subscribe(onNext: { log.append($0) }) }
    isConnecting.wait()
    _ = shared.subscribe(onNext: { log.append($0 + 1) })
    #expect(log.all == [])
    mayConnect.signal()
    group.wait()
    #expect(log.all == [1, 2])
  }

  @Test("C8: refCount connects once for all") func c8RefCountConnectsOnceForAll() {
    for _ in 0..<100 {
      let connections = Atomic<Int>(0)
      let open = Atomic<Int>(0)
      let source = Observable<Int>.create { _ in
        connections.add(1, ordering: .sequentiallyConsistent)
        open.add(1, ordering: .sequentiallyConsistent)
        return Disposables.create { open.subtract(1, ordering: .sequentiallyConsistent) }
      }
      let shared = Shareable(source.publish().refCount())
      let subscriptions = SharedLog<any Disposable>()
      onThreads(4) { _ in subscriptions.append(shared.observable.subscribe { _ in }) }
      #expect(connections.load(ordering: .sequentiallyConsistent) == 1)
      #expect(open.load(ordering: .sequentiallyConsistent) == 1)
      let all = subscriptions.all
      onThreads(4) { all[$0].dispose() }
      #expect(open.load(ordering: .sequentiallyConsistent) == 0)
    }
  }

  @Test("C1: retry(when:) goes on once for each failure, on any threads")
  func c1RetryWhenGoesOnOncePerFailureWhateverTheThreads() {
    for _ in 0..<50 {
      let (source, trigger) = (PublishSubject<Int>(), PublishSubject<Int>())
      let subscriptions = Atomic<Int>(0)
      let failing = Observable<Int>.create { observer in
        subscriptions.add(1, ordering: .relaxed)
        return source.subscribe(observer)
      }
      let log = SharedLog<Int>()
      _ = failing.retry { (_: Observable<any Error>) in trigger }.subscribe(
        onNext: { log.append($0) }, onCompleted: { log.append(-1) })
      onThreads(2) { thread in
        for value in 0..<100 { thread == 0 ? source.onNext(value) : trigger.onNext(value) }
      }
      source.onCompleted()
      #expect(log.all == Array(0..<100) + [-1])
      #expect(subscriptions.load(ordering: .relaxed) == 1)
    }
  }
}

// Proof of @unchecked: the observable is immutable, and orders what threads do to it.
private struct Shareable: @unchecked Sendable {
  let observable: Observable<Int>
  init(_ observable: Observable<Int>) { self.observable = observable }
}
