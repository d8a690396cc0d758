import KeylineCore
import KeylineTest
import TestSupport
import Testing

// What such programs bring along, written for RxSwift: generic, with elements that need not be
// `Sendable` and any scheduler.

/// Whether anything tracked is under way, for a spinner.
private final class ActivityIndicator: SharedSequenceConvertibleType {
  typealias Element = Bool
  typealias SharingStrategy = DriverSharingStrategy

  private let count = BehaviorRelay(value: 0)

  func asSharedSequence() -> Driver<Bool> {
    count.asDriver().map { $0 > 0 }.distinctUntilChanged()
  }

  func track<Tracked>(_ source: Observable<Tracked>) -> Observable<Tracked> {
    Observable.using(
      { [count] in
        count.accept(count.value + 1)
        let end = Disposables.create { count.accept(count.value - 1) }
        return RefCountDisposable(disposable: end)
      }, observableFactory: { _ in source })
  }
}

extension ObservableConvertibleType {
  fileprivate func tracked(by indicator: ActivityIndicator) -> Observable<Element> {
    indicator.track(asObservable())
  }
}

extension ObservableType {
  /// The states that events lead to, from `initial`; the events come from feedback loops, which
  /// observe the states.
  fileprivate static func system<Event>(
    initial: Element, reduce: @escaping (Element, Event) -> Element,
    scheduler: any ImmediateSchedulerType,
    feedback: ((Observable<Element>) -> Observable<Event>)...
  ) -> Observable<Element> {
    .deferred {
      let states = ReplaySubject<Element>.create(bufferSize: 1)
      return Observable.merge(feedback.map { $0(states) })
        .observe(on: scheduler.unsafelyConfined)
        .scan(initial, accumulator: reduce)
        .startWith(initial)
        .do(onNext: { states.onNext($0) })
    }
  }
}

/// A feedback loop: while `query` of the state is not nil, what `effects` of it emits.
private func react<State, Query: Equatable, Event>(
  _ query: @escaping (State) -> Query?, _ effects: @escaping (Query) -> Observable<Event>
) -> (Observable<State>) -> Observable<Event> {
  { states in
    states.map(query).distinctUntilChanged().flatMapLatest { query in
      query.map(effects) ?? .empty()
    }
  }
}

/// A form, generic over what checks the name and signs up.
private struct SignUp<Account> {
  struct Input {
    let name: Driver<String>
    let password: Driver<String>
    let repeated: Driver<String>
    let taps: Signal<Void>
  }

  enum Check: Equatable { case empty, checking, taken, free }

  let nameCheck: Driver<Check>
  let isPasswordValid: Driver<Bool>
  let isEnabled: Driver<Bool>
  let isBusy: Driver<Bool>
  let account: Driver<Account?>

  init(
    _ input: Input, isFree: @escaping (String) -> Observable<Bool>,
    signUp: @escaping (String, String) -> Observable<Account>
  ) {
    let indicator = ActivityIndicator()
    nameCheck = input.name.flatMapLatest { name -> Driver<Check> in
      if name.isEmpty { return .just(.empty) }
      return isFree(name).map { $0 ? .free : .taken }.asDriver(onErrorJustReturn: .taken)
        .startWith(.checking)
    }
    isPasswordValid = input.password.map { $0.count >= 4 }
    let isRepeated = Driver.combineLatest(input.password, input.repeated) { $0 == $1 }
    isBusy = indicator.asDriver()
    isEnabled = Driver.combineLatest(nameCheck, isPasswordValid, isRepeated, isBusy) {
      $0 == .free && $1 && $2 && !$3
    }.distinctUntilChanged()
    account = input.taps.withLatestFrom(Driver.combineLatest(input.name, input.password))
      .flatMapLatest { name, password in
        signUp(name, password).tracked(by: indicator).map { $0 }.asDriver(onErrorJustReturn: nil)
      }
  }
}

/// Programs that hold state, as programs written for RxSwift hold it: in virtual time, once in the
/// program's own terms, once by the generic code above.
@Suite struct StateProgramTests {
  let scheduler = TestScheduler(initialClock: 0)
  let bag = DisposeBag()

  func driver<Value>(_ initial: Value, _ events: (Int, Value)...) -> Driver<Value> {
    let relay = BehaviorRelay(value: initial)
    for (time, value) in events { scheduler.scheduleAt(time) { relay.accept(value) } }
    return relay.asDriver()
  }

  /// What `source` emits in virtual time, as `210 value`.
  func record<Value>(_ source: Driver<Value>) -> TestableObserver<String> {
    let observer = scheduler.createObserver(String.self)
    scheduler.scheduleAt(200) { source.map { "\($0)" }.drive(observer).disposed(by: bag) }
    return observer
  }

  /// Runs the program that `build` makes, on drivers that deliver in virtual time at once.
  func run(_ build: () -> Void) {
    SharingScheduler.mock(scheduler: ImmediateScheduler()) {
      build()
      scheduler.start()
    }
  }

  // MARK: Sign-up

  /// The server: a name is free after 30 ticks if it is not "ada"; signing up takes 40.
  func isFree(_ name: String) -> Observable<Bool> {
    scheduler.createColdObservable([.next(30, name != "ada"), .completed(30)]).asObservable()
  }

  func signUp(_ name: String, _ password: String) -> Observable<String> {
    scheduler.createColdObservable([.next(40, "\(name):\(password)"), .completed(40)])
      .asObservable()
  }

  struct Form {
    let name, password, repeated: Driver<String>
    let taps: Signal<Void>
  }

  func form() -> Form {
    let taps = PublishRelay<Void>()
    scheduler.scheduleAt(400) { taps.accept(()) }
    return Form(
      name: driver("", (210, "ada"), (250, "adb"), (260, "adc")),
      password: driver("", (300, "123"), (310, "1234")), repeated: driver("", (320, "1234")),
      taps: taps.asSignal())
  }

  let checks: [Recorded<Event<String>>] = [
    .next(200, "empty"), .next(210, "checking"), .next(240, "taken"), .next(250, "checking"),
    .next(260, "checking"), .next(290, "free"),
  ]
  let enabled: [Recorded<Event<String>>] = [
    .next(200, "false"), .next(320, "true"), .next(400, "false"), .next(440, "true"),
  ]
  let busy: [Recorded<Event<String>>] = [
    .next(200, "false"), .next(400, "true"), .next(440, "false"),
  ]

  @Test("Sign up with four drivers and an indicator") func signUpWithFourDriversAndAnIndicator() {
    var observers: [TestableObserver<String>] = []
    run {
      let form = form()
      let indicator = ActivityIndicator()
      let check = form.name.flatMapLatest { name -> Driver<String> in
        guard !name.isEmpty else { return .just("empty") }
        return isFree(name).map { $0 ? "free" : "taken" }.asDriver(onErrorJustReturn: "taken")
          .startWith("checking")
      }
      let isValid = form.password.map { $0.count >= 4 }
      let isRepeated = Driver.combineLatest(form.password, form.repeated) { $0 == $1 }
      let isBusy = indicator.asDriver()
      let isEnabled = Driver.combineLatest(check, isValid, isRepeated, isBusy) {
        check, isValid, isRepeated, isBusy in
        check == "free" && isValid && isRepeated && !isBusy
      }
      .distinctUntilChanged()
      let credentials = Driver.combineLatest(form.name, form.password)
      let account = form.taps.withLatestFrom(credentials).flatMapLatest { name, password in
        signUp(name, password).tracked(by: indicator).asDriver(onErrorJustReturn: "failed")
      }
      observers = [
        record(check), record(isEnabled.map { "\($0)" }), record(isBusy.map { "\($0)" }),
        record(account),
      ]
    }
    #expect(observers.map(\.events) == [checks, enabled, busy, [.next(440, "adc:1234")]])
  }

  @Test("Generic sign up") func genericSignUp() {
    var observers: [TestableObserver<String>] = []
    run {
      let form = form()
      let signUp = SignUp<String>(
        .init(
          name: form.name, password: form.password, repeated: form.repeated, taps: form.taps),
        isFree: isFree, signUp: signUp)
      observers = [
        record(signUp.nameCheck.map { "\($0)" }), record(signUp.isEnabled.map { "\($0)" }),
        record(signUp.isBusy.map { "\($0)" }), record(signUp.account.map { $0 ?? "failed" }),
      ]
    }
    #expect(observers.map(\.events) == [checks, enabled, busy, [.next(440, "adc:1234")]])
  }

  // MARK: Paging

  /// A list that is loaded page by page.
  struct Pages: Equatable {
    enum Event { case isNearEnd, loaded([Int]), failed }

    var items: [Int] = []
    /// The page that is wanted; nil while none is.
    var request: Int? = 0
    var hasFailed = false

    func after(_ event: Event) -> Pages {
      var next = self
      switch event {
      case .isNearEnd:
        if next.request == nil { next.request = next.items.count / 2 }
        next.hasFailed = false
      case .loaded(let items):
        next.items += items
        next.request = nil
      case .failed:
        next.request = nil
        next.hasFailed = true
      }
      return next
    }
  }

  /// Two items a page, after 30 ticks; page 2 fails the first time.
  func page(_ failures: Box) -> (Int) -> Observable<Pages.Event> {
    { [scheduler] page in
      if page == 2, failures.count == 0 {
        failures.count += 1
        return scheduler.createColdObservable([.error(30, Failure())]).catchAndReturn(.failed)
      }
      return scheduler.createColdObservable([
        .next(30, Pages.Event.loaded([2 * page, 2 * page + 1])), .completed(30),
      ]).asObservable()
    }
  }

  final class Box { var count = 0 }

  /// Scrolling at 240 and at 250, while the page is being loaded; again at 300 and, after the
  /// failure, at 400.
  var scrolling: Observable<Pages.Event> {
    scheduler.createHotObservable([240, 250, 300, 400].map { .next($0, Pages.Event.isNearEnd) })
      .asObservable()
  }

  /// States as `time: items, request`.
  let paged = [
    "200: 0, page 0", "230: 2", "240: 2, page 1", "250: 2, page 1", "270: 4", "300: 4, page 2",
    "330: 4, failed", "400: 4, page 2", "430: 6",
  ]

  func describe(_ events: [Recorded<Event<Pages>>]) -> [String] {
    events.compactMap { event in
      event.value.element.map { state in
        let request = state.request.map { ", page \($0)" } ?? (state.hasFailed ? ", failed" : "")
        return "\(event.time): \(state.items.count)\(request)"
      }
    }
  }

  @Test("Paging with a feedback loop") func pagingWithAFeedbackLoop() {
    let (load, scrolling) = (page(Box()), scrolling)
    let result = scheduler.start {
      Observable<Pages>.deferred {
        let states = BehaviorRelay(value: Pages())
        let loaded = states.map(\.request).distinctUntilChanged().flatMapLatest { request in
          request.map(load) ?? .empty()
        }
        return Observable.merge(scrolling, loaded)
          .scan(Pages()) { $0.after($1) }
          .startWith(Pages())
          .do(onNext: states.accept)
      }
    }
    #expect(describe(result.events) == paged)
    #expect(result.events.last?.value.element?.items == [0, 1, 2, 3, 4, 5])
  }

  @Test("Generic paging with a feedback loop") func genericPagingWithAFeedbackLoop() {
    let (load, scrolling) = (page(Box()), scrolling)
    let result = scheduler.start {
      Observable<Pages>.system(
        initial: Pages(), reduce: { $0.after($1) }, scheduler: ImmediateScheduler(),
        feedback: { _ in scrolling }, react(\.request, load))
    }
    #expect(describe(result.events) == paged)
    #expect(result.events.last?.value.element?.items == [0, 1, 2, 3, 4, 5])
  }
}
