import Dispatch
import KeylineCore
import Testing

/// The observer that `create` passes to its closure.
@Suite struct CreateTests {
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
}
