import Keyline
import KeylineDiagnostics
import KeylineTest
import TestSupport
import Testing

/// The live objects: where each was made, and which references keep it alive.
@Suite struct SurvivorTests {
  private final class Item: ReactiveObject {
    @Observed var text = ""
    @Observed var next: Item?
    @WeakObserved var neighbour: Item?
    var items: [Item] = []
  }

  /// In a process of its own, because the lists are the process's: subjects, relays and bags are listed
  /// by type, however they are made, also the subject that `share` makes.
  @Test("Subjects and bags are listed by type") func subjectsAndBagsAreListedByType() async {
    await #expect(processExitsWith: .success) {
      Diagnostics.isRecording = true
      var made: [Any] = [
        PublishSubject<Int>(), BehaviorSubject(value: 1), ReplaySubject<Int>.create(bufferSize: 1),
        AsyncSubject<Int>(), PublishRelay<Int>(), BehaviorRelay(value: 1),
        ReplayRelay<Int>.create(bufferSize: 1),
      ]
      #expect(
        Resources.places == [
          .subject: [
            "PublishSubject": 1, "BehaviorSubject": 1, "ReplaySubject": 1, "AsyncSubject": 1,
            "PublishRelay": 1, "BehaviorRelay": 1, "ReplayRelay": 1,
          ]
        ])
      made = [DisposeBag(), DisposeBag(disposing: Disposables.create()), DisposeBag {}]
      #expect(Resources.places == [.disposable: ["DisposeBag": 3]])
      let subject: () -> PublishSubject<Int> = PublishSubject.init
      made = (0..<2).map(BehaviorRelay.init) + [subject()]
      made += [1, 2].map(ReplaySubject<Int>.create(bufferSize:)).map { $0 as Any }
      let shared = Observable<Int>.never().share(replay: 1)
      let subscription = shared.subscribe(AnyObserver { _ in })
      #expect(
        Resources.places == [
          .subject: ["BehaviorRelay": 2, "PublishSubject": 1, "ReplaySubject": 3]
        ])
      subscription.dispose()
      made = []
      #expect(Resources.places == [:])
      withExtendedLifetime(made) {}
    }
  }

  @Test("Resources know the calls that have made them") func resourcesKnowTheCallsThatHaveMadeThem()
  {
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

  @Test("A tracker names the objects that retain an object") func aTrackerTellsWhatHoldsAnObject() {
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
            neighbour = nil, weak
            items = [Item#3]
          Item#2
            text = ""
            next = nil
            neighbour = nil, weak
          Item#3
            text = ""
            next = nil
            neighbour = nil, weak
          Item#4
            text = ""
            next = nil
            neighbour = nil, weak
          1  Item#1.text → observe → subscribe  (here)

          """)
      root.next = nil
      root.items = []
      #expect(tracker.alive == 1)
    }
  }

  /// An element of a weak property is retained by the operators that keep it.
  @Test(
    "Operators that keep an element are named",
    arguments: ["debounce", "replay", "distinctUntilChanged", "withPrevious", "share"])
  func operatorsThatKeepAnElementAreNamed(_ name: String) throws {
    try whileRecording {
      let tracker = LifetimeTracker()
      let root = Item()
      var item: Item? = Item()
      root.neighbour = item
      let elements = root.observe(\.neighbour)
      let subscription =
        switch name {
        case "debounce":
          elements.debounce(.seconds(60), scheduler: TestScheduler(initialClock: 0)).subscribe()
        case "replay": elements.replay(1).connect()
        case "share": elements.share(replay: 1).subscribe()
        case "withPrevious": elements.withPrevious().subscribe()
        default: elements.distinctUntilChanged { $0 === $1 }.subscribe()
        }
      try tracker.track(#require(item))
      item = nil
      #expect(tracker.alive == 1)
      let survivors = tracker.survivors(reachableFrom: root)
      #expect(
        survivors.prefix { $0 != "\n" } == """
          Item#2 is held by no property that is known: by \(name) of observation 1, a closure or a \
          variable
          """)
      subscription.dispose()
      #expect(tracker.alive == 0)
    }
  }

  @Test("Nothing is said of the dead") func nothingIsSaidOfTheDead() {
    let tracker = LifetimeTracker()
    do { tracker.track(Item()) }
    #expect(tracker.alive == 0)
    #expect(tracker.survivors() == "")
  }
}
