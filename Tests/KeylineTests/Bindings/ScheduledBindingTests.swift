import Keyline
import KeylineTest
import TestSupport
import Testing

/// Bindings with `on:`, and chains that lead back to their source.
@Suite struct ScheduledBindingTests {
  final class Form: ReactiveObject { @Observed var celsius = "" }

  let form = Form()

  final class Leaf: ReactiveObject {
    @Observed var text: String
    init(_ text: String) { self.text = text }
  }

  final class Root: ReactiveObject { @Observed var hop: Leaf? = Leaf("a") }

  enum Edit: CaseIterable { case none, form, firstLeaf, lastLeaf }

  /// The edit is made after the replacements, before anything is delivered.
  @Test(
    "A scheduled binding over a replaced object agrees at the end", arguments: Edit.allCases,
    [false, true])
  func aScheduledBindingOverAReplacedObjectAgreesAtTheEnd(edit: Edit, isBefore: Bool) {
    let scheduler = TestScheduler(initialClock: 0)
    let root = Root()
    root.bind({ $0.hop.text }, to: form, \.celsius, mode: .twoWay, on: .scheduler(scheduler))
    scheduler.start()
    #expect(form.celsius == "a")
    if isBefore, edit == .form { form.celsius = "user" }
    let first = Leaf("b")
    root.hop = first
    root.hop = Leaf("c")
    switch edit {
    case .none: break
    case .form: if !isBefore { form.celsius = "user" }
    case .firstLeaf: first.text = "left behind"
    case .lastLeaf: root.hop?.text = "d"
    }
    scheduler.start()
    #expect(form.celsius == root.hop?.text)
    #expect(form.celsius != "b" && form.celsius != "left behind")
    form.celsius = "later"
    scheduler.start()
    #expect(root.hop?.text == "later")
    root.hop?.text = "last"
    scheduler.start()
    #expect(form.celsius == "last")
  }

  /// B3: the end that was set last keeps its value, also where the other's is on its way to the scheduler.
  @Test("Of two ends set before a scheduled delivery the later one wins", arguments: [false, true])
  func ofTwoEndsSetBeforeAScheduledDeliveryTheLaterOneWins(isSourceLast: Bool) {
    let scheduler = TestScheduler(initialClock: 0)
    let (one, other) = (Echo(), Echo())
    one.bind(\.number, to: other, \.number, mode: .twoWay, on: .scheduler(scheduler))
    scheduler.start()
    if isSourceLast {
      other.number = 2
      one.number = 1
    } else {
      one.number = 1
      other.number = 2
    }
    scheduler.start()
    let last = isSourceLast ? 1 : 2
    #expect((one.number, other.number) == (last, last))
    // Several, alternating.
    for number in 3...8 {
      if number.isMultiple(of: 2) { one.number = number } else { other.number = number }
    }
    scheduler.start()
    #expect((one.number, other.number) == (8, 8))
    // D38: in a batch, the source wins.
    batchUpdates {
      one.number = 9
      other.number = 10
    }
    scheduler.start()
    #expect((one.number, other.number) == (9, 9))
  }

  /// Bindings on a scheduler that lead back to where a set began: an end that is equal is left alone.
  @Test("A ring of scheduled bindings comes to rest", arguments: [2, 3, 5])
  func aRingOfScheduledBindingsComesToRest(length: Int) {
    let scheduler = TestScheduler(initialClock: 0)
    let ring = (0..<length).map { _ in Echo() }
    for (index, one) in ring.enumerated() {
      one.bind(
        \.number, to: ring[(index + 1) % length], \.number, mode: .twoWay,
        on: .scheduler(scheduler))
    }
    scheduler.start()
    ring[0].number = 5
    scheduler.start()
    #expect(ring.map(\.number) == Array(repeating: 5, count: length))
    ring[length - 1].number = 6
    scheduler.start()
    #expect(ring.map(\.number) == Array(repeating: 6, count: length))
  }

  final class Worker: ReactiveObject {
    @Observed var age = 0
    @Observed var manager: Worker?
  }

  /// B3: both ends are one property.
  @Test("A chain that leads back to the source agrees at once")
  func aChainThatLeadsBackToTheSourceAgreesAtOnce() {
    Reports.collect()
    let boss = Worker()
    boss.manager = boss
    boss.bind(\.age, to: boss, { $0.manager.age }, mode: .twoWay)
    let ages = Log<Int>()
    ages.follow(boss.observe(\.age, options: .new))
    boss.age = 7
    #expect(ages.take().last == 7 && boss.age == 7)
    boss.manager = nil
    boss.age = 8
    boss.manager = boss
    #expect(boss.age == 8)
    #expect(Reports.of(.bindingRounds).allSatisfy { !$0.message.contains("Worker") })
  }

  final class Echo: ReactiveObject {
    @Observed var number = 0
    @Observed var other = 0
  }

  @MainActor @Test("A binding on main delivers at once on the main thread")
  func aBindingOnMainDeliversAtOnceOnTheMainThread() {
    let (one, other) = (Echo(), Echo())
    one.bind(\.number, to: other, \.number, mode: .twoWay, on: .main)
    one.number = 1
    #expect(other.number == 1)
    other.number = 2
    #expect(one.number == 2)
    // Others of the process, and one inside the delivery of another.
    let (third, fourth) = (Echo(), Echo())
    third.bind(\.number, to: fourth, \.number, on: .main)
    fourth.bind(\.number, to: third, \.other, mode: .oneWay, on: .main)
    third.number = 3
    #expect(fourth.number == 3 && third.other == 3)
    var seen = -1
    _ = one.observe(\.number, options: .new).subscribe(onNext: {
      third.number = $0
      seen = fourth.number
    })
    other.number = 5
    #expect(seen == 5 && one.number == 5)
    _ = MainScheduler.instance.schedule(()) {
      one.number = 6
      return Disposables.create()
    }
    #expect(other.number == one.number)
  }

  @MainActor @Test("A binding on main delivers at once inside an action of the MainScheduler")
  func aBindingOnMainDeliversAtOnceInsideAnActionOfTheMainScheduler() {
    let (one, other) = (Echo(), Echo())
    one.bind(\.number, to: other, \.number, mode: .twoWay, on: .main)
    var seen = -1
    let subject = PublishSubject<Int>()
    _ = subject.observe(on: MainScheduler.instance).subscribe(onNext: {
      one.number = $0
      seen = other.number
    })
    // An action of the main scheduler that waits for the next turn.
    _ = MainScheduler.asyncInstance.schedule(()) { Disposables.create() }
    one.number = 3
    #expect(other.number == 3)
    subject.onNext(4)
    #expect(seen == 4 || one.number == 3)
    #expect(one.number == other.number)
  }
}
