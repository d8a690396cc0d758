import Keyline
import KeylineDiagnostics
import KeylineTest
import Testing

/// What is alive, where it was made, and what keeps it alive.
@Suite struct SurvivorTests {
  private final class Item: ReactiveObject {
    @Observed var text = ""
    @Observed var next: Item?
    var items: [Item] = []
  }

  /// Each by the call that has made it, whatever the library makes inside.
  @Test func whatStandsAloneHasAPlace() {
    whileRecording {
      let line: UInt = #line + 7
      func places(_ kind: ResourceKind) -> [String: Int] {
        (Resources.places[kind] ?? [:]).filter { place, _ in
          (line...line + 25).contains { place.hasSuffix("(SurvivorTests.swift:\($0))") }
        }
      }
      var made: [Any] = [
        PublishSubject<Int>(),
        BehaviorSubject(value: 1),
        ReplaySubject<Int>.create(bufferSize: 1),
        AsyncSubject<Int>(),
        PublishRelay<Int>(),
        BehaviorRelay(value: 1),
        ReplayRelay<Int>.create(bufferSize: 1),
      ]
      let subjects = [
        "PublishSubject", "BehaviorSubject", "ReplaySubject", "AsyncSubject", "PublishRelay",
        "BehaviorRelay", "ReplayRelay",
      ]
      var expected: [String: Int] = [:]
      for (index, name) in subjects.enumerated() {
        expected["\(name) (SurvivorTests.swift:\(line + UInt(index)))"] = 1
      }
      #expect(places(.subject) == expected)
      made = [DisposeBag(), DisposeBag(disposing: Disposables.create()), DisposeBag {}]
      let end: UInt = #line - 1
      #expect(places(.subject) == [:])
      #expect(places(.disposable) == ["DisposeBag (SurvivorTests.swift:\(end))": 3])
      // As function values, and inside the library, without a place.
      let subject: () -> PublishSubject<Int> = PublishSubject.init
      let relay: (Int) -> BehaviorRelay<Int> = BehaviorRelay.init
      made = (0..<2).map(BehaviorRelay.init) + [subject(), relay(1)]
      made += [1, 2].map(ReplaySubject<Int>.create(bufferSize:)).map { $0 as Any }
      made += [Observable.just(1).share(replay: 1)]
      #expect(places(.disposable) == [:])
      #expect(places(.subject) == [:])
      withExtendedLifetime(made) {}
    }
  }

  @Test func resourcesKnowTheCallsThatHaveMadeThem() {
    whileRecording {
      let item = Item()
      let bag = DisposeBag()
      func count(_ path: String) -> Int? { Resources.places[.subscription]?[path] }
      let line: UInt = #line + 2
      for _ in 0..<3 {
        item.observe(\.text).map { $0 }.subscribe(onNext: { _ in }).disposed(by: bag)
      }
      let subscription = item.observe(\.text).subscribe(onNext: { _ in })
      #expect(count("observe → map → subscribe (SurvivorTests.swift:\(line))") == 3)
      #expect(count("observe → subscribe (SurvivorTests.swift:\(line + 2))") == 1)
      subscription.dispose()
      #expect(count("observe → subscribe (SurvivorTests.swift:\(line + 2))") == nil)
      withExtendedLifetime(bag) {}
    }
  }

  @Test func aTrackerTellsWhatHoldsAnObject() {
    whileRecording {
      let tracker = LifetimeTracker()
      let root = Item()
      let bag = DisposeBag()
      do {
        let (first, second, third, fourth) = (Item(), Item(), Item(), Item())
        for item in [first, second, third, fourth] { tracker.track(item) }
        root.next = first
        root.items = [second]
        root.observe(\.text).subscribe(onNext: { third.text = $0 }).disposed(by: bag)
      }
      #expect(tracker.alive == 3)
      let survivors = tracker.survivors(reachableFrom: root)
      #expect(
        survivors.replacing(/SurvivorTests\.swift:\d+/, with: "here") == """
          Item#2 is held by Item#1.next
          Item#3 is held by Item#1.items
          Item#4 is held by no property that is known: by a closure or a variable

          Item#1
            text = "" → 1
            next = Item#2
            items = [Item#3]
          Item#2
            text = ""
            next = nil
          Item#3
            text = ""
            next = nil
          Item#4
            text = ""
            next = nil
          1  Item#1.text → observe → subscribe  (here)

          """)
      root.next = nil
      root.items = []
      #expect(tracker.alive == 1)
    }
  }

  @Test func nothingIsSaidOfTheDead() {
    let tracker = LifetimeTracker()
    do { tracker.track(Item()) }
    #expect(tracker.alive == 0)
    #expect(tracker.survivors() == "")
  }
}
