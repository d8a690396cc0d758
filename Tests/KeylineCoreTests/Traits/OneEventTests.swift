import KeylineCore
import TestSupport
import Testing

/// An emitter of a trait with one event passes on the first, whoever calls it again.
@Suite struct OneEventTests {
  @Test("An emitter that is called inside the delivery of its event passes on nothing")
  func anEmitterThatIsCalledInsideTheDeliveryOfItsEventPassesOnNothing() {
    var log: [String] = []
    var emit: ((SingleEvent<Int>) -> Void)?
    let single = Single<Int>.create { observer in
      emit = observer
      return Disposables.create()
    }
    let subscription = single.map { number in
      log.append("map \(number)")
      emit?(.success(number + 1))
      emit?(.failure(RxError.unknown))
      return number
    }
    .do(onSuccess: { _ in emit?(.success(9)) })
    .subscribe(onSuccess: { log.append("\($0)") }, onFailure: { log.append("\($0)") })
    emit?(.success(1))
    emit?(.success(5))
    #expect(log == ["map 1", "1"])
    subscription.dispose()
    emit = nil
  }

  @Test("Maybe and completable likewise") func maybeAndCompletableLikewise() {
    var log: [String] = []
    let maybe = Maybe<Int>.create { observer in
      observer(.completed)
      observer(.success(1))
      return Disposables.create()
    }
    maybe.subscribe(onSuccess: { log.append("\($0)") }, onCompleted: { log.append("completed") })
      .dispose()
    let completable = Completable.create { observer in
      observer(.error(RxError.unknown))
      observer(.completed)
      return Disposables.create()
    }
    completable.subscribe(
      onCompleted: { log.append("late") }, onError: { _ in log.append("failed") }
    )
    .dispose()
    #expect(log == ["completed", "failed"])
  }

  @Test("Two threads emit one event") func twoThreadsEmitOneEvent() {
    for _ in 0..<500 {
      let log = Log<Int>()
      let emitters = Guarded<[(SingleEvent<Int>) -> Void]>([])
      let single = Single<Int>.create { observer in
        emitters.withLock { $0.append(observer) }
        return Disposables.create()
      }
      let subscription = single.map { $0 }.subscribe(onSuccess: { log.append($0) })
      onThreads(2) { thread in
        let emit = emitters.withLock { $0[0] }
        emit(.success(thread))
      }
      #expect(log.elements.count == 1)
      subscription.dispose()
    }
  }
}
