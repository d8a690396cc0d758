import KeylineCore
import KeylineTest
import TestSupport
import Testing

/// Disposables that are disposed together, of which the first calls or releases code of the program that
/// emits: none of the others receives it.
@Suite struct DisposingTogetherTests {
  /// Emits when it is released.
  final class Emitter {
    let emit: () -> Void

    init(_ emit: @escaping () -> Void) { self.emit = emit }

    deinit { emit() }
  }

  enum Group: CaseIterable {
    case bag, composite, created, serialOfGroup, nested

    /// - Returns: disposes `first` and `second`.
    func dispose(_ first: any Disposable, _ second: any Disposable) {
      switch self {
      case .bag: _ = DisposeBag(disposing: first, second)
      case .composite: CompositeDisposable(first, second).dispose()
      case .created: Disposables.create(first, second).dispose()
      case .serialOfGroup:
        let serial = SerialDisposable()
        serial.disposable = Disposables.create(first, second)
        serial.dispose()
      case .nested:
        let group = CompositeDisposable(Disposables.create(first), Disposables.create(second))
        _ = DisposeBag(disposing: Disposables.create(), group)
      }
    }
  }

  enum Wrapping: CaseIterable {
    case none, composite, serial, singleAssignment, refCount, retained

    func wrap(_ disposable: any Disposable) -> any Disposable {
      switch self {
      case .none: return disposable
      case .composite: return CompositeDisposable(disposable)
      case .serial:
        let serial = SerialDisposable()
        serial.disposable = disposable
        return serial
      case .singleAssignment:
        let single = SingleAssignmentDisposable()
        single.setDisposable(disposable)
        return single
      case .refCount: return RefCountDisposable(disposable: disposable)
      case .retained:
        let counted = RefCountDisposable(disposable: disposable)
        return CompositeDisposable(counted.retain(), counted)
      }
    }
  }

  let subject = PublishSubject<Int>()
  let received = Log<Int>()

  @Test(
    "A subscription receives nothing that the disposal of an earlier one emits",
    arguments: Group.allCases, Wrapping.allCases)
  func aSubscriptionReceivesNothingThatTheDisposalOfAnEarlierOneEmits(
    group: Group, wrapping: Wrapping
  ) {
    let first = subject.subscribe(onDisposed: { [subject] in subject.onNext(1) })
    let second = subject.subscribe(onNext: received.append)
    group.dispose(first, wrapping.wrap(second))
    received.expect([])
    #expect(!subject.hasObservers)
  }

  @Test(
    "A subscription receives nothing that the release of an earlier one emits",
    arguments: Group.allCases)
  func aSubscriptionReceivesNothingThatTheReleaseOfAnEarlierOneEmits(group: Group) {
    var emitter: Emitter? = Emitter { [subject] in subject.onNext(1) }
    let other = PublishSubject<Int>()
    var first: (any Disposable)? = other.subscribe(onNext: { [emitter] _ in _ = emitter })
    emitter = nil
    let second = subject.subscribe(onNext: received.append)
    let disposable = first!
    first = nil
    group.dispose(disposable, second)
    received.expect([])
  }

  @Test("Operators of a later subscription are not called")
  func operatorsOfALaterSubscriptionAreNotCalled() {
    let (log, subject) = (received, subject)
    let logged = subject.map { element in
      log.append(element)
      return element
    }
    let later: [Observable<Int>] = [
      logged, logged.share(), logged.share(replay: 1), logged.share(replay: 1, scope: .forever),
      logged.publish().refCount(), .merge(logged, .never()), .zip(logged, logged) { $0 + $1 },
      .just(0).flatMapLatest { _ in logged }, .just(0).concat(logged), logged.catchAndReturn(0),
      logged.groupBy { $0 % 2 }.flatMap { $0 },
      logged.window(
        timeSpan: .seconds(1), count: 2, scheduler: TestScheduler(initialClock: 0)
      ).flatMap { $0 }, logged.observe(on: CurrentThreadScheduler.instance),
    ]
    for (index, source) in later.enumerated() {
      let bag = Guarded<DisposeBag?>(DisposeBag())
      bag.withLock { bag in
        bag?.insert(subject.subscribe(onDisposed: { subject.onNext(1) }), source.subscribe())
      }
      #expect(subject.hasObservers)
      bag.withLock { $0 = nil }
      #expect(log.take() == [], "\(index)")
      #expect(!subject.hasObservers, "\(index)")
    }
  }

  @Test("The connection of a connectable receives nothing")
  func theConnectionOfAConnectableReceivesNothing() {
    let (log, subject) = (received, subject)
    let connectable = subject.do(onNext: log.append).publish()
    let first = subject.subscribe(onDisposed: { subject.onNext(1) })
    Disposables.create(first, connectable.connect()).dispose()
    log.expect([])
  }

  @Test("A later action of a scheduler is not called", arguments: Group.allCases)
  func aLaterActionOfASchedulerIsNotCalled(group: Group) {
    let scheduler = TestScheduler(initialClock: 0)
    let log = received
    let first = Disposables.create { scheduler.start() }
    let second = scheduler.scheduleRelative((), dueTime: .seconds(1)) { _ in
      log.append(1)
      return Disposables.create()
    }
    let third = scheduler.schedulePeriodic(0, startAfter: .zero, period: .seconds(1)) { count in
      log.append(2)
      return count
    }
    group.dispose(first, Disposables.create(second, third))
    log.expect([])
  }

  @Test("Upstreams of one subscription receive nothing from the disposal of another")
  func upstreamsOfOneSubscriptionReceiveNothingFromTheDisposalOfAnother() {
    let (log, subject) = (received, subject)
    let logged = subject.do(onNext: log.append)
    let emitting = Observable<Int>.create { _ in Disposables.create { subject.onNext(1) } }
    let sources: [Observable<Int>] = [
      .merge(emitting, logged), .merge(logged, emitting), .zip(emitting, logged) { $0 + $1 },
      .zip(logged, emitting) { $0 + $1 }, .combineLatest([emitting, logged]) { $0[0] },
      .combineLatest([logged, emitting]) { $0[0] }, logged.take(until: emitting),
      emitting.take(until: logged), logged.withLatestFrom(emitting), emitting.sample(logged),
      .amb([emitting, logged]), .amb([logged, emitting]),
      .zip(logged.map { $0 }.share(), emitting.share()) { $0 + $1 },
    ]
    for (index, source) in sources.enumerated() {
      source.subscribe().dispose()
      #expect(log.take() == [], "\(index)")
      #expect(!subject.hasObservers, "\(index)")
    }
  }

  @Test("Closures with an unowned owner are not called while the owner's bag is released")
  func closuresWithAnUnownedOwnerAreNotCalledWhileTheOwnersBagIsReleased() async {
    await #expect(processExitsWith: .success) {
      final class Owner {
        let bag = DisposeBag()
        var value = 0

        init(_ subject: PublishSubject<Int>) {
          let emitter = Emitter { subject.onNext(1) }
          PublishSubject<Int>().subscribe(onNext: { _ in _ = emitter }).disposed(by: bag)
          subject.map { [unowned self] in value + $0 }.share().subscribe().disposed(by: bag)
          subject.subscribe(onNext: { [unowned self] in value = $0 }).disposed(by: bag)
        }
      }
      _ = Owner(PublishSubject())
    }
  }

  // MARK: What stays

  @Test("Disposables and their parts are disposed in order")
  func disposablesAndTheirPartsAreDisposedInOrder() {
    let log = Log<String>()
    func action(_ name: String) -> any Disposable { Disposables.create { log.append(name) } }
    func subscription(_ name: String) -> any Disposable {
      let source = Observable<Int>.create { _ in action("\(name) source") }
      return source.subscribe(onDisposed: { log.append(name) })
    }
    let serial = SerialDisposable()
    serial.disposable = CompositeDisposable(action("c"), subscription("d"))
    let group = CompositeDisposable(action("a"), subscription("b"), serial, action("e"))
    _ = DisposeBag(disposing: group, subscription("f"), RefCountDisposable(disposable: action("g")))
    log.expect(["a", "b source", "b", "c", "d source", "d", "e", "f source", "f", "g"])
  }

  @Test("An observer that subscribes to a share again inside its completion joins the connection")
  func anObserverThatSubscribesToAShareAgainInsideItsCompletionJoinsTheConnection() {
    var subscriptions = 0
    let shared = subject.do(onSubscribe: { subscriptions += 1 }).share(replay: 1)
    let log = received
    var inner: (any Disposable)?
    _ = shared.take(1).subscribe(onCompleted: { inner = shared.subscribe(onNext: log.append) })
    subject.onNext(1)
    subject.onNext(2)
    log.expect([1, 2])
    #expect(subscriptions == 1)
    inner?.dispose()
    #expect(!subject.hasObservers)
  }

  @Test("A hundred thousand groups of several kinds are disposed flat")
  func aHundredThousandGroupsOfSeveralKindsAreDisposedFlat() {
    let innermost = BooleanDisposable()
    var nested: any Disposable = innermost
    for level in 0..<100_000 {
      if level % 3 == 0 {
        let serial = SerialDisposable()
        serial.disposable = nested
        nested = serial
      } else if level % 3 == 1 {
        nested = RefCountDisposable(disposable: nested)
      } else {
        nested = CompositeDisposable(nested)
      }
    }
    let outermost = CompositeDisposable(nested)
    onThreads(1) { _ in outermost.dispose() }
    #expect(innermost.isDisposed)
  }
}
