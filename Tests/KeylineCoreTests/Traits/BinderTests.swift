import KeylineCore
import KeylineTest
import TestSupport
import Testing

/// Binders, control properties and events, and `.rx`, as a program without a user interface
/// framework would use them: on the main actor.
@Suite @MainActor struct BinderTests {
  @MainActor final class Field: ReactiveCompatible {
    var text: String? = ""
    let edits = PublishRelay<String?>()

    func type(_ text: String) {
      self.text = text
      edits.accept(text)
    }
  }

  let field = Field()
  let bag = DisposeBag()

  func textProperty(_ field: Field) -> ControlProperty<String?> {
    ControlProperty(
      values: Observable.deferredForTest { field.edits.startWith(field.text) },
      valueSink: Binder(field) { $0.text = $1 })
  }

  @Test("A binder sets its target while that lives") func aBinderSetsItsTargetWhileThatLives() {
    let source = PublishSubject<String?>()
    var target: Field? = Field()
    weak let observed = target
    let binder = Binder<String?>(target!) { $0.text = $1 }
    source.subscribe(binder).disposed(by: bag)
    source.onNext("a")
    #expect(target?.text == "a")
    target = nil
    #expect(observed == nil)
    source.onNext("b")
    source.onCompleted()
  }

  @Test("A binder reports an error and goes on") func aBinderReportsAnErrorAndGoesOn() {
    struct FailureOfThisTest: Error {}
    Reports.collect()
    let binder = Binder<String?>(field) { $0.text = $1 }
    binder.onError(FailureOfThisTest())
    binder.onNext("after")
    #expect(field.text == "after")
    let reports = Reports.of(.unhandledError).filter { $0.message.hasSuffix("FailureOfThisTest()") }
    #expect(reports.count == 1)
  }

  @Test("Extensions may have settable properties") func extensionsMayHaveSettableProperties() {
    field.rx.title = "set"
    #expect(field.text == "set")
    #expect(field.rx.title == "set")
  }

  @Test("A binder that is fed by another binds at once") func aBinderThatIsFedByAnotherBindsAtOnce()
  {
    let other = Field()
    let second = Binder<String?>(other) { $0.text = $1 }
    let first = Binder<String?>(field) {
      $0.text = $1
      second.onNext($1)
      #expect(other.text == $1)
    }
    first.onNext("through")
    #expect(field.text == "through")
  }

  @Test("A binder binds on its scheduler") func aBinderBindsOnItsScheduler() {
    let scheduler = TestScheduler(initialClock: 0)
    let binder = Binder<String?>(field, scheduler: scheduler) { $0.text = $1 }
    scheduler.scheduleAt(10) { binder.onNext("late") }
    scheduler.advanceTo(10)
    #expect(field.text == "")
    scheduler.advanceTo(11)
    #expect(field.text == "late")
  }

  @Test("Rx makes a binder of any property") func rxMakesABinderOfAnyProperty() {
    BehaviorRelay<String?>(value: "hello").asDriver().drive(field.rx.text).disposed(by: bag)
    BehaviorRelay(value: "hello").asDriver().drive(field.rx.text).disposed(by: bag)
    #expect(field.text == "hello")
    #expect(field.rx.base === field)
  }

  @Test("A ControlProperty is read and written") func aControlPropertyIsReadAndWritten() {
    let property = textProperty(field)
    var (values, changes): ([String], [String?]) = ([], [])
    property.orEmpty.asDriver().drive(onNext: { values.append($0) }).disposed(by: bag)
    property.changed.asSignal().emit(onNext: { changes.append($0) }).disposed(by: bag)
    field.type("a")
    property.onNext("set")
    property.orEmpty.onNext("again")
    #expect(field.text == "again")
    field.type("b")
    #expect(values == ["", "a", "b"])
    #expect(changes == ["a", "b"])
  }

  @Test("A ControlEvent is an observable a signal and a driver")
  func aControlEventIsAnObservableASignalAndADriver() {
    let taps = PublishSubject<Int>()
    let event = ControlEvent(events: taps)
    var seen: [String] = []
    event.subscribe(onNext: { seen.append("observable \($0)") }).disposed(by: bag)
    event.asSignal().emit(onNext: { seen.append("signal \($0)") }).disposed(by: bag)
    event.asDriver().drive(onNext: { seen.append("driver \($0)") }).disposed(by: bag)
    event.asInfallible().subscribe(onNext: { seen.append("infallible \($0)") }).disposed(by: bag)
    event.asControlEvent().map { $0 + 1 }.subscribe(onNext: { seen.append("\($0)") })
      .disposed(by: bag)
    taps.onNext(1)
    #expect(seen == ["observable 1", "signal 1", "driver 1", "infallible 1", "2"])
  }
}

extension Observable {
  fileprivate static func deferredForTest(
    _ make: @escaping () -> Observable<Element>
  ) -> Observable<Element> {
    .create { make().subscribe($0) }
  }
}

extension Reactive where Base: BinderTests.Field {
  @MainActor fileprivate var title: String? {
    get { base.text }
    nonmutating set { base.text = newValue }
  }
}
