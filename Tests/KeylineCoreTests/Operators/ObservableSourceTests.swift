import Foundation
import KeylineCore
import KeylineFoundation
import Testing

/// Typical code for RxSwift 6, for its whole interface: types, labels, defaults and results spelt
/// out. These tests check that the code compiles; other tests check its behaviour.
@Suite struct ObservableSourceTests {
  enum SomeError: Error { case some }

  let disposeBag = DisposeBag()
  let scheduler = CurrentThreadScheduler.instance
  let timeScheduler: any SchedulerType = ImmediateScheduler()
  let source: Observable<Int> = Observable.of(1, 2, 3)
  let text: Observable<String> = Observable.from(["a", "b"])

  /// Subscribes, and counts how often `observable` has emitted.
  func count<Source: ObservableType>(_ observable: Source) -> Int {
    var count = 0
    observable.subscribe(onNext: { _ in count += 1 }, onError: { _ in }).disposed(by: disposeBag)
    return count
  }

  func expect(_ counts: [Int], _ expected: [Int]) { #expect(counts == expected) }

  @Test("Types and protocols") func typesAndProtocols() {
    func take<O: ObservableType>(_ observable: O) -> Observable<O.Element> where O.Element == Int {
      observable.asObservable()
    }
    func convert<O: ObservableConvertibleType>(_ convertible: O) -> Observable<O.Element> {
      convertible.asObservable()
    }
    func feed<O: ObserverType>(_ observer: O) where O.Element == Int {
      observer.onNext(1)
      observer.on(.next(2))
      observer.onCompleted()
    }
    func pass<S: SubjectType>(_ subject: S) -> S.Observer where S.Element == Int {
      subject.asObserver()
    }
    let subject: PublishSubject<Int> = PublishSubject<Int>()
    var events: [Event<Int>] = []
    let observer: AnyObserver<Int> = AnyObserver { event in events.append(event) }
    let mapped: AnyObserver<String> = observer.mapObserver { $0.count }
    take(subject).subscribe(observer).disposed(by: disposeBag)
    convert(subject).map { "\($0)" }.subscribe(mapped).disposed(by: disposeBag)
    feed(pass(subject))
    #expect(events.count == 6)
    let event: Event<Int> = .next(1)
    #expect(event.element == 1 && event.error == nil && !event.isCompleted && !event.isStopEvent)
    let strings: Event<String> = event.map { "\($0)" }
    #expect(strings.element == "1" && "\(strings)" == "next(1)")
  }

  @Test("Disposables") func disposables() {
    var disposed = 0
    let nop: Disposable = Disposables.create()
    let one: Cancelable = Disposables.create { disposed += 1 }
    let two: Disposable = Disposables.create(with: { disposed += 1 })
    let both: Cancelable = Disposables.create(nop, one)
    let all: Disposable = Disposables.create([two, both, Disposables.create()])
    let composite: CompositeDisposable = CompositeDisposable(disposables: [all])
    let key: CompositeDisposable.DisposeKey? = composite.insert(BooleanDisposable())
    if let key { composite.remove(for: key) }
    let serial: SerialDisposable = SerialDisposable()
    serial.disposable = composite
    let single: SingleAssignmentDisposable = SingleAssignmentDisposable()
    single.setDisposable(serial)
    let counted: RefCountDisposable = RefCountDisposable(disposable: single)
    let scheduled: ScheduledDisposable = ScheduledDisposable(
      scheduler: scheduler, disposable: counted)
    var bag: DisposeBag? = DisposeBag()
    bag?.insert(scheduled)
    bag?.insert(nop, one)
    bag?.insert([nop])
    bag?.insert {
      nop
      two
    }
    bag = DisposeBag {
      nop
      one
    }
    bag = nil
    #expect(disposed == 2)
    #expect(composite.isDisposed && composite.count == 0)
  }

  @Test("Creating") func creating() {
    let created: Observable<Int> = Observable<Int>.create { observer -> Disposable in
      observer.onNext(1)
      observer.onError(SomeError.some)
      return Disposables.create()
    }
    let deferred: Observable<Int> = Observable.deferred { .just(1) }
    let just: Observable<Int> = Observable.just(1, scheduler: scheduler)
    let of: Observable<Int> = Observable.of(1, 2, scheduler: scheduler)
    let array: Observable<Int> = Observable.from([1, 2], scheduler: scheduler)
    let sequence: Observable<Int> = Observable.from(1...2)
    let optional: Observable<Int> = Observable.from(optional: 1)
    let generated: Observable<Int> = Observable.generate(
      initialState: 0, condition: { $0 < 3 }, scheduler: scheduler, iterate: { $0 + 1 })
    let range: Observable<Int> = Observable.range(start: 0, count: 3, scheduler: scheduler)
    let repeated: Observable<Int> = Observable.repeatElement(1, scheduler: scheduler).take(2)
    let using: Observable<Int> = Observable.using(
      { BooleanDisposable() }, observableFactory: { _ in .just(1) })
    let timer: Observable<Int> = Observable<Int>.timer(.seconds(1), scheduler: timeScheduler)
    let counting: Observable<Int> = Observable<Int>.interval(
      .milliseconds(1), scheduler: IdleScheduler())
    let more: Observable<Int> = Observable<Int>.timer(
      .seconds(1), period: .seconds(1), scheduler: IdleScheduler())
    let all = [
      created, deferred, just, of, array, sequence, optional, generated, range, repeated, using,
      timer, counting, more, .empty(), .never(), .error(SomeError.some),
    ]
    #expect(all.map(count) == [1, 1, 1, 2, 2, 2, 1, 3, 3, 2, 1, 1, 0, 0, 0, 0, 0])
  }

  @Test("Transforming") func transforming() {
    let mapped: Observable<String> = source.map { "\($0)" }
    let compact: Observable<Int> = text.compactMap { Int($0) }
    let flat: Observable<Int> = source.flatMap { Observable.just($0) }
    let first: Observable<Int> = source.flatMapFirst { Observable.just($0) }
    let latest: Observable<Int> = source.flatMapLatest { Single.just($0) }
    let concatenated: Observable<Int> = source.concatMap { Observable.just($0) }
    let sums: Observable<Int> = source.scan(0) { sum, value in sum + value }
    let arrays: Observable<[Int]> = source.scan(into: []) { array, value in array.append(value) }
    let buffered: Observable<[Int]> = source.buffer(
      timeSpan: .seconds(1), count: 2, scheduler: IdleScheduler())
    let windows: Observable<Observable<Int>> = source.window(
      timeSpan: .seconds(1), count: 2, scheduler: IdleScheduler())
    let groups: Observable<GroupedObservable<Bool, Int>> = source.groupBy { $0.isMultiple(of: 2) }
    let keys: Observable<Bool> = groups.map { $0.key }
    let pairs: Observable<(index: Int, element: Int)> = source.enumerated()
    let events: Observable<Event<Int>> = source.materialize()
    let back: Observable<Int> = events.dematerialize()
    let array: Single<[Int]> = source.toArray()
    let decoded: Observable<[Int]> = Observable.just(Data("[1]".utf8))
      .decode(type: [Int].self, decoder: JSONDecoder())
    #expect([flat, first, latest, concatenated, sums, back].map(count) == [3, 3, 3, 3, 3, 3])
    expect([count(mapped), count(compact), count(arrays), count(buffered)], [3, 0, 3, 2])
    expect([count(windows), count(keys), count(pairs), count(events)], [2, 2, 3, 4])
    expect([count(array.asObservable()), count(decoded)], [1, 1])
  }

  @Test("Filtering") func filtering() {
    let all: [Observable<Int>] = [
      source.filter { $0 > 1 }, source.distinctUntilChanged(),
      source.distinctUntilChanged { $0 % 2 }, source.distinctUntilChanged { $0 == $1 },
      source.distinctUntilChanged({ $0 % 2 }, comparer: { $0 == $1 }),
      source.distinctUntilChanged(at: \.self), source.element(at: 1), source.take(1).single(),
      source.single { $0 == 2 }, source.take(2),
      source.take(for: .seconds(1), scheduler: IdleScheduler()),
      source.take(until: Observable<Void>.never()), source.take(until: { $0 == 2 }),
      source.take(until: { $0 == 2 }, behavior: .inclusive),
      source.take(while: { $0 < 2 }), source.take(while: { $0 < 2 }, behavior: .inclusive),
      source.takeLast(1), source.skip(1), source.skip(.seconds(1), scheduler: timeScheduler),
      source.skip(until: Observable<Int>.never()), source.skip(while: { $0 < 2 }),
      source.sample(Observable.just(())), source.sample(Observable.just(()), defaultValue: 0),
      source.debounce(.seconds(1), scheduler: timeScheduler),
      source.throttle(.seconds(1), scheduler: IdleScheduler()),
      source.throttle(.seconds(1), latest: false, scheduler: IdleScheduler()),
    ]
    let counts = all.map(count)
    #expect(counts.prefix(21) == [2, 3, 3, 3, 3, 3, 1, 1, 1, 2, 3, 3, 1, 2, 1, 2, 1, 2, 3, 0, 2])
    #expect(counts.count == 26)
    let first: Single<Int?> = source.first()
    let ignored: Observable<Never> = source.ignoreElements()
    let completable: Completable = ignored.asCompletable()
    #expect(count(first.asObservable()) == 1)
    completable.subscribe().disposed(by: disposeBag)
  }

  @Test("Combining") func combining() {
    let pair: Observable<(Int, String)> = Observable.combineLatest(source, text)
    let joined: Observable<String> = Observable.combineLatest(source, text) { "\($0)\($1)" }
    let three: Observable<Int> = Observable.combineLatest(
      source, source, source, resultSelector: { $0 + $1 + $2 })
    let many: Observable<[Int]> = Observable.combineLatest([source, source])
    let sum: Observable<Int> = Observable.combineLatest([source, source]) { $0.reduce(0, +) }
    let zipped: Observable<(Int, String)> = Observable.zip(source, text)
    let zippedWith: Observable<String> = Observable.zip(source, text) { "\($0)\($1)" }
    let zippedMany: Observable<[Int]> = Observable.zip([source, source])
    let zippedSum: Observable<Int> = Observable.zip([source, source]) { $0.reduce(0, +) }
    let merged: [Observable<Int>] = [
      Observable.merge(source, source), Observable.merge([source, source]),
      Observable.of(source, source).merge(), Observable.of(source, source).merge(maxConcurrent: 1),
      source.concat(source), Observable.concat(source, source),
      Observable.concat([source, source]),
      Observable.of(source, source).concat(), source.amb(Observable.never()),
      Observable.amb([source, source]),
      source.startWith(0), source.startWith(-1, 0), Observable.of(source, source).switchLatest(),
    ]
    #expect(merged.map(count) == [6, 6, 6, 6, 6, 6, 6, 6, 3, 3, 4, 5, 4])
    let with: Observable<String> = source.withLatestFrom(Observable.just("a"))
    let withBoth: Observable<String> = source.withLatestFrom(Observable.just("a")) { "\($0)\($1)" }
    let owned: Observable<(DisposeBag, Int)> = source.withUnretained(disposeBag)
    let ownedWith: Observable<Int> = source.withUnretained(disposeBag, resultSelector: { $1 })
    expect([count(zipped), count(zippedWith), count(zippedMany), count(zippedSum)], [2, 2, 3, 3])
    #expect(
      [count(pair), count(joined), count(three), count(many), count(sum)].allSatisfy { $0 > 2 })
    expect([count(with), count(withBoth), count(owned), count(ownedWith)], [3, 3, 3, 3])
  }

  @Test("Conditional errors and sharing") func conditionalErrorsAndSharing() {
    let failing: Observable<Int> = source.concat(Observable.error(SomeError.some))
    let subject: ConnectableObservable<Int> = source.multicast(PublishSubject<Int>())
    let made: ConnectableObservable<Int> = source.multicast(makeSubject: { PublishSubject<Int>() })
    let published: ConnectableObservable<Int> = source.publish()
    let connection: Disposable = published.connect()
    connection.dispose()
    let all: [Observable<Int>] = [
      Observable.empty().ifEmpty(default: 1), Observable.empty().ifEmpty(switchTo: source),
      source.reduce(0, accumulator: +), source.reduce(0, accumulator: +, mapResult: { $0 * 2 }),
      failing.catch { _ in .just(4) }, failing.catchAndReturn(4),
      Observable.catch(sequence: [failing, source]), failing.retry(2), source.retry(),
      failing.retry { errors in errors.take(1) },
      failing.retry { (errors: Observable<SomeError>) in errors.take(1) },
      source.share(), source.share(replay: 1), source.share(replay: 1, scope: .forever),
      source.share(replay: 2, scope: .whileConnected), subject.refCount(), made.refCount(),
      source.replay(1).refCount(), source.replayAll().refCount(),
    ]
    #expect(
      all.map(count) == [1, 3, 1, 1, 4, 4, 6, 6, 3, 6, 6, 3, 3, 3, 3, 3, 3, 3, 3])
  }

  @Test("Timing and utility") func timingAndUtility() {
    let all: [Observable<Int>] = [
      source.observe(on: scheduler), source.subscribe(on: scheduler),
      source.delay(.seconds(1), scheduler: timeScheduler),
      source.delaySubscription(.seconds(1), scheduler: timeScheduler),
      source.timeout(.seconds(1), scheduler: IdleScheduler()),
      source.timeout(.seconds(1), other: source, scheduler: IdleScheduler()),
      source.do(onNext: { _ in }), source.do(onNext: { _ in }, onCompleted: {}),
      source.do(onSubscribe: {}, onSubscribed: {}, onDispose: {}),
      source.do(afterNext: { _ in }, onError: { _ in }, afterError: { _ in }, afterCompleted: {}),
      source.debug(), source.debug("numbers"), source.debug("numbers", trimOutput: true),
    ]
    #expect(all.map(count) == Array(repeating: 3, count: 13))
    source.subscribe(with: disposeBag, onNext: { _, _ in }, onCompleted: { _ in })
      .disposed(by: disposeBag)
    source.subscribe { event in _ = event.element }.disposed(by: disposeBag)
    #expect(count(source.observe(on: MainScheduler.instance).take(0)) == 0)
  }
}
