import Keyline
import KeylineTest

// snippet
extension ObservableType {
  /// Emits each element together with the one before it.
  func withPrevious() -> Observable<(Element?, Element)> {
    Observable.deferred {
      var previous: Element?
      return self.map { element in
        defer { previous = element }
        return (previous, element)
      }
    }
  }
}
// end

// snippet
extension ObservableType {
  /// Emits each element `count` times.
  func repeated(_ count: Int) -> Observable<Element> {
    Observable.create { observer in
      self.subscribe(
        onNext: { element in (0..<count).forEach { _ in observer.onNext(element) } },
        onError: { observer.onError($0) },
        onCompleted: { observer.onCompleted() })
    }
  }
}
// end

// snippet
extension ObservableType where Element: Sendable {
  /// The elements that are followed by a pause, without those equal to the one before.
  func settled(for pause: Duration, on scheduler: any SchedulerType) -> Observable<Element>
  where Element: Equatable {
    debounce(pause, scheduler: scheduler).distinctUntilChanged()
  }
}
// end

// snippet
extension SharedSequence where SharingStrategy == DriverSharingStrategy {
  /// Whether this has emitted something.
  func hasEmitted() -> Driver<Bool> { map { _ in true }.startWith(false) }
}

extension PrimitiveSequence where Trait == SingleTrait {
  /// The element, or nil in place of an error.
  func orNil() -> Single<Element?> { map { $0 }.catchAndReturn(nil) }
}
// end

// snippet
extension BindingConverter where Source == Bool, Target == String {
  /// "yes" and "no"; other text is left alone.
  static var yesOrNo: Self {
    Self(
      forward: { $0 ? "yes" : "no" },
      backward: { text in text == "yes" ? true : text == "no" ? false : nil })
  }
}
// end

// snippet
extension PropertyObservable {
  /// Keeps `target` equal to `source` while `condition` is true.
  @discardableResult
  func bind<Value, Target: PropertyObservable>(
    _ source: KeyPath<Self, Value>, while condition: KeyPath<Self, Bool>,
    to target: Target, _ property: ReferenceWritableKeyPath<Target, Value>
  ) -> PropertyBinding {
    observe(source, condition).filter { $0.1 }.map { $0.0 }.bind(to: target, property)
  }
}
// end

enum Extending: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Extending.md"
  static let file = #filePath

  static func run() async throws {
    anOperator()
    anOperatorWithAScheduler()
    anOperatorOfATrait()
    aConverter()
    aKindOfBinding()
  }

  static func anOperator() {
    // snippet
    let letters = PublishSubject<String>()
    _ = letters.withPrevious().subscribe(onNext: { print($0 ?? "nothing", "→", $1) })
    letters.onNext("a")
    letters.onNext("b")
    end()
    // snippet
    _ = Observable.of("a", "b").repeated(2).toArray().subscribe(onSuccess: { print($0) })
    end()
  }

  static func anOperatorWithAScheduler() {
    // snippet
    let scheduler = TestScheduler(initialClock: 0)
    let letters = scheduler.createHotObservable([.next(210, "a"), .next(220, "b"), .next(300, "b")])
    print(scheduler.start { letters.settled(for: .seconds(30), on: scheduler) }.events)
    end()
  }

  static func anOperatorOfATrait() {
    // snippet
    let name = BehaviorRelay(value: "Ada")
    _ = name.asDriver().hasEmitted().drive(onNext: { print($0) })
    _ = Single<Int>.error(RxError.timeout).orNil().subscribe(onSuccess: { print($0 ?? "nil") })
    end()
  }

  static func aConverter() {
    // snippet
    final class Model: ReactiveObject { @Observed var isOpen = false }
    final class Form: ReactiveObject { @Observed var answer = "" }

    let (model, form) = (Model(), Form())
    model.bind(\.isOpen, to: form, \.answer, mode: .twoWay, converter: .yesOrNo)
    form.answer = "yes"
    form.answer = "perhaps"
    print(model.isOpen)
    end()
  }

  static func aKindOfBinding() {
    // snippet
    final class Model: ReactiveObject {
      @Observed var value = 1
      @Observed var isLive = false
    }
    final class Row: ReactiveObject { @Observed var value = 0 }

    let (model, row) = (Model(), Row())
    model.bind(\.value, while: \.isLive, to: row, \.value)
    print(row.value)
    model.isLive = true
    print(row.value)
    end()
  }
}
