import KeylineCore

enum CorePage: SnippetFile {
  static let page = "Sources/KeylineCore/KeylineCore.docc/KeylineCore.md"
  static let file = #filePath

  static func run() async throws {
    overview()
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
}
