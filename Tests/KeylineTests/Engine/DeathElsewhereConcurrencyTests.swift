import Dispatch
import Foundation
import Keyline
import Synchronization
import TestSupport
import Testing

/// Threads, and deaths of objects on threads that do not use them (D23, D30, D41).
///
/// If the object of a weak property dies on another thread than the last use of the property, reads
/// return nil at once. The emission of nil, and the evaluation of values computed from the
/// property, take effect with the next operation (set, observation, tracked read) on the object
/// that has the property, on the thread of that operation, and never inside another thread's batch.
/// The sequences of the dead object complete on the thread that releases it last.
@Suite struct DeathElsewhereConcurrencyTests {
  final class Friend: ReactiveObject {
    @Observed var value = 7
  }

  final class Owner: ReactiveObject {
    @WeakObserved var friend: Friend?
    @Observed var name = "a"
    @Observed var other = 0
    var computed: Int { friend?.value ?? -1 }
    @Derived({ (self: Owner) in self.friend?.value ?? -1 }) var derived: Int
  }

  /// The values that observers of an owner have received, and whether they arrived on the thread
  /// that made this witness.
  private final class Witness {
    private let thread = Thread.current
    private(set) var isOnOwnThread = true
    private(set) var friends: [Bool] = []
    private(set) var values: [String: [Int]] = [:]
    private(set) var names: [String] = []
    private let bag = DisposeBag()

    init(_ owner: Owner) {
      owner.observe(\.friend, options: .new).subscribe(onNext: { [unowned self] in
        note()
        friends.append($0 != nil)
      }).disposed(by: bag)
      owner.observe(\.name, options: .new).subscribe(onNext: { [unowned self] in
        note()
        names.append($0)
      }).disposed(by: bag)
      // Observed, so that its sets are operations on the object (D23).
      owner.observe(\.other, options: .new).subscribe().disposed(by: bag)
      follow("chain", owner.observeWeakly(options: .new) { $0.friend.value }.map { $0 ?? -1 })
      follow("path", owner.observe(\.friend?.value, options: .new).map { $0 ?? -1 })
      follow("computed", owner.observe(\.computed, options: .new))
      follow("derived", owner.observe(\.derived, options: .new))
    }

    private func follow(_ name: String, _ source: Observable<Int>) {
      source.subscribe(onNext: { [unowned self] in
        note()
        values[name, default: []].append($0)
      }).disposed(by: bag)
    }

    private func note() { if Thread.current !== thread { isOnOwnThread = false } }

    var isSilent: Bool { friends.isEmpty && values.isEmpty }

    /// Expects that the death has been emitted once to each, here, and nothing else.
    func expectOneNil(sourceLocation: SourceLocation = #_sourceLocation) {
      #expect(friends == [false], sourceLocation: sourceLocation)
      for name in ["chain", "path", "computed", "derived"] {
        #expect(values[name] == [-1], "\(name)", sourceLocation: sourceLocation)
      }
      #expect(isOnOwnThread, sourceLocation: sourceLocation)
    }
  }

  /// An owner whose friend is referenced by the box alone.
  private func makeOwner() -> (Owner, Guarded<Friend?>) {
    let owner = Owner()
    let box = Guarded<Friend?>(Friend())
    box.withLock { owner.friend = $0 }
    return (owner, box)
  }

  enum Operation: CaseIterable { case set, observe, trackedRead, batch }

  private func perform(_ operation: Operation, on owner: Owner) {
    switch operation {
    case .set: owner.other += 1
    case .observe: owner.observe(\.other).subscribe().dispose()
    case .trackedRead:
      let reader = Reader(owner)
      #expect(reader.sum == -1)
    case .batch: batchUpdates { owner.other += 1 }
    }
  }

  private final class Reader: ReactiveObject {
    let owner: Owner
    @Derived({ (self: Reader) in self.owner.derived + self.owner.other - self.owner.other })
    var sum: Int
    init(_ owner: Owner) { self.owner = owner }
  }

  @Test(
    "D23: A death on another thread takes effect with the next operation",
    arguments: Operation.allCases)
  func d23ADeathOnAnotherThreadTakesEffectWithTheNextOperation(operation: Operation) {
    let (owner, box) = makeOwner()
    let witness = Witness(owner)
    onAnotherThread { box.withLock { $0 = nil } }
    #expect(owner.friend == nil && witness.isSilent)
    perform(operation, on: owner)
    witness.expectOneNil()
    perform(operation, on: owner)
    witness.expectOneNil()
  }

  @Test("D41: A death inside a batch of another thread is no part of that batch")
  func d41ADeathInsideABatchOfAnotherThreadIsNoPartOfThatBatch() {
    let (owner, box) = makeOwner()
    let witness = Witness(owner)
    let elsewhere = SharedLog<Int>()
    onAnotherThread {
      let other = Owner()
      let subscription = other.observe(\.other, options: .new).subscribe(onNext: elsewhere.append)
      batchUpdates {
        other.other = 1
        box.withLock { $0 = nil }
        other.other = 2
        #expect(elsewhere.all == [])
      }
      #expect(elsewhere.all == [2])
      other.other = 3
      subscription.dispose()
    }
    #expect(elsewhere.all == [2, 3])
    #expect(owner.friend == nil && witness.isSilent)
    owner.other = 1
    witness.expectOneNil()
  }

  @Test(
    "D30: A batch is delivered at its end though a referent dies in a batch elsewhere",
    arguments: [false, true])
  func d30ABatchIsDeliveredAtItsEndThoughAReferentDiesInABatchElsewhere(isSetAfter: Bool) {
    let (owner, box) = makeOwner()
    let witness = Witness(owner)
    batchUpdates {
      owner.name = "b"
      onAnotherThread {
        let other = Owner()
        batchUpdates {
          other.name = "elsewhere"
          box.withLock { $0 = nil }
        }
      }
      #expect(owner.friend == nil)
      if isSetAfter { owner.name = "c" }
      #expect(witness.names == [] && witness.isSilent)
    }
    // The owner's own batch, on its own thread, at its end.
    #expect(witness.names == [isSetAfter ? "c" : "b"] && witness.isOnOwnThread)
    owner.other = 1
    witness.expectOneNil()
  }

  @Test("D23: Another object takes the place of an object that has died elsewhere")
  func d23AnotherObjectTakesThePlaceOfOneThatHasDiedElsewhere() {
    let (owner, box) = makeOwner()
    let witness = Witness(owner)
    onAnotherThread { box.withLock { $0 = nil } }
    let next = Friend()
    next.value = 8
    owner.friend = next
    #expect(owner.friend === next && owner.derived == 8)
    // Whether nil comes in between is left open; time does not run backwards.
    #expect(witness.friends == [true] || witness.friends == [false, true])
    for name in ["chain", "path", "computed", "derived"] {
      #expect(witness.values[name] == [8] || witness.values[name] == [-1, 8], "\(name)")
    }
    #expect(witness.isOnOwnThread)
  }

  @Test("D23: The sequences of a dead object complete where it was released at once")
  func d23TheSequencesOfADeadObjectCompleteWhereItWasReleasedAtOnce() {
    let box = Guarded<Friend?>(Friend())
    let log = SharedLog<String>()
    let thread = Guarded<Thread?>(nil)
    let subscription = box.withLock { friend in
      friend!.observe(\.value).subscribe(
        onNext: { log.append("\($0)") },
        onCompleted: {
          log.append("completed")
          thread.withLock { $0 = Thread.current }
        })
    }
    onAnotherThread {
      let (here, other) = (Thread.current, Owner())
      batchUpdates {
        other.name = "b"
        box.withLock { $0 = nil }
        log.append("released")
      }
      #expect(thread.withLock { $0 === here })
    }
    #expect(log.all == ["7", "completed", "released"])
    subscription.dispose()
  }

  /// Order and counts: deaths elsewhere, inside batches there, while the owner is in batches of its
  /// own. Run under both sanitizers.
  @Test("D41: Deaths in batches elsewhere while the owner batches")
  func d41DeathsInBatchesElsewhereWhileTheOwnerBatches() {
    let owner = Owner()
    let witness = Witness(owner)
    let group = DispatchGroup()
    var failures: [String] = []
    func demand(_ isKept: Bool, _ law: String) { if !isKept { failures.append(law) } }
    for round in 1...300 {
      let box = Guarded<Friend?>(Friend())
      box.withLock { owner.friend = $0 }
      ownThread().async(group: group) {
        let other = Owner()
        batchUpdates {
          other.name = "\(round)"
          box.withLock { $0 = nil }
          other.other = round
        }
      }
      batchUpdates {
        owner.name = "\(round)"
        owner.other = round
      }
      demand(witness.names.last == "\(round)" && witness.names.count == round, "batch")
      group.wait()
      demand(owner.friend == nil, "read")
      owner.other = -round
      demand(witness.friends.last == false, "stored")
      demand(owner.derived == -1, "derived read")
      for name in ["chain", "path", "computed", "derived"] {
        demand(witness.values[name]?.last == -1, name)
      }
    }
    #expect(Set(failures).sorted() == [], "\(failures.count) in all")
    #expect(witness.isOnOwnThread)
  }

  // MARK: Many threads

  final class Source: ReactiveObject {
    @Observed var value = 0
    @Derived({ (self: Source) in self.value * 2 }) var double: Int
    @Derived({ (self: Source) in self.double + 1 }) var next: Int
  }

  /// The stamps of threads must be unique, or wide enough: a counter of 23 bits wraps around after
  /// 2²³ threads, which takes an hour here. A few thousand threads show that a thread leaves
  /// nothing behind that affects the next one. That the number of threads is unlimited follows only
  /// from the width of the counters.
  @Test("Thousands of short threads use the library in turn")
  func thousandsOfShortThreadsUseTheLibraryInTurn() {
    let shared = Guarded(Source())
    let log = SharedLog<Int>()
    let subscription = shared.withLock { source in
      source.observe(\.next, options: .new).subscribe(onNext: log.append)
    }
    let failures = Atomic<Int>(0)
    let rounds = ThreadTime.rounds(4_000, brief: 2_000)
    for round in 1...rounds {
      let done = DispatchSemaphore(value: 0)
      let thread = Thread {
        shared.withLock { source in
          source.value = round
          if source.next != 2 * round + 1 { failures.add(1, ordering: .relaxed) }
        }
        let own = Source()
        own.value = round
        if own.next != 2 * round + 1 { failures.add(1, ordering: .relaxed) }
        done.signal()
      }
      thread.start()
      done.wait()
    }
    #expect(failures.load(ordering: .relaxed) == 0)
    #expect(log.all == (1...rounds).map { 2 * $0 + 1 })
    subscription.dispose()
  }
}
