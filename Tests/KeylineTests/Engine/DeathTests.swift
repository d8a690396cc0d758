import Keyline
import TestSupport
import Testing

/// Deaths that meet sets, batches and other deaths, and the objects that rules retain.
@Suite struct DeathTests {
  /// Runs a closure in its deinit.
  final class Mortal: ReactiveObject {
    @Observed var a = 0
    var inDeinit: () -> Void = {}
    var doubled: Int { a * 2 }

    deinit { inDeinit() }
  }

  final class Holder: ReactiveObject {
    @Observed var a = 0
    @Observed var next: Mortal?
    @WeakObserved var weak: Mortal?
    @Derived({ (self: Holder) in self.weak == nil ? "nobody" : "somebody" }) var who: String
    @Derived({ (self: Holder) in self.a + (self.next?.a ?? 0) }) var sum: Int
  }

  enum Moment: CaseIterable { case inDeinit, whenCompleted }

  @Test(
    "A weak property is set to nil in a batch while its object dies", arguments: Moment.allCases)
  func nilInABatch(moment: Moment) {
    let holder = Holder()
    var mortal: Mortal? = Mortal()
    holder.weak = mortal
    let set = { batchUpdates { holder.weak = nil } }
    switch moment {
    case .inDeinit: mortal?.inDeinit = set
    case .whenCompleted: _ = mortal?.observe(\.a).subscribe(onCompleted: set)
    }
    let (isNil, who) = (Log<Bool>(), Log<String>())
    isNil.follow(holder.observe(\.weak).map { $0 == nil })
    who.follow(holder.observe(\.who))
    mortal = nil
    isNil.expect([false, true])
    who.expect(["somebody", "nobody"])
    #expect(holder.who == "nobody")
  }

  @Test("An unread derived value follows a nil that was set in a batch while the object died")
  func unobservedValue() {
    let holder = Holder()
    var mortal: Mortal? = Mortal()
    mortal?.inDeinit = { batchUpdates { holder.weak = nil } }
    holder.weak = mortal
    #expect(holder.who == "somebody")
    mortal = nil
    #expect(holder.who == "nobody")
  }

  @Test("A weak property that was nil before stays without an emission in a batch")
  func nilThatStays() {
    let holder = Holder()
    let log = Log<Bool>()
    log.follow(holder.observe(\.weak).map { $0 == nil })
    batchUpdates { holder.weak = nil }
    withExtendedLifetime(Mortal()) { mortal in
      holder.weak = mortal
      holder.weak = nil
      batchUpdates { holder.weak = nil }
    }
    var mortal: Mortal? = Mortal()
    holder.weak = mortal
    mortal = nil
    batchUpdates { holder.weak = nil }
    log.expect([true, false, true, false, true])
  }

  @Test("D11: A read is fresh in an observer of another death")
  func readsDuringAnotherDeath() {
    let holder = Holder()
    var (first, second): (Mortal?, Mortal?) = (Mortal(), Mortal())
    holder.weak = second
    #expect(holder.who == "somebody")
    var read = ""
    _ = first?.observe(\.a).subscribe(onCompleted: {
      second = nil
      read = holder.who
    })
    first = nil
    #expect(read == "nobody")
  }

  @Test("D5: A value that is restored while it is delivered is not delivered again")
  func restoredDuringItsDelivery() {
    let (holder, mortal) = (Holder(), Mortal())
    holder.next = mortal
    var first: [Int] = []
    let second = Log<Int>()
    holder.observe(\.sum) { value in
      first.append(value)
      guard value == 24, mortal.a == 0 else { return }
      mortal.a = 5
      _ = holder.sum
      mortal.a = 0
      _ = holder.sum
    }
    second.follow(holder.observe(\.sum))
    holder.a = 24
    #expect(first == [0, 24])
    second.expect([0, 24])
    holder.a = 25
    #expect(first == [0, 24, 25])
    second.expect([25])
  }

  // MARK: Objects that rules retain

  /// A derived value with a rule of its own, which retains an object.
  final class Retaining: ReactiveObject {
    @Derived({ (_: Retaining) in 0 }) var value: Int

    init(_ mortal: Mortal) {
      super.init()
      _value = Derived({ (_: Retaining) in mortal.a })
    }
  }

  @Test(
    "The rule of a derived value releases the object that it has read", arguments: [false, true])
  func derivedRule(isObserved: Bool) {
    weak var mortal: Mortal?
    do {
      let made = Mortal()
      mortal = made
      let retaining = Retaining(made)
      if isObserved { retaining.observe(\.value) { _ in } }
      #expect(retaining.value == 0)
    }
    #expect(mortal == nil)
  }

  @Test("A rule of a property releases the object that it has read", arguments: [false, true])
  func validationRule(isOwnerAlive: Bool) {
    weak var mortal: Mortal?
    var owner: Mortal? = Mortal()
    do {
      let made = Mortal()
      mortal = made
      let validation = owner?.validate(\.a) { _, value in
        value > made.a + 10 ? .coerced(10) : .valid
      }
      owner?.a = 20
      #expect(owner?.a == 10)
      if isOwnerAlive { validation?.dispose() } else { owner = nil }
    }
    // Nodes that have ended are released when others are added.
    for _ in 0..<20 { owner?.observe(\.a) { _ in }.dispose() }
    for _ in 0..<20 { owner?.observe(\.doubled) { _ in }.dispose() }
    #expect(mortal == nil)
    withExtendedLifetime(owner) {}
  }

  @Test("A tracked expression releases the object that it retains")
  func trackedExpression() {
    weak var mortal: Mortal?
    let owner = Holder()
    do {
      let made = Mortal()
      mortal = made
      let tracked = Observable.tracking { made.a + owner.a }.subscribe()
      owner.a = 1
      tracked.dispose()
    }
    #expect(mortal == nil)
  }
}
