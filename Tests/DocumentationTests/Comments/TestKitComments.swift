import Keyline
import KeylineTest

enum TestKitComments: SnippetFile {
  static let page = "Sources/KeylineTest"
  static let file = #filePath

  static func run() async throws {
    try blockingSwift1()
    lifetimetrackerSwift1()
    lifetimetrackerSwift2()
    try marblesSwift1()
    testschedulerSwift1()
  }

  struct Service { func names() -> Observable<String> { .of("Ada", "Bea") } }
  final class Form: ReactiveObject {}
  final class Model: ReactiveObject { @Observed var forms: [Form] = [] }

  static func blockingSwift1() throws {
    let service = Service()
    // snippet
    let names = try service.names().toBlocking(timeout: .seconds(5)).toArray()
    // end
    _ = names
    end()
  }

  static func lifetimetrackerSwift1() {
    let source = PublishSubject<Int>()
    // snippet
    let tracker = LifetimeTracker()
    let subscription = source.map { [token = tracker.track()] in token.pass($0) }.subscribe { _ in }
    print(tracker.alive)
    subscription.dispose()
    print(tracker.alive)
    end()
  }

  static func lifetimetrackerSwift2() {
    let model = Model()
    var form: Form! = Form()
    model.forms = [form]
    // snippet
    let tracker = LifetimeTracker()
    tracker.track(form)
    form = nil
    print(tracker.alive, tracker.survivors(reachableFrom: model))
    end()
  }

  static func marblesSwift1() throws {
    let scheduler = TestScheduler(initialClock: 0)
    // snippet
    let marbles = Marbles<Int>()
    let source = try scheduler.createHotObservable("--1--2----|", marbles)
    let result = scheduler.start { source.map { $0 * 2 } }
    print(try marbles.mismatch(result.events, "--2--4----|") == nil)
    end()
  }

  static func testschedulerSwift1() {
    // snippet
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
    let result = scheduler.start { source.map { $0 * 10 } }
    print(result.events)
    print(source.subscriptions)
    end()
  }
}
