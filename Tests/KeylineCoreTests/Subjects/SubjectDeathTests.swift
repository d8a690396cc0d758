import KeylineTest
import TestSupport
import Testing

@testable import KeylineCore

/// A subject may end without a termination, by its death or by `dispose()`: these tests check the
/// effect behind operators.
@Suite struct SubjectDeathTests {
  static let forwarding = [
    NamedOperator("map") { $0.map { $0 } },
    NamedOperator("startWith") { $0.startWith() },
    NamedOperator("delaySubscription") { source in
      source.delaySubscription(.zero, scheduler: ImmediateScheduler())
    },
    NamedOperator("skip(duration)") { $0.skip(.seconds(1), scheduler: IdleScheduler()) },
    NamedOperator("catch, failed") { source in
      Observable<Int>.error(Failure()).catch { _ in source }
    },
  ]

  static let others = [
    NamedOperator("take(for:)") { $0.take(for: .seconds(1), scheduler: IdleScheduler()) },
    NamedOperator("using") { source in Observable.using({ BooleanDisposable() }) { _ in source } },
    NamedOperator("do") { $0.do(onNext: { _ in }) },
    NamedOperator("do, do") { $0.do(onNext: { _ in }).do(onDispose: {}) },
    NamedOperator("debug") { $0.debug(longestEvent: 1) { _ in } },
    NamedOperator("asInfallible") { $0.asInfallible(onErrorJustReturn: 0).asObservable() },
    NamedOperator("catch") { $0.catch { _ in .empty() } },
    NamedOperator("take(until:)") { $0.take(until: Observable<Int>.never()) },
    NamedOperator("skip(until:)") { $0.skip(until: Observable.just(1)) },
    NamedOperator("withLatestFrom") { $0.withLatestFrom(Observable.just(1)) },
    NamedOperator("materialize") { $0.materialize().compactMap(\.element) },
    NamedOperator("reduce") { $0.reduce(0, accumulator: +) },
    NamedOperator("takeLast") { $0.takeLast(1) },
    NamedOperator("asMaybe") { $0.asMaybe().asObservable() },
    NamedOperator("first") { $0.first().asObservable().compactMap { $0 } },
    NamedOperator("ifEmpty") { $0.ifEmpty(default: 1) },
    NamedOperator("all") {
      $0.debug(longestEvent: 1) { _ in }.take(until: Observable<Int>.never()).do(onNext: { _ in })
        .catchAndReturn(1).withLatestFrom(Observable.just(1))
    },
    NamedOperator("amb") { $0.amb(Observable<Int>.never()) },
    NamedOperator("combineLatest") {
      Observable.combineLatest($0, Observable<Int>.never()) { $0 + $1 }
    },
    NamedOperator("zip") { Observable.zip($0, Observable<Int>.never()) { $0 + $1 } },
    NamedOperator("merge") { Observable.merge([$0, .never()]) },
    NamedOperator("flatMap") { $0.flatMap { Observable.just($0) } },
    NamedOperator("flatMapLatest") { $0.flatMapLatest { Observable.just($0) } },
    NamedOperator("concat") { $0.concat(Observable.just(1)) },
    NamedOperator("retry") { $0.retry() },
    NamedOperator("catch(sequence:)") { .catch(sequence: [$0]) },
    NamedOperator("groupBy") { $0.groupBy { $0 }.map { _ in 1 } },
    NamedOperator("window") { source in
      source.window(timeSpan: .seconds(1), count: 1, scheduler: IdleScheduler()).map { _ in 1 }
    },
    NamedOperator("buffer") { source in
      source.buffer(timeSpan: .seconds(1), count: 1, scheduler: IdleScheduler()).map { $0[0] }
    },
    NamedOperator("delay") { $0.delay(.seconds(1), scheduler: IdleScheduler()) },
    NamedOperator("debounce") { $0.debounce(.seconds(1), scheduler: IdleScheduler()) },
    NamedOperator("throttle") { $0.throttle(.seconds(1), scheduler: IdleScheduler()) },
    NamedOperator("timeout") { $0.timeout(.seconds(1), scheduler: IdleScheduler()) },
    NamedOperator("subscribe(on:)") { $0.subscribe(on: CurrentThreadScheduler.instance) },
    NamedOperator("publish") { $0.publish().refCount() },
    NamedOperator("sample") { $0.sample(Observable<Int>.never()) },
    NamedOperator("take(until: subject)") { Observable<Int>.never().take(until: $0) },
    NamedOperator("withLatestFrom(subject)") { Observable<Int>.never().withLatestFrom($0) },
    NamedOperator("observe(on:)") { $0.observe(on: CurrentThreadScheduler.instance) },
    NamedOperator("share") { $0.share() },
    NamedOperator("asDriver") { $0.asDriver(onErrorJustReturn: 0).asObservable() },
  ]

  private func log(of stage: NamedOperator, byDisposing: Bool) -> [String] {
    var log: [String] = []
    var subject: PublishSubject<Int>? = PublishSubject()
    _ = stage.apply(subject!.asObservable()).subscribe(
      onError: { _ in log.append("failed") }, onCompleted: { log.append("completed") },
      onDisposed: { log.append("disposed") })
    if byDisposing { subject?.dispose() }
    subject = nil
    return log
  }

  @Test(
    "Operators that keep nothing forward the death of a subject", arguments: forwarding,
    [false, true])
  func operatorsThatKeepNothingForwardTheDeathOfASubject(_ stage: NamedOperator, byDisposing: Bool)
  {
    // Retained by the observable, which is dropped when it has been subscribed to.
    #expect(log(of: stage, byDisposing: byDisposing) == ["disposed"])
  }

  @Test("Operators with a subscription of their own do not", arguments: others, [false, true])
  func operatorsWithASubscriptionOfTheirOwnDoNot(_ stage: NamedOperator, byDisposing: Bool) {
    #expect(log(of: stage, byDisposing: byDisposing) == [])
  }

  @Test("Disposing a subject inside a replay does not cut the replay")
  func disposingASubjectInsideAReplayDoesNotCutTheReplay() {
    let subject = ReplaySubject<Int>.createUnbounded()
    for value in 1...3 { subject.onNext(value) }
    var log: [String] = []
    _ = subject.subscribe(
      onNext: { value in
        log.append("\(value)")
        subject.dispose()
      }, onDisposed: { log.append("disposed") })
    #expect(log == ["1", "2", "3", "disposed"])
  }
}
