import Keyline

enum CorePage: SnippetFile {
  static let page = "Sources/KeylineCore/KeylineCore.docc/KeylineCore.md"
  static let file = #filePath

  static func run() async throws {
    overview()
    hotAndCold()
  }

  static func overview() {
    // snippet
    let price = BehaviorRelay(value: 10)
    let quantity = PublishRelay<Int>()
    let bag = DisposeBag()

    Observable.combineLatest(price, quantity.filter { $0 > 0 }) { $0 * $1 }
      .distinctUntilChanged()
      .subscribe(onNext: { print("total", $0) })
      .disposed(by: bag)

    quantity.accept(3)
    quantity.accept(0)
    price.accept(20)
    end()
  }

  static func hotAndCold() {
    // snippet
    let request = Observable<Int>.deferred {
      print("request")
      return .never().startWith(1)  // a connection that stays open
    }
    _ = request.subscribe(onNext: { print("first", $0) })
    _ = request.subscribe(onNext: { print("second", $0) })
    let shared = request.share(replay: 1)
    _ = shared.subscribe(onNext: { print("third", $0) })
    _ = shared.subscribe(onNext: { print("fourth", $0) })
    end()
  }
}
