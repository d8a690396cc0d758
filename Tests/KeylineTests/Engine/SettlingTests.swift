import Keyline
import TestSupport
import Testing

/// Computed values are evaluated on stored states only, once per outermost set.
@Suite struct SettlingTests {
  final class Table: ReactiveObject {
    @Observed var items = ["a", "b", "c"]
    @Observed var index = 2
    /// The states in which the getter was evaluated.
    var states: [String] = []
    var current: String {
      states.append("\(items.count)/\(index)")
      return items[index]
    }
  }

  final class Pair: ReactiveObject {
    @Observed var a = 1
    @Observed var b = 1
    @Observed var list = [1, 2, 3, 4]
    @Observed var removed = 0
    var sum: Int { a + b }
    var size: Int { list.count + removed }
    var total: Int { list.reduce(0, +) + removed }
  }

  @Test(
    "A getter over two properties is evaluated on stored states only", arguments: [false, true])
  func aGetterOverTwoPropertiesIsEvaluatedOnStoredStatesOnly(isComputedFirst: Bool) {
    let table = Table()
    let log = Log<String>()
    if isComputedFirst { log.follow(table.observe(\.current)) }
    _ = table.observe(\.items, options: .new).subscribe(onNext: { [unowned table] items in
      guard items.count < 3 else { return }
      table.items = ["x", "y", "z", "w"]
      table.index = 3
    })
    if !isComputedFirst { log.follow(table.observe(\.current)) }
    table.items = ["s"]
    log.expect(["c", "w"])
    #expect(table.states == ["3/2", "4/3"])
    table.items = ["t"]
    log.expect(["w"])
    #expect(table.states == ["3/2", "4/3", "4/3"])
  }

  @Test(
    "Sets by an observer of the set property are never seen half done", arguments: [false, true])
  func setsByAnObserverOfTheSetPropertyAreNeverSeenHalfDone(isComputedFirst: Bool) {
    let pair = Pair()
    let (sums, tuples) = (Log<Int>(), Log<[Int]>())
    let follow = {
      sums.follow(pair.observe(\.sum, options: .new))
      tuples.follow(pair.observe(\.a, \.b, options: .new).map { [$0, $1] })
    }
    if isComputedFirst { follow() }
    _ = pair.observe(\.a, options: .new).filter { $0 == 2 }.subscribe(onNext: { [unowned pair] _ in
      pair.a = 3
      pair.b = 10
    })
    if !isComputedFirst { follow() }
    pair.a = 2
    sums.expect([13])
    tuples.expect([[3, 10]])
  }

  @Test(
    "A property bound to one of the same object is one emission per set",
    arguments: [BindingMode.oneWay, .twoWay], [false, true])
  func aPropertyBoundToOneOfTheSameObjectIsOneEmissionPerSet(
    mode: BindingMode, isComputedFirst: Bool
  ) {
    let pair = Pair()
    let log = Log<Int>()
    if isComputedFirst { log.follow(pair.observe(\.sum, options: .new)) }
    pair.bind(\.a, to: pair, \.b, mode: mode)
    if !isComputedFirst { log.follow(pair.observe(\.sum, options: .new)) }
    _ = log.take()
    pair.a = 5
    log.expect([10])
    pair.a += 1
    log.expect([12])
    pair.b = 1
    log.expect((mode == .twoWay ? [2] : [7]))
  }

  @Test("A simple binding within an object is one emission per set")
  func aSimpleBindingWithinAnObjectIsOneEmissionPerSet() {
    let pair = Pair()
    let log = Log<Int>()
    log.follow(pair.observe(\.sum, options: .new))
    pair.bind(\.a, to: pair, \.b)
    _ = log.take()
    pair.a = 5
    pair.a = 5
    log.expect([10, 10])
  }

  @Test("Two properties are swapped in place") func twoPropertiesAreSwappedInPlace() {
    let pair = Pair()
    let log = Log<[Int]>()
    pair.b = 7
    log.follow(pair.observe(\.sum).map { [unowned pair] in [$0, pair.a, pair.b] })
    log.follow(pair.observe(\.a, \.b).map { [$0, $1] })
    log.expect([[8, 1, 7], [1, 7]])
    swap(&pair.a, &pair.b)
    log.expect([[8, 7, 1], [7, 1]])
  }

  @Test("A property is set while another is mutated in place")
  func aPropertyIsSetWhileAnotherIsMutatedInPlace() {
    let pair = Pair()
    let (sizes, totals) = (Log<Int>(), Log<Int>())
    sizes.follow(pair.observe(\.size))
    totals.follow(pair.observe(\.total, options: .new))
    pair.list.removeAll { element in
      guard element.isMultiple(of: 2) else { return false }
      pair.removed += 1
      return true
    }
    #expect(pair.list == [1, 3] && pair.removed == 2)
    sizes.expect([4, 4])
    totals.expect([6])
  }

  final class Mortal: ReactiveObject {
    @Observed var count = 1
    var doubled: Int { count * 2 }
    let setInDeinit: Bool

    init(setInDeinit: Bool) { self.setInDeinit = setInDeinit }

    deinit {
      guard setInDeinit else { return }
      count = 9
      count += 1
    }
  }

  @Test("A set in deinit reaches stored and computed observers alike", arguments: [false, true])
  func aSetInDeinitReachesStoredAndComputedObserversAlike(setInDeinit: Bool) {
    let (stored, computed, both) = (Log<Int>(), Log<Int>(), Log<[Int]>())
    do {
      let mortal = Mortal(setInDeinit: setInDeinit)
      stored.follow(mortal.observe(\.count))
      computed.follow(mortal.observe(\.doubled))
      both.follow(mortal.observe(\.count, \.doubled).map { [$0, $1] })
    }
    stored.expect((setInDeinit ? [1, 9, 10] : [1]))
    computed.expect((setInDeinit ? [2, 18, 20] : [2]))
    both.expect((setInDeinit ? [[1, 2], [9, 18], [10, 20]] : [[1, 2]]))
    #expect(stored.isCompleted && computed.isCompleted && both.isCompleted)
  }

  /// An observer that subscribes inside a delivery receives the current value; an observer that is
  /// disposed there receives nothing.
  @Test("Observers subscribe and dispose computed paths inside a delivery")
  func observersSubscribeAndDisposeComputedPathsInsideADelivery() {
    let pair = Pair()
    let (early, disposed, late, last) = (Log<Int>(), Log<Int>(), Log<Int>(), Log<Int>())
    early.follow(pair.observe(\.sum, options: .new))
    let doomed = disposed.follow(pair.observe(\.sum, options: .new))
    let nested = SerialDisposable()
    _ = pair.observe(\.a, options: .new).subscribe(onNext: { [unowned pair] _ in
      doomed.dispose()
      pair.b += 1
      nested.disposable = late.follow(pair.observe(\.sum))
      pair.b += 1
    })
    _ = pair.observe(\.sum, options: .new).subscribe(onNext: { [unowned pair] sum in
      if sum > 100 { last.follow(pair.observe(\.size)).dispose() }
    })
    pair.a = 2
    early.expect([5])
    disposed.expect([])
    #expect(disposed.isDisposed)
    late.expect([4, 5])
    pair.a = 200
    early.expect([205])
    // Replaced in the middle of that delivery.
    late.expect([204, 205])
    last.expect([4])
    pair.b = 0
    early.expect([200])
    late.expect([200])
  }

  @Test("A computed observer disposes the next one of the same scope")
  func aComputedObserverDisposesTheNextOneOfTheSameScope() {
    let pair = Pair()
    let next = SerialDisposable()
    let log = Log<Int>()
    _ = pair.observe(\.sum, options: .new).subscribe(onNext: { _ in next.dispose() })
    next.disposable = log.follow(pair.observe(\.sum, options: .new))
    pair.a = 2
    log.expect([])
    #expect(log.isDisposed)
  }

  private final class Employee: ReactiveObject {
    @Observed var name: String
    @WeakObserved var manager: Employee?
    init(_ name: String) { self.name = name }
  }

  private final class Badge: ReactiveObject {
    @Observed var manager = ""
    @Observed var director = ""
    @Derived({ (self: Badge) in "\(self.manager) under \(self.director)" }) var text: String
    var computed: String { "\(manager) under \(director)" }
  }

  /// P4, D7: the death of an object that several paths lead through is one scope.
  @Test("A death is one scope") func aDeathIsOneScope() {
    let (top, employee, badge) = (Employee("Ada"), Employee("Alan"), Badge())
    var middle: Employee? = Employee("Grace")
    middle?.manager = top
    employee.manager = middle
    employee.bind({ $0.manager.name }, to: badge, \.manager, whenBroken: .value("—"))
    employee.bind({ $0.manager.manager.name }, to: badge, \.director, whenBroken: .value("—"))
    let (texts, computed) = (Log<String>(), Log<String>())
    texts.follow(badge.observe(\.text))
    computed.follow(badge.observe(\.computed))
    middle = nil
    texts.expect(["Grace under Ada", "— under —"])
    computed.expect(["Grace under Ada", "— under —"])
  }
}
