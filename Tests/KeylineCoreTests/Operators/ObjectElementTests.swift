import KeylineCore
import KeylineTest
import TestSupport
import Testing

/// Objects as elements: compared by identity, and not kept alive by the comparison.
@Suite struct ObjectElementTests {
  private final class Person {
    let token: LifetimeTracker.Tracked

    init(_ tracker: LifetimeTracker) { token = tracker.track() }
  }

  private final class Named: Equatable {
    let name: String

    init(_ name: String) { self.name = name }

    static func == (first: Named, second: Named) -> Bool { first.name == second.name }
  }

  private let tracker = LifetimeTracker()

  /// How the output of `operators` for `input` differs from `output`: nil if it does not.
  private func mismatch(
    _ input: String, _ output: String,
    _ operators: @escaping (Observable<String>) -> Observable<String>
  ) throws -> String? {
    let marbles = Marbles<String>()
    let scheduler = TestScheduler(initialClock: 0)
    let source = try scheduler.createHotObservable(input, marbles)
    let result = scheduler.start { operators(source.asObservable()) }
    return try marbles.mismatch(result.events, output)
  }

  @Test(
    "Instances are compared", arguments: [("-aabb-a|", "-a-b--a|"), ("-ab#", "-ab#"), ("-|", "-|")])
  func instancesAreCompared(input: String, output: String) throws {
    let (a, b) = (Person(tracker), Person(tracker))
    #expect(
      try mismatch(input, output) { source in
        source.map { $0 == "a" ? a : b }.distinctUntilChanged().map { $0 === a ? "a" : "b" }
      } == nil)
  }

  @Test(
    "Nil is distinct from every instance",
    arguments: [("-nnaannan|", "-n-a-n-an|"), ("-aa-n-n#", "-a--n--#"), ("-n|", "-n|")])
  func nilIsDistinctFromEveryInstance(input: String, output: String) throws {
    let a = Person(tracker)
    #expect(
      try mismatch(input, output) { source in
        source.map { $0 == "a" ? a : nil }.distinctUntilChanged().map { $0 == nil ? "n" : "a" }
      } == nil)
  }

  @Test("The last instance is not kept alive") func theLastInstanceIsNotKeptAlive() {
    let source = PublishSubject<Person>()
    let optional = PublishSubject<Person?>()
    var count = 0
    _ = source.distinctUntilChanged().subscribe(onNext: { _ in count += 1 })
    _ = optional.distinctUntilChanged().subscribe(onNext: { _ in count += 1 })
    // Each is allocated where the one before was, on any allocator that reuses memory at once.
    for _ in 0..<100 {
      source.onNext(Person(tracker))
      optional.onNext(Person(tracker))
      #expect(tracker.alive == 0)
    }
    #expect(count == 200)
    // The last one has died, and was not nil.
    optional.onNext(nil)
    optional.onNext(nil)
    #expect(count == 201)
  }

  @Test("Equatable classes are compared by their operator")
  func equatableClassesAreComparedByTheirOperator() {
    var names: [String] = []
    let (a, other, b) = (Named("a"), Named("a"), Named("b"))
    _ = Observable.of(a, other, b).distinctUntilChanged().subscribe(onNext: {
      names.append($0.name)
    })
    #expect(names == ["a", "b"])
    let optionals: [Named?] = [nil, a, other, nil, nil]
    var count = 0
    _ = Observable.from(optionals).distinctUntilChanged().subscribe(onNext: { _ in count += 1 })
    #expect(count == 3)
  }

  @Test("Traits compare instances too") func traitsCompareInstancesToo() {
    let a = Person(tracker)
    var count = 0
    _ = Infallible.of(a, a).distinctUntilChanged().subscribe(onNext: { _ in count += 1 })
    SharingScheduler.mock(scheduler: ImmediateScheduler()) {
      let driver: Driver<Person?> = .from([a, a, nil, nil])
      _ = driver.distinctUntilChanged().asObservable().subscribe(onNext: { _ in count += 1 })
    }
    #expect(count == 3)
  }

  /// Until an element of a weak property has been followed by another, this keeps it alive, as every
  /// operator that stores elements does.
  @Test("Previous elements are kept until the next") func previousElementsAreKeptUntilTheNext() {
    let source = PublishSubject<Person>()
    var pairs = 0
    let subscription = source.withPrevious().subscribe(onNext: { pair in
      #expect(pair.previous !== pair.current)
      pairs += 1
    })
    for _ in 0..<3 {
      source.onNext(Person(tracker))
      #expect(tracker.alive == 1)
    }
    #expect(pairs == 2)
    subscription.dispose()
    #expect(tracker.alive == 0)
  }

  /// `x` stands for the pair a, b and `y` for the pair b, c.
  @Test(
    "Previous elements begin with the second",
    arguments: [("-a-bc|", "---xy|"), ("-a|", "--|"), ("-ab#", "--x#")])
  func previousElementsBeginWithTheSecond(input: String, output: String) throws {
    let pairs = ["ab": "x", "bc": "y"]
    #expect(
      try mismatch(input, output) { source in
        source.withPrevious().map { pairs[$0.previous + $0.current] ?? "" }
      } == nil)
    #expect(
      try mismatch(input, output) { source in
        source.map(Optional.some).withPrevious().map {
          pairs[($0.previous ?? "") + ($0.current ?? "")] ?? ""
        }
      } == nil)
  }

  @Test("Traits have previous elements too") func traitsHavePreviousElementsToo() {
    var pairs: [Int] = []
    _ = Infallible.of(1, 2, 4).withPrevious().subscribe(onNext: { previous, current in
      pairs.append(current - previous)
    })
    #expect(pairs == [1, 2])
  }
}
