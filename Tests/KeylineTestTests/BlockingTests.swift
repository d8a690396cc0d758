import Dispatch
import Foundation
import Keyline
import KeylineTest
import TestSupport
import Testing
import XCTest

@Suite struct BlockingConcurrencyTests {
  let numbers = Observable.of(1, 2, 3)
  let failing = Observable<Int>.create { observer in
    observer.onNext(1)
    observer.onError(Failure())
    return Disposables.create()
  }

  @Test("Elements are returned") func elementsAreReturned() throws {
    #expect(try numbers.toBlocking().toArray() == [1, 2, 3])
    #expect(try numbers.toBlocking().first() == 1)
    #expect(try numbers.toBlocking().last() == 3)
    #expect(try Observable<Int>.empty().toBlocking().toArray() == [])
    #expect(try Observable<Int>.empty().toBlocking().first() == nil)
    #expect(try Observable<Int>.empty().toBlocking().last() == nil)
  }

  @Test("The single element is the only one") func theSingleElementIsTheOnlyOne() throws {
    #expect(try Observable.just(1).toBlocking().single() == 1)
    #expect(try numbers.toBlocking().single { $0 == 2 } == 2)
    #expect(throws: RxError.moreThanOneElement) { try numbers.toBlocking().single() }
    #expect(throws: RxError.noElements) { try Observable<Int>.empty().toBlocking().single() }
    #expect(throws: RxError.noElements) { try numbers.toBlocking().single { $0 > 5 } }
    #expect(throws: Failure.self) { try numbers.toBlocking().single { _ in throw Failure() } }
  }

  @Test("Errors are thrown") func errorsAreThrown() throws {
    #expect(throws: Failure.self) { try failing.toBlocking().toArray() }
    #expect(throws: Failure.self) { try failing.toBlocking().last() }
    #expect(throws: Failure.self) { try failing.toBlocking().single() }
    #expect(try failing.toBlocking().first() == 1)
  }

  @Test("The whole sequence materializes") func theWholeSequenceMaterializes() {
    guard case .completed(let elements) = numbers.toBlocking().materialize() else {
      Issue.record("must complete")
      return
    }
    #expect(elements == [1, 2, 3])
    guard case .failed(let elements, let error) = failing.toBlocking().materialize() else {
      Issue.record("must fail")
      return
    }
    #expect(elements == [1])
    #expect(error is Failure)
  }

  @Test("A synchronous source that never ends is left at the first element")
  func aSynchronousSourceThatNeverEndsIsLeftAtTheFirstElement() throws {
    #expect(try Observable.from(1...).toBlocking().first() == 1)
  }

  @Test("A sequence that takes too long is left") func aSequenceThatTakesTooLongIsLeft() {
    let subject = BehaviorSubject(value: 7)
    guard
      case .failed(let elements, let error) = subject.toBlocking(timeout: .milliseconds(1))
        .materialize()
    else {
      Issue.record("must time out")
      return
    }
    #expect(elements == [7])
    #expect(error as? RxError == .timeout)
    #expect(!subject.hasObservers)
    #expect(throws: RxError.timeout) {
      try Observable<Int>.never().toBlocking(timeout: .zero).first()
    }
  }

  @Test("Blocking waits for elements from another thread")
  func whatComesFromAnotherThreadIsWaitedFor() throws {
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    let ticks = Observable<Int>.interval(.milliseconds(1), scheduler: scheduler).take(3)
    #expect(try ticks.toBlocking(timeout: .seconds(60)).toArray() == [0, 1, 2])
    for _ in 0..<200 {
      #expect(try numbers.observe(on: scheduler).toBlocking().toArray() == [1, 2, 3])
    }
  }

  @Test("An end inside the subscription counts, however late")
  func anEndInsideTheSubscriptionCountsHoweverLate() throws {
    let late = Observable<Int>.create { observer in
      Thread.sleep(forTimeInterval: 0.01)
      observer.onNext(1)
      observer.onCompleted()
      return Disposables.create()
    }
    #expect(try late.toBlocking(timeout: .zero).toArray() == [1])
  }

  @Test("Several threads may wait") func severalThreadsMayWait() {
    let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
    let log = SharedLog<[Int]>()
    onThreads(2) { _ in
      let numbers = Observable.from(0..<100).observe(on: scheduler)
      log.append((try? numbers.toBlocking().toArray()) ?? [])
    }
    #expect(log.all == [Array(0..<100), Array(0..<100)])
  }
}

/// XCTest has the main thread to itself: work on the main queue must be performed there.
final class BlockingOnMainConcurrencyTests: XCTestCase {
  func testWhatComesThroughTheMainQueueArrivesOnTheMainThread() throws {
    let numbers = Observable.of(1, 2, 3)
    XCTAssertEqual(
      try numbers.observe(on: MainScheduler.asyncInstance).toBlocking(timeout: .seconds(60))
        .toArray(), [1, 2, 3])
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    XCTAssertEqual(
      try numbers.observe(on: scheduler).toBlocking(timeout: .seconds(60)).last(), 3)
    XCTAssertThrowsError(
      try Observable<Int>.never().toBlocking(timeout: .milliseconds(1)).first())
  }
}
