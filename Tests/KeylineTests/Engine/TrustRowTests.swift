import KeylineTest
import Observation
import Synchronization
import TestSupport
import Testing

@testable import Keyline

/// Programs that went wrong where two states of the engine disagreed.
@Suite struct TrustRowTests {
  private final class Point: ReactiveObject {
    @Observed var x = 0
    @Observed var y = 0
    @Derived({ (self: Point) in self.x + self.y }) var sum: Int
  }

  // MARK: Lists of observers

  @Test("C7: An observer that joins before others during a delivery displaces none of them")
  func anObserverThatJoinsInFrontDisplacesNone() {
    let point = Point()
    let received = Log<Int>()
    var subscriptions: [any Disposable] = []
    for number in 1...5 {
      subscriptions.append(
        point.observe(\.x, options: .new).subscribe(onNext: { _ in
          received.append(number)
          if number == 3 { _ = point.observeChangeSets().subscribe() }
        }))
    }
    subscriptions[0].dispose()
    subscriptions[1].dispose()
    point.x = 1
    #expect(received.take() == [3, 4, 5])
    point.x = 2
    #expect(received.take() == [3, 4, 5])
  }

  @Test("C7: Observers leave one after the other during a delivery", arguments: [false, true])
  func observersLeaveDuringADelivery(isReversed: Bool) {
    let point = Point()
    let received = Log<Int>()
    var subscriptions: [any Disposable] = []
    for number in 0..<1_000 {
      subscriptions.append(
        point.observe(\.x, options: .new).subscribe(onNext: { _ in
          received.append(number)
          guard number == 1 else { return }
          let leaving = subscriptions[1..<999]
          if isReversed { leaving.reversed().forEach { $0.dispose() } }
          leaving.forEach { $0.dispose() }
        }))
    }
    point.x = 1
    #expect(received.take() == [0, 1, 999])
    point.x = 2
    #expect(received.take() == [0, 999])
  }

  // MARK: What a rule's subscription reads

  @Test("D10: A subscription of a rule records nothing, whatever its options")
  func aSubscriptionOfARuleRecordsNothing() {
    final class Watcher: ReactiveObject {
      let point = Point()
      var runs = 0
      @Derived({ (self: Watcher) in
        self.runs += 1
        for options in [.initial, [.initial, .new], .new] as [KeyValueObservingOptions] {
          _ = self.point.observe(\.x, options: options).take(1).subscribe(onNext: { _ in
            _ = self.point.y
          })
        }
        return 0
      }) var value: Int
    }
    let watcher = Watcher()
    #expect(watcher.value == 0 && watcher.runs == 1)
    watcher.point.x = 1
    watcher.point.y = 1
    #expect(watcher.value == 0 && watcher.runs == 1)
  }

  @Test("D15: A rule that observes a value derived from its own is reported, and recovers")
  func aRuleThatObservesAValueDerivedFromItsOwn() {
    final class Narcissus: ReactiveObject {
      @Observed var seed = 1
      let seen = Log<Int>()
      @Derived(
        or: -1,
        { (self: Narcissus) in
          _ = self.observe(\.image).take(1).subscribe(onNext: self.seen.append)
          return self.seed
        }) var face: Int
      @Derived({ (self: Narcissus) in self.face * 2 }) var image: Int
    }
    Reports.collect()
    let narcissus = Narcissus()
    #expect(narcissus.face == 1 && narcissus.seen.take() == [-2])
    #expect(Reports.about("Narcissus").map(\.category) == [.derivedCycle])
    narcissus.seed = 2
    #expect(narcissus.image == 4)
  }

  private final class Note: ReactiveObject, Observation.Observable {
    typealias Observed = ObservationBridged
    @Observed var title = "a"
    @Observed var body = "b"
    @Derived({ (self: Note) in
      let title = self.title
      return untracked { title + self.body }
    }) var text: String
  }

  @Test("D10: Observation does not register what a rule reads untracked")
  func observationDoesNotRegisterUntrackedReads() {
    let note = Note()
    let changes = Mutex(0)
    func track() {
      withObservationTracking {
        _ = note.text
      } onChange: {
        changes.withLock { $0 += 1 }
      }
    }
    track()
    note.body = "c"
    #expect(changes.withLock { $0 } == 0)
    note.title = "d"
    #expect(changes.withLock { $0 } == 1)
    track()
    note.title = "e"
    #expect(changes.withLock { $0 } == 2)
  }

  // MARK: What stays in memory

  @Test("D14: A derived collection of an Observation.Observable owner keeps no former value")
  func aDerivedCollectionKeepsNoFormerValue() {
    final class Shelf: ReactiveObject, Observation.Observable {
      @Observed var seed = 1
      @Derived({ (self: Shelf) in [Point()] + (0..<self.seed).map { _ in Point() } })
      var points: [Point]
    }
    let shelf = Shelf()
    weak let first = shelf.points.first
    #expect(first != nil)
    shelf.seed = 2
    weak let second = shelf.points.first
    #expect(first == nil && second != nil)
    for _ in 0..<3 { shelf.observe(\.points).subscribe().dispose() }
    shelf.seed = 3
    _ = shelf.points
    #expect(second == nil)
  }

  @Test("P5: The rule of a validation is released when the validation is disposed")
  func theRuleOfAValidationIsReleased() {
    final class Token {}
    let point = Point()
    weak var released: Token?
    weak var kept: Token?
    do {
      let (token, other) = (Token(), Token())
      (released, kept) = (token, other)
      let validation = point.validate(\.x) { _, _ in
        withExtendedLifetime(token) { .valid }
      }
      point.validate(\.x) { _, _ in withExtendedLifetime(other) { .valid } }
      validation.dispose()
    }
    #expect(released == nil && kept != nil)
  }

  @Test("P5: A path is released when its last observer leaves, in a delivery and in a batch")
  func aPathIsReleased() {
    final class Token {}
    let point = Point()
    weak var token: Token?
    func subscribe() -> any Disposable {
      let made = Token()
      token = made
      return point.observe(\.x, \.y).map { ($0, made) }.subscribe()
    }
    subscribe().dispose()
    #expect(token == nil)
    let inBatch = subscribe()
    batchUpdates {
      point.x = 1
      inBatch.dispose()
    }
    #expect(token == nil)
    let inDelivery = subscribe()
    let other = point.observe(\.x, options: .new).subscribe(onNext: { _ in inDelivery.dispose() })
    point.x = 2
    #expect(token == nil)
    other.dispose()
  }

  // MARK: Announcements, order, registries

  @Test("P3: An announcement inside a delivery has the value that is stored")
  func anAnnouncementHasTheStoredValue() {
    final class Named: ReactiveObject {
      @Observed var n = 0
      var text: String { "\(n)" }
    }
    let named = Named()
    let (own, computed) = (Log<Int?>(), Log<String?>())
    _ = named.observe(\.n, options: .new).subscribe(onNext: { if $0 == 1 { named.n = 2 } })
    for change in [own] {
      _ = named.observeChanges(\.n, options: [.old, .new, .prior])
        .subscribe(onNext: { if $0.isPrior { change.append($0.old) } })
    }
    _ = named.observeChanges(\.text, options: [.old, .prior])
      .subscribe(onNext: { if $0.isPrior { computed.append($0.old) } })
    named.n = 1
    #expect(own.take() == [0, 1] && computed.take() == ["0", "1"])
  }

  @Test("P4: Observers through a subclass's key path come after those of the stored property")
  func observersThroughASubclassComeLater() {
    class Base: ReactiveObject { @Observed var value = 0 }
    final class Sub: Base { @Observed var other = 0 }
    let sub = Sub()
    let order = Log<String>()
    _ = sub.observe(\Sub.value, options: .new).subscribe(onNext: { _ in order.append("subclass") })
    _ = (sub as Base).observe(\Base.value, options: .new)
      .subscribe(onNext: { _ in order.append("declaring class") })
    sub.value = 1
    #expect(order.take() == ["declaring class", "subclass"])
  }

  private final class Borrower: PropertyObservable {
    let properties: PropertyRegistry
    @Observed var value = 1
    init(_ lender: some PropertyObservable) { properties = lender.properties }
  }

  @Test("P8: An object with another object's registry emits its value with `.initial` only")
  func anObjectWithAForeignRegistry() {
    Reports.collect()
    let point = Point()
    point.x = 1
    _ = point.observe(\.x).subscribe()
    let borrower = Borrower(point)
    let (all, later, changes) = (Log<Int>(), Log<Int>(), Log<PropertyChange<Int>>())
    all.follow(borrower.observe(\.value))
    later.follow(borrower.observe(\.value, options: .new))
    changes.follow(borrower.observeChanges(\.value))
    #expect(all.take() == [1] && later.take() == [] && changes.take() == [])
    #expect(all.isCompleted && later.isCompleted && changes.isCompleted)
    #expect(Reports.about("Borrower").map(\.category) == [.misuse])
  }

  // MARK: Computed hops

  private final class Item: ReactiveObject {
    @Observed var name: String
    init(_ number: Int) { name = "\(number)" }
  }

  private final class Store: ReactiveObject {
    @Observed var raw = 1
    var calls = 0
    var current: Item {
      calls += 1
      return Item(raw)
    }
    var text: String {
      calls += 1
      return "\(raw)"
    }
    @Derived({ (self: Store) in Item(self.raw) }) var item: Item
  }

  @Test("D13: A chain has the value of an object that nobody else retains")
  func aChainOverAnObjectThatNobodyRetains() {
    final class Row: ReactiveObject { @Observed var text = "" }
    let store = Store()
    let (hop, derived) = (Log<String?>(), Log<String?>())
    hop.follow(store.observeWeakly { $0.current.name })
    derived.follow(store.observeWeakly { $0.item.name })
    let (row, other) = (Row(), Row())
    store.bind({ $0.current.name }, to: row, \.text, whenBroken: .value("-"))
    store.bind({ $0.item.name }, to: other, \.text, whenBroken: .value("-"))
    #expect(hop.take() == ["1"] && derived.take() == ["1"])
    #expect(row.text == "1" && other.text == "1")
    store.raw = 2
    batchUpdates {
      store.raw = 3
      store.raw = 4
    }
    #expect(hop.take() == ["2", "4"] && derived.take() == ["2", "4"])
    #expect(row.text == "4" && other.text == "4")
  }

  @Test("D7: A chain calls the getter of a computed hop, and of a computed leaf, once")
  func aChainCallsAGetterOnce() {
    let store = Store()
    let bag = DisposeBag()
    for follow in [
      { store.observeWeakly { $0.current.name }.map { $0 ?? "" } },
      { store.observeWeakly { $0.text }.map { $0 ?? "" } },
      { store.observe(\.current.name).asObservable() },
    ] as [() -> Observable<String>] {
      store.calls = 0
      follow().subscribe().disposed(by: bag)
      #expect(store.calls == 1)
    }
    store.calls = 0
    store.raw = 5
    #expect(store.calls == 3)
  }

  // MARK: Words of 32 bits

  @Test("D19: Numbers of evaluations and transactions have 64 bits on every platform")
  func numbersHave64Bits() {
    let transaction = Transaction.current
    #expect(type(of: transaction.lastEvaluation) == UInt64.self)
    #expect(type(of: transaction.settling) == UInt64.self)
    let node = Node(owner: RegisteredObject(transaction))
    #expect(type(of: node.stamp) == UInt64.self)
    let numbers = SharedLog<UInt64>()
    for _ in 0..<3 {
      onAnotherThread { numbers.append(Transaction.current.settling >> 32) }
    }
    #expect(numbers.all.count == 3 && !numbers.all.contains(0))
  }
}
