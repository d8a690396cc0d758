import Foundation
import Keyline
import KeylineDiagnostics
import KeylineFoundation
import KeylineTest

enum CookbookTasks: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/CookbookTasks.md"
  static let file = #filePath

  static func run() async throws {
    time()
    undo()
    try await asynchronous()
    streams()
    try names()
    finding()
    lists()
    migrating()
  }

  // snippet
  final class Document: ReactiveObject {
    @Observed var title = "Draft"
    @Observed var pages = 1
  }
  // end

  static func time() {
    do {
      // snippet
      let clock = TestScheduler(initialClock: 0)
      let document = Document()
      _ = document.observe(\.title, options: .new)
        .debounce(.seconds(2), scheduler: clock)
        .subscribe(onNext: { print("at \(clock.clock):", $0) })
      clock.scheduleAt(10) { document.title = "L" }
      clock.scheduleAt(11) { document.title = "Laws" }
      clock.scheduleAt(20) { document.title = "Laws of properties" }
      clock.start()
      end()
    }
    do {
      // snippet
      let clock = TestScheduler(initialClock: 0)
      let document = Document()
      _ = document.observeChangeSets()
        .debounce(.seconds(5), scheduler: clock)
        .subscribe(onNext: { [weak document] _ in
          guard let document else { return }
          print("at \(clock.clock): saved", document.title, document.pages)
        })
      clock.scheduleAt(10) { document.title = "Laws" }
      clock.scheduleAt(12) { document.pages = 2 }
      clock.start()
      end()
    }
    do {
      // snippet
      let clock = TestScheduler(initialClock: 0)
      let titles = clock.createObserver(String.self)
      let document = Document()
      _ = document.observe(\.title).delay(.seconds(3), scheduler: clock).subscribe(titles)
      clock.scheduleAt(10) { document.title = "Laws" }
      clock.start()
      for event in titles.events { print(event) }
      end()
    }
    do {
      // snippet
      let clock = TestScheduler(initialClock: 0)
      let document = Document()
      let polled = Observable<Int>.interval(.seconds(10), scheduler: clock).take(3)
      polled.map { $0 + 2 }.bind(to: document, \.pages)
      clock.start()
      print(document.pages, "at", clock.clock)
      end()
    }
  }

  static func undo() {
    // snippet
    var (done, undone): ([ChangeSet], [ChangeSet]) = ([], [])
    var isJournalling = true
    let document = Document()
    _ = document.observeChangeSets().filter { _ in isJournalling }.subscribe(onNext: {
      done.append($0)
    })
    document.title = "Laws"
    document.pages = 12
    isJournalling = false
    undone.append(done.removeLast())
    undone.last?.undo()
    print(document.title, document.pages)
    undone.removeLast().redo()
    print(document.title, document.pages)
    end()
  }

  static func asynchronous() async throws {
    do {
      // snippet
      let document = Document()
      Task { document.title = "Loaded" }
      let loaded = try await document.observe(\.title).filter { $0 != "Draft" }.first().value
      print(loaded ?? "the document has died")
      end()
    }
    do {
      // snippet
      @Sendable func search(_ query: String) async throws -> [String] {
        try await Task.sleep(for: .seconds(query == "Bl" ? 60 : 0))
        return ["\(query) in Green"]
      }

      let queries = BehaviorRelay(value: "Bl")
      let hits = queries.flatMapLatest { query in Single.create { try await search(query) } }
      let first = hits.take(1).values
      queries.accept("Blue")
      for try await hits in first { print(hits) }
      end()
    }
  }

  static func streams() {
    do {
      // snippet
      final class Loader: ReactiveObject {
        @Observed private var running = 0
        @Derived({ (self: Loader) in self.running > 0 }) var isLoading: Bool
        func load(_ request: Observable<Int>) -> Observable<Int> {
          request.do(onSubscribe: { self.running += 1 }, onDispose: { self.running -= 1 })
        }
      }

      let (loader, first, second) = (Loader(), PublishSubject<Int>(), PublishSubject<Int>())
      _ = loader.observe(\.isLoading).subscribe(onNext: { print("loading:", $0) })
      for request in [first, second] { _ = loader.load(request).subscribe() }
      first.onCompleted()
      second.onCompleted()
      end()
    }
    do {
      // snippet
      final class Monitor: ReactiveObject {
        @Observed private(set) var load = 0.0
        init(_ samples: Observable<Double>) {
          super.init()
          samples.assign(to: \.load, of: self)
        }
      }

      let samples = PublishSubject<Double>()
      let monitor = Monitor(samples)
      samples.onNext(0.7)
      print(monitor.load)
      end()
    }
    do {
      // snippet
      let saved = Notification.Name("saved")
      let document = Document()
      NotificationCenter.default.rx.notification(saved)
        .map { $0.userInfo?["pages"] as? Int ?? 0 }
        .bind(to: document, \.pages)
      NotificationCenter.default.post(name: saved, object: nil, userInfo: ["pages": 7])
      print(document.pages)
      end()
    }
  }

  static func names() throws {
    // snippet
    let document = Document()
    for line in ["title=Laws", "pages=12", "size=4"] {
      let parts = line.split(separator: "=").map(String.init)
      do {
        try document.setValue(Int(parts[1]) as Any? ?? parts[1], forKey: parts[0])
      } catch { print(error) }
    }
    print(document.title, document.pages)
    end()
  }

  static func finding() {
    do {
      // snippet
      let tracker = LifetimeTracker()
      do {
        let document = Document()
        tracker.track(document)
        _ = document.observe(\.title).subscribe(onNext: { _ in })
      }
      print("alive:", tracker.alive)
      end()
    }
    do {
      // snippet
      Diagnostics.isRecording = true
      let (document, window) = (Document(), Document())
      #sourceLocation(file:"Window.swift",line:12)
      document.bind(\.title, to: window, \.title)
      #sourceLocation()
      print(Diagnostics.trace { document.title = "Laws" })
      end()
      Diagnostics.isRecording = false
    }
  }

  static func lists() {
    do {
      // snippet
      final class Catalogue: ReactiveObject {
        let titles: ObservableArray = ["Kind of Blue", "Blue Train", "Giant Steps"]
        @Observed var query = ""
        private(set) lazy var hits = titles.filtered { [unowned self] title in
          query.isEmpty || title.contains(query)
        }
      }

      let catalogue = Catalogue()
      _ = catalogue.hits.changes.subscribe(onNext: { print($0) })
      catalogue.query = "Blue"
      catalogue.titles.append("Blues Walk")
      end()
    }
    do {
      // snippet
      final class Contacts: ReactiveObject {
        let names: ObservableArray = ["Bob", "Ada", "Ben"]
        private(set) lazy var sorted = names.sorted(by: \.self)
        var sections: [[String]] {
          Dictionary(grouping: sorted) { $0.prefix(1) }.values.sorted { $0[0] < $1[0] }
        }
      }

      let contacts = Contacts()
      _ = contacts.observe(\.sections).subscribe(onNext: { print($0) })
      contacts.names[0] = "Al"
      end()
    }
    do {
      // snippet
      final class Player: ReactiveObject { @Observed var points = 0 }
      final class Ranking: ReactiveObject {
        let players: ObservableArray = [Player(), Player(), Player()]
        @WeakObserved var selection: Player?
        private(set) lazy var rows = players.sorted { $0.points > $1.points }
        var selectedRow: Int? { rows.firstIndex { $0 === selection } }
      }

      let ranking = Ranking()
      _ = ranking.observe(\.selectedRow).distinctUntilChanged()
        .subscribe(onNext: { print($0 ?? -1) })
      ranking.selection = ranking.players[1]
      ranking.players[1].points = 25
      ranking.players.remove(at: 1)
      end()
    }
  }

  static func migrating() {
    do {
      // snippet
      class OldModel { var onChange: (() -> Void)? }

      final class Account: OldModel, PropertyObservable {
        let properties = PropertyRegistry()
        @Observed var balance = 0 { didSet { onChange?() } }
      }

      let account = Account()
      account.onChange = { print("the old screen is drawn") }
      _ = account.observe(\.balance, options: .new).subscribe(onNext: { print("new screen:", $0) })
      account.balance = 5
      end()
    }
  }
}
