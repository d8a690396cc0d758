import Keyline
import KeylineTest
import Synchronization
import Testing

@Suite struct DisposableTests {
  @Test func aRefCountDisposesWhenItAndAllRetainedAreDisposed() {
    let underlying = BooleanDisposable()
    let counted = RefCountDisposable(disposable: underlying)
    let (first, second) = (counted.retain(), counted.retain())
    counted.dispose()
    counted.dispose()
    first.dispose()
    first.dispose()
    #expect(!underlying.isDisposed)
    #expect(!counted.isDisposed)
    second.dispose()
    #expect(underlying.isDisposed)
    #expect(counted.isDisposed)
    counted.retain().dispose()
    counted.dispose()
  }

  @Test func aRefCountWaitsForItsOwner() {
    let underlying = BooleanDisposable()
    let counted = RefCountDisposable(disposable: underlying)
    counted.retain().dispose()
    #expect(!underlying.isDisposed)
    counted.dispose()
    #expect(underlying.isDisposed)
  }

  @Test func aScheduledDisposableDisposesOnItsScheduler() {
    let scheduler = TestScheduler(initialClock: 0)
    var times: [Int] = []
    let scheduled = ScheduledDisposable(
      scheduler: scheduler, disposable: Disposables.create { times.append(scheduler.clock) })
    scheduler.scheduleAt(100) {
      scheduled.dispose()
      scheduled.dispose()
      #expect(!scheduled.isDisposed)
    }
    scheduler.start()
    #expect(times == [101])
    #expect(scheduled.isDisposed)
  }

  @Test func disposablesMadeOfThreeDisposeInOrder() {
    var order: [Int] = []
    let parts = (1...3).map { index in Disposables.create { order.append(index) } }
    let all = Disposables.create(parts[0], parts[1], parts[2])
    all.dispose()
    all.dispose()
    #expect(order == [1, 2, 3])
  }
}

@Suite struct DisposableConcurrencyTests {
  @Test func aRefCountDisposesOnceAndAfterAllRetained() {
    for _ in 0..<200 {
      let disposals = Atomic<Int>(0)
      let released = Atomic<Int>(0)
      let counted = RefCountDisposable(
        disposable: Disposables.create {
          #expect(released.load(ordering: .sequentiallyConsistent) == 4)
          disposals.add(1, ordering: .relaxed)
        })
      let retained = (0..<4).map { _ in counted.retain() }
      counted.dispose()
      onThreads(4) { thread in
        released.add(1, ordering: .sequentiallyConsistent)
        retained[thread].dispose()
      }
      #expect(disposals.load(ordering: .relaxed) == 1)
    }
  }
}
