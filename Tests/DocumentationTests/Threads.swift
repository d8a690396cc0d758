import Dispatch
import Keyline

enum Threads: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Threads.md"
  static let file = #filePath

  static func run() async throws {
    classesOfTheMainActor()
    theInitialiser()
    try await toAnotherThreadAndBack()
    try await theMainQueue()
    subjectsFromSeveralThreads()
    try await theObserverOfCreate()
    try await asyncAndAwait()
  }

  // snippet
  final class Player: ReactiveObject {
    @Observed var title = "So What"
  }

  @MainActor final class PlayerViewModel: ReactiveObject {
    @Observed var heading = ""
    private let bag = DisposeBag()

    init(_ player: Player) {
      super.init()
      player.observe(\.title)
        .subscribe(onNext: { [weak self] in self?.heading = $0.uppercased() })
        .disposed(by: bag)
    }
  }
  // end

  static func classesOfTheMainActor() {
    // snippet
    let player = Player()
    let viewModel = PlayerViewModel(player)
    player.title = "Blue in Green"
    print(viewModel.heading)
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

  static func theInitialiser() {
    // snippet
    print(ViewModel().title)
    end()
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

  // snippet
  nonisolated class Counters: ReactiveObject {
    @Observed var count = 0
  }
  nonisolated final class SharedCounters: Counters, @unchecked Sendable {}
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

  static func theMainQueue() async throws {
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

  static func theObserverOfCreate() async throws {
    // snippet
    let answers = Observable<Int>.create { observer in
      DispatchQueue.global().async {
        observer.onNext(42)
        observer.onCompleted()
      }
      return Disposables.create()
    }
    for try await answer in answers.values { print(answer) }
    end()
  }

  static func asyncAndAwait() async throws {
    // snippet
    let answer = Single<Int>.create { 42 }
    print(try await answer.value)
    end()
  }
}
