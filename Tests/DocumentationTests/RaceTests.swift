import Foundation
import Testing

/// Programs with a data race that the compiler refuses in Swift 6 mode: an object that is not `Sendable`
/// would reach another thread, or an object of the main actor would be used elsewhere.
@Suite(.enabled(if: SymbolGraph.canBeExtracted)) struct RaceTests {
  struct Program {
    let name: String
    /// The body of a function that any thread may call. `model` is not `Sendable`, and is used again afterwards.
    let body: String
    let message: String
  }

  private static let mainIsConfined =
    "main actor-isolated conformance of 'MainScheduler' to 'ThreadConfinedSchedulerType' cannot be used in nonisolated context"
  private static let notSendable = "type 'Model' does not conform to the 'Sendable' protocol"

  static let programs = [
    Program(
      name: "ObserveOnMain", body: "_ = models.observe(on: MainScheduler.instance)",
      message: mainIsConfined),
    Program(
      name: "SubscribeOnMain", body: "_ = models.subscribe(on: MainScheduler.instance)",
      message: mainIsConfined),
    Program(
      name: "DelayOnMain", body: "_ = models.delay(.zero, scheduler: MainScheduler.instance)",
      message: mainIsConfined),
    Program(
      name: "DebounceOnMain", body: "_ = models.debounce(.zero, scheduler: MainScheduler.instance)",
      message: mainIsConfined),
    Program(
      name: "TimeoutOnMain",
      body: "_ = models.timeout(.zero, other: models, scheduler: MainScheduler.instance)",
      message: mainIsConfined),
    Program(
      name: "TakeForOnMain",
      body: "_ = models.take(for: .zero, scheduler: MainScheduler.instance).takeLast(1)",
      message: mainIsConfined),
    Program(
      name: "OfOnMain",
      body: "_ = Observable.of(model, model, scheduler: MainScheduler.instance)",
      message: mainIsConfined),
    Program(
      name: "ObserveElsewhere",
      body: "_ = models.observe(on: ConcurrentDispatchQueueScheduler(qos: .default))",
      message: notSendable),
    Program(
      name: "Drive",
      body: "_ = models.asDriver(onErrorJustReturn: model).drive(onNext: { $0.count += 1 })",
      message:
        "main actor-isolated property 'drive' can not be referenced from a nonisolated context"),
    Program(
      name: "Emit",
      body: "_ = models.asSignal(onErrorJustReturn: model).emit(onNext: { $0.count += 1 })",
      message:
        "main actor-isolated property 'emit' can not be referenced from a nonisolated context"),
    Program(
      name: "BinderOfTarget", body: "_ = Binder<Int>(model) { $0.count = $1 }",
      message:
        "call to main actor-isolated initializer 'init(_:scheduler:binding:)' in a synchronous nonisolated context"
    ),
    Program(
      name: "BinderElsewhere",
      body: """
        _ = Binder<Model>(Target(), scheduler: ConcurrentDispatchQueueScheduler(qos: .default)) {
          $1.count += 1
        }
        """,
      message: notSendable),
    Program(
      name: "BinderOfProperty", body: "_ = Reactive(model).count",
      message:
        "main actor-isolated subscript 'subscript(dynamicMember:)' can not be referenced from a nonisolated context"
    ),
    Program(
      name: "ControlEvents", body: "_ = ControlEvent(events: models)",
      message:
        "call to main actor-isolated initializer 'init(events:)' in a synchronous nonisolated context"
    ),
    Program(
      name: "ControlProperties", body: "_ = ControlProperty(values: models, valueSink: models)",
      message:
        "call to main actor-isolated initializer 'init(values:valueSink:)' in a synchronous nonisolated context"
    ),
    Program(name: "Blocking", body: "_ = models.toBlocking()", message: notSendable),
    Program(
      name: "DisposeOnClock",
      body: """
        _ = ScheduledDisposable(
          scheduler: TestScheduler(initialClock: 0), disposable: Disposables.create())
        """,
      message: "type 'TestScheduler' does not conform to the 'Sendable' protocol"),
    Program(name: "Values", body: "_ = models.values", message: notSendable),
    Program(
      name: "IsolatedObserver",
      body: """
        @MainActor final class Log: @MainActor ObserverType {
          func on(_ event: Event<Model>) {}
        }
        """,
      message: isolated("BindingTarget")),
    Program(
      name: "IsolatedTarget",
      body: """
        @MainActor final class Log: @MainActor BindingTarget {
          func asObserver() -> AnyObserver<Int> { AnyObserver { _ in } }
        }
        """,
      message: isolated("BindingTarget")),
    Program(
      name: "IsolatedSource",
      body: """
        @MainActor final class Log: @MainActor ObservableConvertibleType {
          func asObservable() -> Observable<Int> { .just(1) }
        }
        """,
      message: isolated("ObservableConvertibleType")),
    Program(
      name: "IsolatedStrategy",
      body: """
        @MainActor enum Log: @MainActor TraitType {
          static func share<Element>(_ source: Observable<Element>) -> Observable<Element> { source }
        }
        """,
      message: isolated("TraitType")),
    Program(
      name: "IsolatedScheduler",
      body: """
        @MainActor final class Log: @MainActor SchedulerType {
          let now = Duration.zero
          func schedule<State>(
            _ state: State, action: @escaping (State) -> any Disposable
          ) -> any Disposable { action(state) }
          func scheduleRelative<State>(
            _ state: State, dueTime: Duration, action: @escaping (State) -> any Disposable
          ) -> any Disposable { action(state) }
        }
        """,
      message: isolated("SchedulerType")),
    Program(
      name: "PlainObject", body: "send(Document())",
      message: "type 'Document' does not conform to the 'Sendable' protocol"),
    Program(
      name: "MainPropertySet", body: "func use(_ row: Row) { row.title = \"\" }",
      message:
        "main actor-isolated property 'title' can not be mutated from a nonisolated context"),
    Program(
      name: "MainPropertyObserved", body: "func use(_ row: Row) { _ = row.observe(\\.title) }",
      message: "cannot form key path to main actor-isolated property 'title'"),
  ]

  /// A conformance whose functions the core would call on other threads than the main thread.
  private static func isolated(_ name: String) -> String {
    "cannot form main actor-isolated conformance of 'Log' to SendableMetatype-inheriting protocol '\(name)'"
  }

  /// The first error in each file that the compiler reports for `programs`, as one module.
  private static func errors(of programs: [Program]) throws -> [String: String] {
    var files = [
      "Model": """
      import Keyline
      final class Model { var count = 0 }
      final class Target: Sendable {}
      final class Document: ReactiveObject { @Observed var title = "" }
      @MainActor final class Row: MainReactiveObject { @Observed var title = "" }
      func send(_ object: some Sendable) {}

      """
    ]
    for program in programs {
      files[program.name] = """
        import Dispatch
        import Keyline
        import KeylineTest
        func call\(program.name)(_ models: PublishSubject<Model>, _ model: Model) {
        \(program.body)
        models.onNext(model)
        model.count += 1
        }

        """
    }
    return try TypeChecker.messages(in: files).compactMapValues(\.first)
  }

  @Test("No race compiles") func noRaceCompiles() throws {
    let errors = try Self.errors(of: Self.programs)
    let expected = Self.programs.map { ($0.name, $0.message) }
    #expect(errors == Dictionary(uniqueKeysWithValues: expected))
  }

  @Test("An object of the main actor may be sent, and used there")
  func anObjectOfTheMainActorMayBeSent() throws {
    let body = """
      func use(_ row: Row) {
        send(row)
        Task { @MainActor in
          _ = row.observe(\\.title)
          row.title = "a"
        }
      }
      """
    #expect(try Self.errors(of: [Program(name: "Main", body: body, message: "")]) == [:])
  }

  /// That the programs are refused for their elements, and not for something else.
  @Test("Values may be sent") func valuesMayBeSent() throws {
    let programs = Self.programs.filter { $0.message == Self.mainIsConfined }.map { program in
      Program(
        name: program.name,
        body:
          "do {\nlet (models, model) = (PublishSubject<Int>(), 1)\n\(program.body)\n_ = (models, model)\n}",
        message: "")
    }
    #expect(programs.count == 7)
    #expect(try Self.errors(of: programs) == [:])
  }
}
