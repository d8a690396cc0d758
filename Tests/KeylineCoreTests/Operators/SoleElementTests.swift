import KeylineCore
import TestSupport
import Testing

/// `just` among inner observables: it is not subscribed to, and nothing else may differ from an
/// observable that is, and does the same.
@Suite struct SoleElementTests {
  private static let operators: [(name: String, flatten: Flattening)] = [
    ("flatMap", { $0.flatMap($1) }),
    ("flatMapFirst", { $0.flatMapFirst($1) }),
    ("flatMapLatest", { $0.flatMapLatest($1) }),
    ("concatMap", { $0.concatMap($1) }),
    ("merge(maxConcurrent: 2)", { $0.map($1).merge(maxConcurrent: 2) }),
  ]
  private typealias Flattening =
    @Sendable (PublishSubject<Int>, @escaping (Int) -> Observable<Int>) -> Observable<Int>

  @Test("Just is like any other synchronous inner", arguments: operators.indices)
  func justIsLikeAnyOtherSynchronousInner(index: Int) {
    let (name, flatten) = Self.operators[index]
    for seed in 0..<200 as Range<UInt64> {
      let program = FlatteningProgram(seed: seed, flatten) { .just($0) }
      let other = FlatteningProgram(seed: seed, flatten) { element in
        .create {
          $0.onNext(element)
          $0.onCompleted()
          return Disposables.create()
        }
      }
      let (log, expected) = (program.run(), other.run())
      #expect(log == expected, "\(name), seed \(seed)")
    }
  }

  @Test("Just ends the inner before it") func justEndsTheInnerBeforeIt() {
    let (source, inner) = (PublishSubject<Int>(), PublishSubject<Int>())
    let log = Log<Int>()
    log.follow(source.flatMapLatest { $0 == 0 ? inner : Observable.just($0) })
    source.onNext(0)
    inner.onNext(10)
    #expect(inner.hasObservers)
    source.onNext(1)
    inner.onNext(11)
    #expect(!inner.hasObservers)
    source.onNext(0)
    inner.onNext(12)
    source.onCompleted()
    #expect(!log.isCompleted)
    inner.onCompleted()
    #expect(log.isCompleted && log.take() == [10, 1, 12])
  }

  @Test("A long row does not use up the stack", arguments: operators.indices)
  func aLongRowDoesNotUseUpTheStack(index: Int) {
    let source = PublishSubject<Int>()
    var last = 0
    let subscription = Self.operators[index].flatten(source) { .just($0) }.subscribe(onNext: {
      last = $0
      // The observers of an inner that is running may not feed an operator that leaves it out.
      if $0 < 20_000, Self.operators[index].name != "flatMapFirst" { source.onNext($0 + 1) }
    })
    source.onNext(1)
    #expect(last == (Self.operators[index].name == "flatMapFirst" ? 1 : 20_000))
    subscription.dispose()
  }
}

/// A source, inner observables of three kinds, and an observer that feeds them again.
private final class FlatteningProgram {
  private var random: SplitMix
  private let source = PublishSubject<Int>()
  private let inners = (0..<3).map { _ in PublishSubject<Int>() }
  private var log: [String] = []
  private var subscription: (any Disposable)?
  private var output: Observable<Int>?
  private var reactions = 20

  init(
    seed: UInt64,
    _ flatten: (PublishSubject<Int>, @escaping (Int) -> Observable<Int>) -> Observable<Int>,
    sole: @escaping (Int) -> Observable<Int>
  ) {
    random = SplitMix(seed: seed)
    let inners = inners
    output = flatten(source) { element in
      switch element % 4 {
      case 0, 1: sole(element)
      case 2: inners[element % inners.count].asObservable()
      default: .of(element, -element)
      }
    }
  }

  func run() -> [String] {
    subscription = output?.subscribe(
      onNext: { [unowned self] in
        log.append("\($0)")
        guard reactions > 0, random.chance(1, of: 4) else { return }
        reactions -= 1
        act()
        log.append("after \($0)")
      },
      onError: { [unowned self] in log.append("\($0)") },
      onCompleted: { [unowned self] in log.append("completed") },
      onDisposed: { [unowned self] in log.append("disposed") })
    for _ in 0..<30 {
      act()
      log.append("inners \(inners.map(\.hasObservers))")
    }
    subscription?.dispose()
    return log
  }

  private func act() {
    switch random.number(0..<40) {
    case 0: source.onCompleted()
    case 1: subscription?.dispose()
    case 2: inners.randomElement(using: &random)?.onError(RxError.timeout)
    case 3...6: inners.randomElement(using: &random)?.onCompleted()
    case 7...14: inners.randomElement(using: &random)?.onNext(-1)
    default: source.onNext(random.number(0..<100))
    }
  }
}
