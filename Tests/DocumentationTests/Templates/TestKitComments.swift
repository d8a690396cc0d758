import Keyline
import KeylineTest

enum TestKitComments: SnippetFile {
  static let page = "Sources/KeylineTest"

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
    // block Blocking
    _ = names
    end("Blocking")
  }

  static func lifetimetrackerSwift1() {
    let source = PublishSubject<Int>()
    // block LifetimeTracker
    end("LifetimeTracker")
  }

  static func lifetimetrackerSwift2() {
    let model = Model()
    var form: Form! = Form()
    model.forms = [form]
    // block LifetimeTracker 2
    end("LifetimeTracker 2")
  }

  static func marblesSwift1() throws {
    let scheduler = TestScheduler(initialClock: 0)
    // block Marbles
    end("Marbles")
  }

  static func testschedulerSwift1() {
    // block TestScheduler
    end("TestScheduler")
  }
}
