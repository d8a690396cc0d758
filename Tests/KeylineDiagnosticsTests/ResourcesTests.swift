import Keyline
import KeylineDiagnostics
import KeylineTest
import TestSupport
import Testing

/// Each in a process of its own: the counts are the process's.
@Suite struct ResourcesTests {
  @Test("Every kind is counted while it lives") func everyKindIsCountedWhileItLives() async {
    await #expect(processExitsWith: .success) {
      Resources.isCounting = true
      let bag = DisposeBag()
      #expect(Resources.counts == [.subscription: 0, .disposable: 1, .subject: 0])
      do {
        let subject = PublishSubject<Int>()
        let relay = BehaviorRelay(value: 0)
        #expect(Resources.counts[.subject] == 2)
        let subscription = subject.subscribe(onNext: relay.accept)
        _ = Observable.merge(subject, relay.asObservable()).take(2).subscribe()
        #expect(Resources.counts[.subscription] ?? 0 >= 2)
        subject.onNext(1)
        subscription.dispose()
        subject.onCompleted()
      }
      #expect(Resources.counts == [.subscription: 0, .disposable: 1, .subject: 0])
      #expect(Resources.total == 1)
      withExtendedLifetime(bag) {}
    }
  }

  @Test("A subject that lives on counts no subscription that has been disposed")
  func aSubjectThatLivesOnCountsNoSubscriptionThatHasBeenDisposed() async {
    await #expect(processExitsWith: .success) {
      Resources.isCounting = true
      let subject = PublishSubject<Int>()
      let bag = DisposeBag()
      for _ in 0..<5 { subject.map { $0 + 1 }.subscribe().disposed(by: bag) }
      #expect(Resources.counts == [.subscription: 5, .disposable: 1, .subject: 1])
      for _ in 0..<5 { subject.map { $0 + 1 }.subscribe().dispose() }
      #expect(Resources.counts == [.subscription: 5, .disposable: 1, .subject: 1])
    }
  }

  @Test("A disposed observation of a computed path is not counted")
  func aDisposedObservationOfAComputedPathIsNotCounted() async {
    await #expect(processExitsWith: .success) {
      final class Pair: ReactiveObject {
        @Observed var one = 1
        @Observed var other = 2
        var sum: Int { one + other }
      }
      let pair = Pair()
      pair.observe(\.sum).subscribe(onNext: { _ in }).dispose()
      Resources.isCounting = true
      for _ in 0..<5 { pair.observe(\.sum).subscribe(onNext: { _ in }).dispose() }
      #expect(Resources.total == 0, "\(Resources.counts)")
    }
  }

  @Test("An object made while counting is off is never counted")
  func whatIsMadeWhileOffIsNeverCounted() async {
    await #expect(processExitsWith: .success) {
      #expect(!Resources.isCounting)
      var early: PublishSubject<Int>? = PublishSubject()
      _ = early?.subscribe()
      #expect(Resources.total == 0)
      Resources.isCounting = true
      var late: PublishSubject<Int>? = PublishSubject()
      early = nil
      #expect(Resources.total == 1)
      withExtendedLifetime(late) {}
      Resources.isCounting = false
      late = nil
      #expect(Resources.total == 0)
      #expect(early == nil && late == nil)
    }
  }

  @Test("Disposables that hold something are counted") func disposablesThatHoldSomethingAreCounted()
    async
  {
    await #expect(processExitsWith: .success) {
      Resources.isCounting = true
      let held: [any Disposable] = [
        Disposables.create {}, CompositeDisposable(), SerialDisposable(), BooleanDisposable(),
        SingleAssignmentDisposable(), RefCountDisposable(disposable: Disposables.create()),
      ]
      #expect(Resources.total == 6)
      withExtendedLifetime(held) {}
    }
  }
}

@Suite struct ResourcesConcurrencyTests {
  @Test("Counts are right after many threads") func countsAreRightAfterManyThreads() async {
    await #expect(processExitsWith: .success) {
      Resources.isCounting = true
      let subject = PublishSubject<Int>()
      onThreads(4) { thread in
        for index in 0..<500 {
          if index % 50 == 0 { Resources.isCounting = index % 100 == 0 }
          let subscription = subject.map { $0 + 1 }.subscribe()
          subject.onNext(thread)
          subscription.dispose()
        }
      }
      #expect(Resources.total == 1)
      withExtendedLifetime(subject) {}
    }
  }
}
