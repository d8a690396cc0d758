import Dispatch
import Keyline
import Synchronization
import TestSupport
import Testing

@testable import KeylineCore

/// Law D23 of derived values: what dies on other threads. Run under the sanitizers.
@Suite struct DerivedConcurrencyTests {
  private final class Source: ReactiveObject {
    @Observed var value = 0
    @WeakObserved var friend: Source?
    @Derived({ (self: Source) in self.friend?.value ?? -1 }) var friendValue: Int
    @Derived({ (self: Source) in self.friendValue + 1 }) var next: Int
  }

  private final class Dependent: ReactiveObject {
    let source: Source
    @Derived({ (self: Dependent) in self.source.value * 2 }) var double: Int
    @Derived({ (self: Dependent) in self.double + 1 }) var more: Int

    init(_ source: Source) { self.source = source }
  }

  private final class Chooser: ReactiveObject {
    @Observed var first = 0
    @Observed var second = 0
    @Observed var usesFirst = true
    @Derived({ (self: Chooser) in
      (0..<5).reduce(0) { sum, _ in sum + (self.usesFirst ? self.first : self.second) }
    }) var chosen: Int
    @Derived({ (self: Chooser) in self.chosen + self.chosen }) var twice: Int
  }

  private final class Choice: ReactiveObject {
    let spare = Source()
    @WeakObserved var friend: Source?
    @Derived({ (self: Choice) in self.friend == nil ? self.spare : nil }) var substitute: Source?
  }

  /// A read that is repeated is recognised by a number that all threads share.
  @Test("D8: Reads are recorded while other threads evaluate")
  func d8ReadsAreRecordedWhileOtherThreadsEvaluate() {
    let group = DispatchGroup()
    let failures = Atomic<Int>(0)
    for thread in 1...4 {
      ownThread().async(group: group) {
        let chooser = Chooser()
        for round in 1...2_000 {
          let value = thread * 100_000 + round
          chooser.usesFirst.toggle()
          if round.isMultiple(of: 3) { _ = chooser.twice }
          if chooser.usesFirst { chooser.first = value } else { chooser.second = value }
          if chooser.twice != 10 * value { failures.add(1, ordering: .relaxed) }
        }
      }
    }
    group.wait()
    #expect(failures.load(ordering: .relaxed) == 0)
  }

  @Test("D23: The last reference is dropped on another thread while its domain marks")
  func d23TheLastReferenceIsDroppedOnAnotherThreadWhileItsDomainMarks() {
    let source = Source()
    let kept = Dependent(source)
    #expect(kept.more == 1)
    for round in 1...40 {
      let dependents = Guarded<[Dependent]>([])
      for _ in 0..<50 {
        dependents.withLock {
          $0.append(Dependent(source))
          _ = $0.last?.more
        }
      }
      let isDone = Atomic<Bool>(false)
      let group = DispatchGroup()
      ownThread().async(group: group) {
        while let dependent = dependents.withLock({ $0.popLast() }) { _ = consume dependent }
        isDone.store(true, ordering: .releasing)
      }
      var writes = 0
      repeat {
        writes += 1
        source.value = round * 1_000_000 + writes
      } while !isDone.load(ordering: .acquiring)
      group.wait()
      #expect(kept.more == source.value * 2 + 1)
    }
  }

  @Test("D23: An observed object dies on another thread while it settles")
  func d23AnObservedObjectDiesOnAnotherThreadWhileItSettles() {
    let source = Source()
    for round in 1...40 {
      let dependents = Guarded<[Dependent]>([])
      let completions = Atomic<Int>(0)
      var subscriptions: [any Disposable] = []
      for _ in 0..<20 {
        let dependent = Dependent(source)
        subscriptions.append(
          dependent.observe(\.more).subscribe(
            onNext: { _ in }, onCompleted: { completions.add(1, ordering: .relaxed) }))
        dependents.withLock { $0.append(dependent) }
      }
      let isDone = Atomic<Bool>(false)
      let group = DispatchGroup()
      ownThread().async(group: group) {
        while let dependent = dependents.withLock({ $0.popLast() }) { _ = consume dependent }
        isDone.store(true, ordering: .releasing)
      }
      repeat { source.value += round } while !isDone.load(ordering: .acquiring)
      group.wait()
      #expect(completions.load(ordering: .relaxed) == 20)
      subscriptions.forEach { $0.dispose() }
    }
  }

  @Test("D23: A weak referent that dies on another thread outdates derived values")
  func d23AWeakReferentThatDiesOnAnotherThreadOutdatesWhatIsDerived() {
    let source = Source()
    for value in 1...200 {
      let friend = Guarded<Source?>(Source())
      friend.withLock {
        $0?.value = value
        source.friend = $0
      }
      #expect(source.next == value + 1)
      onAnotherThread { friend.withLock { $0 = nil } }
      #expect(source.next == 0 && source.friendValue == -1)
    }
  }

  @Test("D23: A weak referent that dies on another thread outdates a derived object")
  func d23AWeakReferentThatDiesOnAnotherThreadOutdatesADerivedObject() {
    let choice = Choice()
    for _ in 0..<200 {
      let friend = Guarded<Source?>(Source())
      friend.withLock { choice.friend = $0 }
      #expect(choice.substitute == nil)
      onAnotherThread { friend.withLock { $0 = nil } }
      #expect(choice.substitute === choice.spare)
    }
  }

  /// One dependency has been found up to date, and a referent of it dies while the next one is
  /// evaluated.
  @Test("D23: A weak referent dies while another dependency is evaluated")
  func d23AWeakReferentDiesWhileAnotherDependencyIsEvaluated() {
    final class Sum: ReactiveObject {
      @Observed var addend = 0
      @WeakObserved var friend: Source?
      var whileEvaluating: () -> Void = {}
      @Derived({ (self: Sum) in self.friend?.value ?? -1 }) var friendValue: Int
      @Derived({ (self: Sum) in
        self.whileEvaluating()
        return self.addend / 10
      }) var tens: Int
      @Derived({ (self: Sum) in self.friendValue + self.tens }) var sum: Int
    }
    let sum = Sum()
    let friend = Guarded<Source?>(Source())
    friend.withLock {
      $0?.value = 7
      sum.friend = $0
    }
    #expect(sum.sum == 7)
    sum.whileEvaluating = { onAnotherThread { friend.withLock { $0 = nil } } }
    sum.addend = 1
    _ = sum.sum
    #expect(sum.sum == -1)
  }

  @Test("D23: A weak referent dies while it is read") func d23AWeakReferentDiesWhileItIsRead() {
    let source = Source()
    for _ in 1...200 {
      let friend = Guarded<Source?>(Source())
      friend.withLock {
        $0?.value = 7
        source.friend = $0
      }
      _ = source.next
      let group = DispatchGroup()
      ownThread().async(group: group) { friend.withLock { $0 = nil } }
      var values: Set<Int> = []
      for _ in 0..<20 { values.insert(source.next) }
      group.wait()
      #expect(values.isSubset(of: [8, 0]))
      #expect(source.next == 0)
    }
  }
}
