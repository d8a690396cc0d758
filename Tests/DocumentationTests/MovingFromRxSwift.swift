import Keyline

enum MovingFromRxSwift: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/MovingFromRxSwift.md"
  static let file = #filePath

  static func run() async throws {
    whatIsTheSame()
    whatToDoWithRxObserveAndRelays()
  }

  static func whatIsTheSame() {
    // snippet
    let bag = DisposeBag()
    let query = BehaviorRelay(value: "Ada")
    let results = query.asObservable()
      .distinctUntilChanged()
      .flatMapLatest { text in Observable.of(text.uppercased(), text.lowercased()) }
      .share(replay: 1)
    results.subscribe(onNext: { print($0) }).disposed(by: bag)
    query.accept("Ada")
    query.accept("Bea")
    end()
  }

  static func whatToDoWithRxObserveAndRelays() {
    // snippet
    final class ViewModel: ReactiveObject {
      @Observed private(set) var title = ""
      @Observed var query = ""
      @Derived({ (self: ViewModel) in self.query.isEmpty }) var isIdle: Bool
    }

    let viewModel = ViewModel()
    _ = viewModel.observe(\.isIdle).asDriver().drive(onNext: { print($0) })
    viewModel.query = "Ada"
    end()
  }
}
