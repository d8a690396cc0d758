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

  /// After a termination `onDisposed` is called last; RxSwift calls it before the disposable.
  @Test("The disposable of create comes before onDisposed")
  func theDisposableOfCreateComesBeforeOnDisposed() {
    var observer: AnyObserver<Int>?
    var log: [String] = []
    let source = Observable<Int>.create {
      observer = $0
      return Disposables.create { log.append("disposable") }
    }
    func subscribe() -> any Disposable {
      source.subscribe(
        onError: { _ in log.append("error") }, onCompleted: { log.append("completed") },
        onDisposed: { log.append("disposed") })
    }
    _ = subscribe()
    observer?.onCompleted()
    _ = subscribe()
    observer?.onError(RxError.unknown)
    subscribe().dispose()
    #expect(
      log == [
        "completed", "disposable", "disposed", "error", "disposable", "disposed", "disposable",
        "disposed",
      ])
  }

  /// RxSwift subscribes to all sources, and to the successor of a failed source before disposing that.
  @Test("Nothing is subscribed to in vain") func nothingIsSubscribedToInVain() {
    var log: [String] = []
    func source(_ name: String, _ base: Observable<Int>) -> Observable<Int> {
      .create { observer in
        log.append(name)
        let subscription = base.subscribe(observer)
        return Disposables.create {
          subscription.dispose()
          log.append("-\(name)")
        }
      }
    }
    let failing = source("a", .error(RxError.unknown))
    let other = source("b", .just(1))
    _ = Observable.combineLatest(failing, other).subscribe { _ in }
    _ = Observable.zip(failing, other).subscribe { _ in }
    _ = Observable.merge(other, failing).take(1).subscribe { _ in }
    _ = other.amb(failing).subscribe { _ in }
    #expect(log == ["a", "-a", "a", "-a", "b", "-b", "b", "-b"])
    log = []
    let subject = PublishSubject<Int>()
    _ = source("a", subject).catch { _ in other }.subscribe { _ in }
    subject.onError(RxError.unknown)
    #expect(log == ["a", "-a", "b", "-b"])
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
