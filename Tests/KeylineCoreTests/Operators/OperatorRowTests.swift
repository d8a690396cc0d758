import Dispatch
import Keyline
import KeylineTest
import TestSupport
import Testing

/// Cases that programs have stumbled over, one test each.
@Suite struct OperatorRowTests {
  private func events<Element>(of source: Observable<Element>) -> [Event<Element>] {
    var events: [Event<Element>] = []
    _ = source.subscribe { events.append($0) }
    return events
  }

  // MARK: zip of a collection

  /// An element without a partner, when all other sources have completed, ends a zip of a
  /// collection; one that still finds a partner does not.
  @Test("Zip of a collection completes with an element that can have no partner")
  func zipOfACollectionCompletesWithAnElementThatCanHaveNoPartner() {
    let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
    var events: [Event<[Int]>] = []
    _ = Observable.zip([left, right]).subscribe { events.append($0) }
    left.onNext(1)
    left.onNext(2)
    left.onCompleted()
    right.onNext(10)
    right.onNext(20)
    #expect(events == [.next([1, 10]), .next([2, 20])])
    right.onNext(30)
    #expect(events == [.next([1, 10]), .next([2, 20]), .completed])
    #expect(!right.hasObservers)
  }

  @Test("Zip of a collection goes on while two sources run")
  func zipOfACollectionGoesOnWhileTwoSourcesRun() {
    let sources = (0..<3).map { _ in PublishSubject<Int>() }
    var events: [Event<Int>] = []
    _ = Observable.zip(sources) { $0.reduce(0, +) }.subscribe { events.append($0) }
    sources[0].onCompleted()
    sources[1].onNext(1)
    sources[2].onNext(1)
    #expect(events == [])
    sources[1].onCompleted()
    #expect(events == [])
    sources[2].onNext(2)
    #expect(events == [.completed])
  }

  /// A zip of a fixed number waits for the completion of all.
  @Test("Zip of a fixed number completes with the last source")
  func zipOfAFixedNumberCompletesWithTheLastSource() {
    let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
    var events: [Event<Int>] = []
    _ = Observable.zip(left, right) { $0 + $1 }.subscribe { events.append($0) }
    left.onCompleted()
    right.onNext(1)
    #expect(events == [])
    right.onCompleted()
    #expect(events == [.completed])
  }

  /// Two sources have functions of their own; more of them give the same results.
  @Test("Two sources are combined as more are") func twoSourcesAreCombinedAsMoreAre() {
    let (left, right) = (Observable.of(1, 2, 3), Observable.of("a", "b"))
    let none = Observable.just(())
    #expect(
      events(of: Observable.zip(left, right) { "\($0)\($1)" })
        == events(of: Observable.zip(left, right, Observable.of((), ())) { a, b, _ in "\(a)\(b)" }))
    #expect(
      events(of: Observable.combineLatest(left, right).map { "\($0)" })
        == events(of: Observable.combineLatest(left, right, none).map { "\(($0.0, $0.1))" }))
  }

  // MARK: A program's overloads

  /// `self.map { }` is the library's where a program has added an overload with a label.
  @Test("Operators of a SharedSequence are found beside overloads of a program") @MainActor
  func operatorsOfASharedSequenceAreFoundBesideOverloadsOfAProgram() {
    let numbers = Observable.of(1, 2, 3).asDriver(onErrorJustReturn: 0)
    var received: [String] = []
    _ = numbers.described().drive(onNext: { received.append($0) })
    #expect(received == ["2"])
    var constants: [String] = []
    _ = numbers.constant().drive(onNext: { constants.append($0) })
    #expect(constants == ["y", "y", "y"])
  }

  // MARK: create

  /// The observer may be used on another thread; elements fed there arrive in order.
  @Test("An observer of create is fed on another thread")
  func anObserverOfCreateIsFedOnAnotherThread() async throws {
    let source = Observable<Int>.create { observer in
      DispatchQueue.global().async {
        observer.onNext(1)
        observer.onNext(2)
        observer.onCompleted()
        observer.onNext(3)
      }
      return Disposables.create()
    }
    var received: [Int] = []
    for try await element in source.values { received.append(element) }
    #expect(received == [1, 2])
  }

  /// C6: an element fed inside the delivery of another follows it; C1: nothing follows the end.
  @Test("An element fed inside another follows it") func anElementFedInsideAnotherFollowsIt() {
    var observer: AnyObserver<Int>?
    let source = Observable<Int>.create {
      observer = $0
      return Disposables.create()
    }
    var log: [String] = []
    _ = source.subscribe(
      onNext: { element in
        log.append("begin \(element)")
        if element < 3 { observer?.onNext(element + 1) }
        if element == 2 { observer?.onCompleted() }
        log.append("end \(element)")
      }, onCompleted: { log.append("completed") })
    observer?.onNext(1)
    #expect(log == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3", "completed"])
  }

  /// C8: an observer that is kept after the end retains nothing downstream.
  @Test("An observer kept after the end retains nothing")
  func anObserverKeptAfterTheEndRetainsNothing() {
    final class Token {}
    var observer: AnyObserver<Int>?
    let source = Observable<Int>.create {
      observer = $0
      return Disposables.create()
    }
    weak var token: Token?
    do {
      let made = Token()
      token = made
      source.subscribe(onNext: { _ in _ = made }).dispose()
    }
    #expect(token == nil)
    observer?.onNext(1)
  }

  // MARK: values

  private final class Person: ReactiveObject {
    @Observed var name = "Ada"
  }

  /// What cannot fail is iterated without `try`.
  @Test("values of a sequence that cannot fail need no try") func valuesOfWhatCannotFailNeedNoTry()
    async
  {
    let relay = BehaviorRelay(value: 1)
    for await value in relay.values {
      #expect(value == 1)
      break
    }
    let person = Person()
    for await name in person.observe(\.name).values {
      #expect(name == "Ada")
      break
    }
    var all: [Int] = []
    for await value in Infallible.of(1, 2).values { all.append(value) }
    let property = ControlProperty(
      values: Observable.of(3), valueSink: AnyObserver<Int> { _ in })
    let streams: [AsyncStream<Int>] = [
      PublishRelay<Int>().values, ReplayRelay<Int>.create(bufferSize: 1).values, property.values,
      ControlEvent(events: Observable.of(4)).values, Signal.of(5).values,
    ]
    #expect(all == [1, 2])
    #expect(streams.count == 5)
  }

  /// The death of the source ends the subscription, and so the loop.
  @Test("Values end with the subscription") func valuesEndWithTheSubscription() async {
    var relay: PublishRelay<Int>? = PublishRelay()
    let values = relay!.values
    relay!.accept(1)
    relay = nil
    var received: [Int] = []
    for await value in values { received.append(value) }
    #expect(received == [1])
    var person: Person? = Person()
    let names = person!.observe(\.name).values
    person = nil
    var all: [String] = []
    for await name in names { all.append(name) }
    #expect(all == ["Ada"])
  }

  @Test("Values of an observable throw") func valuesOfAnObservableThrow() async {
    let stream: AsyncThrowingStream<Int, any Error> = Observable<Int>.error(RxError.timeout).values
    await #expect(throws: RxError.self) { for try await _ in stream {} }
    let relay: AsyncThrowingStream<Int, any Error> = BehaviorRelay(value: 1).asObservable().values
    _ = relay
  }
}

// A program's own overloads, as libraries of extensions declare them.
extension SharedSequenceConvertibleType {
  fileprivate func map<Result>(to value: Result) -> SharedSequence<SharingStrategy, Result> {
    map { _ in value }
  }

  fileprivate func filter(equalTo value: Element) -> SharedSequence<SharingStrategy, Element>
  where Element: Equatable {
    filter { $0 == value }
  }

  fileprivate func compactMap<Result>(to value: Result?) -> SharedSequence<SharingStrategy, Result>
  {
    compactMap { _ in value }
  }
}

extension SharedSequence where Trait: SharingStrategyProtocol, Element == Int {
  fileprivate func described() -> SharedSequence<SharingStrategy, String> {
    let even = self.filter { $0.isMultiple(of: 2) }
    return even.map { $0 * 10 }.compactMap { number in number > 0 ? "\(number / 10)" : nil }
  }

  fileprivate func constant() -> SharedSequence<SharingStrategy, String> {
    let texts = self.map { "\($0)" }
    return texts.map(to: "x").filter(equalTo: "x").compactMap(to: "y")
  }
}
