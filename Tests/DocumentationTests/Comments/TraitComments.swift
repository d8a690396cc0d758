import Keyline

final class Slider: ReactiveObject {
  @Observed var value = 0.0
  let edits = PublishSubject<Double>()
}
final class Player: ReactiveCompatible { let finishedRelay = PublishRelay<Void>() }
private func search(_ text: String) -> Single<[TraitComments.Item]> { .just([]) }

// snippet
extension Reactive where Base: Slider {
  var value: ControlProperty<Double> {
    ControlProperty(
      values: base.edits.startWith(base.value), valueSink: Binder(base) { $0.value = $1 })
  }
}
// end

// snippet
extension Reactive where Base: Player {
  var finished: Signal<Void> { base.finishedRelay.asSignal() }
}
// end

enum TraitComments: SnippetFile {
  static let page = "Sources/KeylineCore/Traits"
  static let file = #filePath

  static func run() async throws {
    await asynctraitsSwift1()
    binderSwift1()
    primitivesequenceSwift1()
    reactiveSwift1()
    sharedsequenceSwift1()
    traitsequenceSwift1()
  }

  struct Item { var title = "" }
  final class Button { var isEnabled = true }
  final class Form { var isValid: Driver<Bool> { .just(true) } }
  final class Label: ReactiveCompatible { var text = "" }
  final class Table { func show(_ items: [Item]) {} }

  static func asynctraitsSwift1() async {
    // snippet
    let names = Infallible.of("Ada", "Grace")
    for await name in names.values { print(name) }
    end()
  }

  static func binderSwift1() {
    let (button, form, bag) = (Button(), Form(), DisposeBag())
    // snippet
    let isEnabled = Binder(button) { button, value in button.isEnabled = value }
    form.isValid.drive(isEnabled).disposed(by: bag)
    end()
  }

  static func primitivesequenceSwift1() {
    // snippet
    let answer = Single<Int>.create { single in
      single(.success(42))
      return Disposables.create()
    }
    // end
    _ = answer
    end()
  }

  static func reactiveSwift1() {
    let (label, bag) = (Label(), DisposeBag())
    let title = BehaviorRelay(value: "").asDriver()
    // snippet
    title.drive(label.rx.text).disposed(by: bag)  // a `Binder` of the property, made on access
    end()
  }

  static func sharedsequenceSwift1() {
    let query = BehaviorRelay(value: "")
    let (label, table, bag) = (Label(), Table(), DisposeBag())
    // snippet
    let results: Driver<[Item]> = query.asDriver()
      .debounce(.milliseconds(300))
      .flatMapLatest { search($0).asDriver(onErrorJustReturn: []) }
    results.map(\.count).drive(onNext: { label.text = "\($0) found" }).disposed(by: bag)
    results.drive(onNext: table.show).disposed(by: bag)  // one search for both
    end()
  }

  static func traitsequenceSwift1() {
    let (label, bag) = (Label(), DisposeBag())
    // snippet
    func load(_ id: Int) -> Single<Item> { .just(Item(title: "item \(id)")) }
    let title: Driver<String> = load(7).map(\.title).asDriver(onErrorJustReturn: "—")
    title.drive(onNext: { label.text = $0 }).disposed(by: bag)
    end()
  }
}
