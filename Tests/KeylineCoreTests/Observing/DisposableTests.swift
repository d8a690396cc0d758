import KeylineCore
import KeylineTest
import Synchronization
import TestSupport
import Testing

@Suite struct DisposableTests {
  @Test("A refCount disposes when it and all retained are disposed")
  func aRefCountDisposesWhenItAndAllRetainedAreDisposed() {
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

  @Test("A refCount waits for its owner") func aRefCountWaitsForItsOwner() {
    let underlying = BooleanDisposable()
    let counted = RefCountDisposable(disposable: underlying)
    counted.retain().dispose()
    #expect(!underlying.isDisposed)
    counted.dispose()
    #expect(underlying.isDisposed)
  }

  @Test("A ScheduledDisposable disposes on its scheduler")
  func aScheduledDisposableDisposesOnItsScheduler() {
    var order: [String] = []
    let scheduled = ScheduledDisposable(
      scheduler: CurrentThreadScheduler.instance,
      disposable: Disposables.create { order.append("disposed") })
    _ = CurrentThreadScheduler.instance.schedule(()) { _ in
      scheduled.dispose()
      scheduled.dispose()
      #expect(!scheduled.isDisposed)
      order.append("scheduled")
      return Disposables.create()
    }
    #expect(order == ["scheduled", "disposed"])
    #expect(scheduled.isDisposed)
  }

  @Test("Disposables made of three dispose in order") func disposablesMadeOfThreeDisposeInOrder() {
    var order: [Int] = []
    let parts = (1...3).map { index in Disposables.create { order.append(index) } }
    let all = Disposables.create(parts[0], parts[1], parts[2])
    all.dispose()
    all.dispose()
    #expect(order == [1, 2, 3])
  }

  /// Against a list that is searched: members in places that were others' before.
  @Test("A group keeps the order of insertion after removals", arguments: 1...20)
  func aGroupKeepsTheOrderOfInsertionWhateverIsRemoved(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var disposed: [Int] = []
    let group = CompositeDisposable()
    var kept: [(key: CompositeDisposable.DisposeKey, number: Int)] = []
    var removed: [CompositeDisposable.DisposeKey] = []
    for number in 0..<200 {
      if random.number(0..<3) > 0 {
        let member = Disposables.create { disposed.append(number) }
        kept.append((try #require(group.insert(member)), number))
      } else if let index = kept.indices.randomElement(using: &random) {
        let (key, number) = kept.remove(at: index)
        removed.append(key)
        group.remove(for: key)
        #expect(disposed.popLast() == number)
      }
      if let old = removed.randomElement(using: &random) { group.remove(for: old) }
      #expect(disposed == [])
      #expect(group.count == kept.count)
    }
    group.dispose()
    #expect(disposed == kept.map(\.number))
    #expect(group.insert(Disposables.create { disposed = [] }) == nil)
    #expect(disposed == [])
  }

  @Test("A group ignores the keys of another") func aGroupIgnoresTheKeysOfAnother() throws {
    var disposed: [String] = []
    let (first, second) = (CompositeDisposable(), CompositeDisposable())
    let key = try #require(first.insert(Disposables.create { disposed.append("first") }))
    second.insert(Disposables.create { disposed.append("second") })
    second.remove(for: key)
    #expect(disposed == [])
    first.remove(for: key)
    #expect(disposed == ["first"])
    #expect(second.count == 1)
  }

  @Test("A hundred thousand nested groups are disposed flat")
  func aHundredThousandNestedGroupsAreDisposedFlat() {
    let innermost = BooleanDisposable()
    var nested: any Disposable = innermost
    for _ in 0..<100_000 { nested = CompositeDisposable(disposables: [nested]) }
    // On a thread whose stack has no room for a frame per group.
    let outermost = nested
    onThreads(1) { _ in outermost.dispose() }
    #expect(innermost.isDisposed)
  }

  @Test("A hundred thousand nested groups are released flat")
  func aHundredThousandNestedGroupsAreReleasedFlat() {
    let tracker = LifetimeTracker()
    let outermost = Guarded<(any Disposable)?>(nil)
    let kept = CompositeDisposable()
    do {
      let token = tracker.track()
      var nested: any Disposable = Disposables.create { Issue.record("released: \(token)") }
      for level in 0..<100_000 {
        nested = CompositeDisposable(disposables: [nested])
        if level == 50_000 { _ = kept.insert(nested) }
      }
      outermost.withLock { $0 = nested }
    }
    onThreads(1) { _ in outermost.withLock { $0 = nil } }
    // From the middle on, they are retained elsewhere.
    #expect(tracker.alive == 1)
    #expect(kept.count == 1)
  }
}

@Suite struct DisposableConcurrencyTests {
  @Test("A refCount disposes once and after all retained")
  func aRefCountDisposesOnceAndAfterAllRetained() {
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
