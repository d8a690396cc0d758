import Keyline
import KeylineTest

enum TestingPage: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Testing.md"
  static let file = #filePath

  static func run() async throws {
    virtualTime()
    try sourcesWithAScriptAndMarbles()
    try waitingForTheRealWorld()
    leaks()
  }

  // snippet
  final class Search: ReactiveObject {
    @Observed var query = ""
    @Observed private(set) var results: [String] = []

    init(on scheduler: any SchedulerType, find: @escaping (String) -> [String]) {
      super.init()
      observe(\.query, options: .new)
        .debounce(.milliseconds(300), scheduler: scheduler)
        .distinctUntilChanged()
        .map(find)
        .assign(to: \.results, of: self)
    }
  }
  // end

  static func virtualTime() {
    // snippet
    let scheduler = TestScheduler(initialClock: 0, resolution: .milliseconds(1))
    let search = Search(on: scheduler) { text in [text, text + text] }
    let results = scheduler.createObserver([String].self)
    _ = search.observe(\.results).subscribe(results)

    scheduler.scheduleAt(1000) { search.query = "a" }
    scheduler.scheduleAt(1200) { search.query = "ab" }
    scheduler.scheduleAt(2000) { search.query = "abc" }
    scheduler.start()
    print(results.events)
    end()
  }

  static func sourcesWithAScriptAndMarbles() throws {
    // snippet
    let scheduler = TestScheduler(initialClock: 0)
    let letters = scheduler.createHotObservable([
      .next(210, "a"), .next(220, "b"), .next(400, "c"), .completed(500),
    ])
    let result = scheduler.start { letters.throttle(.seconds(100), scheduler: scheduler) }
    print(result.events)
    print(letters.subscriptions)

    let drawn = TestScheduler(initialClock: 0)
    let marbles = Marbles<Int>()
    let source = try drawn.createHotObservable("--1--2--3--|", marbles)
    let doubled = drawn.start { source.map { $0 * 2 } }
    print(marbles.diagram(doubled.events))
    print(try marbles.mismatch(doubled.events, "--2--4--6--|") ?? "as expected")
    end()
  }

  static func waitingForTheRealWorld() throws {
    // snippet
    let squares = Observable.of(1, 2, 3)
      .delay(.milliseconds(1), scheduler: SerialDispatchQueueScheduler(qos: .default))
      .map { $0 * $0 }
    print(try squares.toBlocking(timeout: .seconds(5)).toArray())
    end()
  }

  static func leaks() {
    // snippet
    final class Form: ReactiveObject {}
    final class Model: ReactiveObject { @Observed var forms: [Form] = [] }

    let tracker = LifetimeTracker()
    let model = Model()
    var form: Form? = Form()
    tracker.track(form!)
    model.forms.append(form!)
    form = nil
    print(tracker.alive, tracker.survivors(reachableFrom: model))
    model.forms = []
    print(tracker.alive)
    end()
  }
}
