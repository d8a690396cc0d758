import Keyline
import TestSupport
import Testing

/// An object that a weak property refers to dies on another thread, in the middle of a set of another
/// property of the owner: its death is delivered before the store or after the set, and never between
/// the store and the marks of what depends on it.
@Suite struct LateDeathConcurrencyTests {
  final class Part: ReactiveObject {
    @Observed var number = 1
    @Observed var other = 1
    @WeakObserved var friend: Part?
    @Derived({ (part: Part) in part.number * 2 }) var doubled: Int
    var named: Int {
      access("named")
      return number
    }
    var willRead = {}
    var read: Int {
      willRead()
      return number
    }
  }

  /// The last reference to an object, which another thread drops.
  private final class LastReference: @unchecked Sendable {
    // Proof of @unchecked: one thread waits while the other uses it.
    var part: Part? = Part()
  }

  private let part = Part()
  private let last = LastReference()
  private let log = Log<String>()

  private func observeFriend() {
    part.friend = last.part
    #expect(part.doubled == 2)
    _ = part.observe(\.friend, options: .new).subscribe(onNext: { [part, log] friend in
      // Whatever is stored when the death arrives, the derived value is computed from it.
      #expect(part.doubled == part.number * 2)
      log.append(friend == nil ? "nil" : "friend")
    })
    // Derived values without observers are marked like others.
    #expect(part.doubled == part.number * 2)
  }

  private func dropFriend() {
    let last = last
    onAnotherThread { last.part = nil }
  }

  @Test("A rule runs while the object dies") func aRuleRunsWhileTheObjectDies() {
    observeFriend()
    // A rule is evaluated for the current value, too.
    part.validate(\.number) { [self] _, number in
      if number == 4, last.part != nil { dropFriend() }
      return .valid
    }
    part.number = 4
    part.other = 2
    log.expect(["nil"])
  }

  @Test("An in-place mutation is under way while the object dies")
  func anInPlaceMutationIsUnderWayWhileTheObjectDies() {
    func set(_ number: inout Int) {
      dropFriend()
      number = 4
    }
    observeFriend()
    _ = part.observe(\.doubled).subscribe()
    set(&part.number)
    part.other = 2
    log.expect(["nil"])
  }

  @Test("An operation delivers the death", arguments: ["set", "state", "mutation"])
  func anOperationDeliversTheDeath(operation: String) {
    observeFriend()
    _ = part.observe(\.named).subscribe()
    _ = part.observe(\.other).subscribe()
    dropFriend()
    switch operation {
    case "set": part.other = 2
    case "state": part.didChange("named")
    default: part.other += 1
    }
    log.expect(["nil"])
  }

  final class Reading: ReactiveObject {
    @WeakObserved var friend: Part?
    @Observed var number = 1
    var willRead = {}
    @Derived({ (reading: Reading) in
      reading.willRead()
      return reading.number * 2
    }) var doubled: Int
  }

  /// The read of a rule finds the death: the value of the rule is no cycle for its observers.
  @Test("A rule is being evaluated while the object dies", arguments: [false, true])
  func aRuleIsBeingEvaluatedWhileTheObjectDies(isObserved: Bool) {
    Reports.collect()
    let reading = Reading()
    reading.friend = last.part
    _ = reading.observe(\.friend, options: .new).subscribe(onNext: { [log] friend in
      #expect(reading.doubled == reading.number * 2)
      log.append(friend == nil ? "nil" : "friend")
    })
    if isObserved { _ = reading.observe(\.doubled).subscribe() }
    #expect(reading.doubled == 2)
    reading.willRead = { [self] in if last.part != nil { dropFriend() } }
    reading.number = 4
    #expect(reading.doubled == 8)
    log.expect(["nil"])
    #expect(Reports.about("Reading").isEmpty)
  }

  /// A broken chain gets an object that dies after the chain has been evaluated, and before it has been
  /// delivered: for its observers, the chain has been broken all the time.
  @Test("A chain is being evaluated while its new object dies", arguments: [false, true])
  func aChainIsBeingEvaluatedWhileItsNewObjectDies(isBatched: Bool) {
    let owner = Part()
    _ = owner.observeWeakly { $0.friend.read }.subscribe(onNext: { [log] in
      log.append($0.map(String.init) ?? "nil")
    })
    log.expect(["nil"])
    last.part?.willRead = { [self] in if last.part != nil { dropFriend() } }
    if isBatched {
      batchUpdates { owner.friend = last.part }
    } else {
      owner.friend = last.part
    }
    owner.number = 2
    #expect(last.part == nil)
    log.expect((isBatched ? [] : ["1", "nil"]))
    let part = Part()
    owner.friend = part
    owner.friend = nil
    owner.friend = nil
    log.expect(["1", "nil"])
  }
}
