import Keyline

final class Slider: ReactiveObject {
  @Observed var value = 0.0
  let edits = PublishSubject<Double>()
}
final class Player: ReactiveCompatible { let finishedRelay = PublishRelay<Void>() }
private func search(_ text: String) -> Single<[TraitComments.Item]> { .just([]) }

// block ControlProperty

// block Reactive 2

enum TraitComments: SnippetFile {
  static let page = "Sources/KeylineCore/Traits"

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
    // block AsyncTraits
    end("AsyncTraits")
  }

  static func binderSwift1() {
    let (button, form, bag) = (Button(), Form(), DisposeBag())
    // block Binder
    end("Binder")
  }

  static func primitivesequenceSwift1() {
    // block PrimitiveSequence
    _ = answer
    end("PrimitiveSequence")
  }

  static func reactiveSwift1() {
    let (label, bag) = (Label(), DisposeBag())
    let title = BehaviorRelay(value: "").asDriver()
    // block Reactive
    end("Reactive")
  }

  static func sharedsequenceSwift1() {
    let query = BehaviorRelay(value: "")
    let (label, table, bag) = (Label(), Table(), DisposeBag())
    // block SharedSequence
    end("SharedSequence")
  }

  static func traitsequenceSwift1() {
    let (label, bag) = (Label(), DisposeBag())
    // block TraitSequence
    end("TraitSequence")
  }
}
