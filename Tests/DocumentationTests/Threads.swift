import Dispatch
import Keyline

enum Threads: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Threads.md"
  static let file = #filePath

  static func run() async throws {
    modulesThatAreIsolatedToTheMainActor()
    try await toAnotherThreadAndBack()
    try await theMainQueueInACommandLineProgram()
    subjectsFromSeveralThreads()
    try await asyncAndAwait()
  }

  // snippet
  final class Account: ReactiveObject {
    @Observed var balance = 0
  }

  @MainActor final class AccountRow: MainReactiveObject {  // `@MainActor` may be left out there
    @Observed var text = ""
    init(_ account: Account) {
      super.init()
      account.observe(\.balance) { [weak self] in self?.text = "\($0) €" }
    }
  }
  // end

  static func modulesThatAreIsolatedToTheMainActor() {
    // snippet
    let account = Account()
    let objects: [ReactiveBase] = [account, AccountRow(account)]
    // end
    _ = objects
    end()
  }

  // snippet
  @MainActor final class ViewModel: ReactiveObject {
    @Observed var title = ""

    override init() {
      super.init()
      MainActor.assumeIsolated { title = "new" }
    }
  }
  // end

  // snippet
  @MainActor final class Window: @MainActor PropertyObservable {
    let properties = PropertyRegistry()
    @Observed var title = ""
  }

  @MainActor final class Preferences: ReactiveObject, @MainActor Codable {
    @Observed var volume = 5
    enum CodingKeys: CodingKey { case volume }
  }
  // end

  // snippet
  final class Player: ReactiveObject {
    @Observed var title = "So What"
  }
  // end

  static func toAnotherThreadAndBack() async throws {
    // snippet
    let background = SerialDispatchQueueScheduler(qos: .utility)
    let player = Player()
    let lengths = PublishSubject<String>()
    _ = player.observe(\.title)
      .observe(on: background)
      .map { title in "\(title.count) letters" }
      .observe(on: MainScheduler.instance)
      .bind(to: lengths)
    for try await length in lengths.take(1).values { print(length) }
    end()
  }

  static func theMainQueueInACommandLineProgram() async throws {
    // snippet
    let player = Player()
    let settled = player.observe(\.title, options: .new)
      .debounce(.milliseconds(10), scheduler: MainScheduler.instance)
      .values
    player.title = "Blue in Green"
    player.title = "All Blues"
    for try await title in settled.prefix(1) { print(title) }
    end()
  }

  static func subjectsFromSeveralThreads() {
    // snippet
    let hits = BehaviorRelay(value: 0)
    let numbers = PublishRelay<Int>()
    _ = numbers.scan(0) { sum, number in sum + number }.bind(to: hits)
    DispatchQueue.concurrentPerform(iterations: 100) { _ in numbers.accept(1) }
    print(hits.value)
    end()
  }

  // snippet
  final class Search: ReactiveObject {
    @Observed var query = ""
    @Observed private(set) var isLoading = false
    @Observed private(set) var hits: [String] = []

    init(_ find: @escaping @Sendable (String) async throws -> [String]) {
      super.init()
      observe(\.query, options: .new)
        .do(onNext: { [weak self] _ in self?.isLoading = true })
        .flatMapLatest { query in
          Single.create { try await find(query) }.catchAndReturn([])
        }
        .observe(on: MainScheduler.instance)
        .do(onNext: { [weak self] _ in self?.isLoading = false })
        .assign(to: \.hits, of: self)
    }
  }
  // end

  static func asyncAndAwait() async throws {
    // snippet
    let search = Search { query in
      try await Task.sleep(for: .seconds(query == "Bl" ? 60 : 0))
      return ["\(query) in Green"]
    }
    _ = search.observe(\.isLoading).distinctUntilChanged()
      .subscribe(onNext: { print("loading:", $0) })
    search.query = "Bl"
    search.query = "Blue"
    for await hits in search.values(of: \.hits) where !hits.isEmpty {
      print(hits)
      break
    }
    end()
  }
}
