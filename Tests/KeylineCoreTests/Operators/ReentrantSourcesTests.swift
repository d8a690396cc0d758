import KeylineCore
import TestSupport
import Testing

/// What an observer emits into several sources of one operator: each subject has a queue of its own.
@Suite struct ReentrantSourcesTests {
  let first = PublishSubject<Int>()
  let second = PublishSubject<Int>()

  /// The events of `output`. Its first element makes the observer emit 2 into the first source, which is
  /// delivering 1, and then 3 into the second.
  private func events<Element>(of output: Observable<Element>) -> [Event<Element>] {
    var events: [Event<Element>] = []
    _ = output.subscribe { [first, second] event in
      events.append(event)
      guard events.count == 1 else { return }
      first.onNext(2)
      second.onNext(3)
    }
    first.onNext(1)
    return events
  }

  @Test("C6: An operator receives the element of the source that is delivering last")
  func c6DelaysTheElementOfTheDeliveringSource() {
    #expect(events(of: Observable.merge(first, second)) == [.next(1), .next(3), .next(2)])
  }

  @Test("C6: combineLatest receives the other source first")
  func c6CombineLatestReceivesTheOtherSourceFirst() {
    let output = Observable.combineLatest(first, second.startWith(0)) { [$0, $1] }
    #expect(events(of: output) == [.next([1, 0]), .next([1, 3]), .next([2, 3])])
  }

  @Test("C6: withLatestFrom receives the other source first")
  func c6WithLatestFromReceivesTheOtherSourceFirst() {
    let output = first.withLatestFrom(second.startWith(0)) { [$0, $1] }
    #expect(events(of: output) == [.next([1, 0]), .next([2, 3])])
  }

  @Test("C6: take(until:) ends before the element that waits")
  func c6TakeUntilEndsBeforeTheElementThatWaits() {
    #expect(events(of: first.take(until: second)) == [.next(1), .completed])
  }
}
