import Keyline
import Observation
import Testing

/// A `@MainActor` view model and a plain model, bound to each other on the main actor: that this
/// file compiles in Swift 6 mode without warnings is half of the test.
@Suite @MainActor struct IsolationTests {
  final class Model: ReactiveObject {
    @Observed var name = "Ada"
    @Observed var edited = ""
    @WeakObserved var owner: Model?
  }

  @MainActor final class ViewModel: ReactiveObject {
    @Observed var title = ""
    @Observed var ownerName: String?
    @WeakObserved var selection: Model?
    private let bag = DisposeBag()
    private(set) var shown: [String] = []

    func show(_ model: Model) {
      selection = model
      model.observe(\.name).subscribe(onNext: { self.shown.append($0) }).disposed(by: bag)
      model.observeWeakly { $0.owner.name }.bind(to: self, \.ownerName)
    }
  }

  @Test("A main actor view model and a plain model are bound both ways")
  func aMainActorViewModelAndAPlainModelAreBoundBothWays() {
    let model = Model()
    let viewModel = ViewModel()
    model.bind(\.name, to: viewModel, \.title)
    viewModel.bind(\.title, to: model, \.edited)
    viewModel.show(model)
    model.name = "Bea"
    #expect(viewModel.title == "Bea")
    #expect(model.edited == "Bea")
    #expect(viewModel.shown == ["Ada", "Bea"])
  }

  @Test("A chain over a main actor object is observed there")
  func aChainOverAMainActorObjectIsObservedThere() {
    let viewModel = ViewModel()
    var names: [String?] = []
    viewModel.observeWeakly { $0.selection.name }.subscribe(onNext: { names.append($0) })
      .disposed(by: DisposeBag())
    let bag = DisposeBag()
    viewModel.observeWeakly { $0.selection.name }.subscribe(onNext: { names.append($0) })
      .disposed(by: bag)
    var model: Model? = Model()
    viewModel.selection = model
    model = nil
    #expect(names == [nil, nil, "Ada", nil])
    #expect(model == nil)
  }

  @MainActor final class Loader: MainReactiveObject {
    @Observed var count = 0
    @WeakObserved var source: Model?
    let model = Model()

    nonisolated func finish() -> Task<Void, Never> { Task { @MainActor in self.count += 1 } }
  }

  @Test("An object of the main actor is held by tasks elsewhere")
  func anObjectOfTheMainActorIsHeldByTasksElsewhere() async {
    let loader = Loader()
    var counts: [Int] = []
    loader.observe(\.count) { counts.append($0) }
    await loader.finish().value
    await Task.detached {
      await loader.finish().value
      await MainActor.run { loader.count += 1 }
    }.value
    #expect(counts == [0, 1, 2, 3])
  }

  @MainActor class Page<Item>: MainReactiveObject {
    @Observed var items: [Item] = []
    @Observed var note: String?
    @Observed var rows = ObservableArray<Item>()
    @WeakObserved var parent: Page<Item>?
    @Derived({ (self: Page<Item>) in self.items.count }) var count: Int
    nonisolated func clear() -> Task<Void, Never> { Task { @MainActor in self.items = [] } }
  }

  @MainActor final class NamedPage: Page<Model> {
    @Observed var name = ""
    @ObservationBridged var title = ""
    nonisolated func rename() -> Task<Void, Never> { Task { @MainActor in self.name = "new" } }
  }

  @Test("Objects of the main actor are Sendable, also generic and inherited ones")
  func objectsOfTheMainActorAreSendable() async {
    func send<Object: Sendable>(_ object: Object) -> Object { object }
    let page = send(NamedPage())
    page.items = [Model()]
    var names: [String] = []
    page.observe(\.count, \.name) { names.append("\($0) \($1)") }
    await Task.detached {
      await page.clear().value
      await page.rename().value
    }.value
    #expect(names == ["1 ", "0 ", "0 new"])
  }
}

extension IsolationTests.NamedPage: Observation.Observable {}
