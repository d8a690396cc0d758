import ExampleSupport
import Keyline

/// The view without a screen: for every sample a heading, then one line per text that has changed.
///
/// It observes the view model and nothing else. Texts are gathered while a sample comes in and
/// written when it is complete: all that it changes is one change set of the view model.
final class PlainView {
  private let write: (String) -> Void
  private let bag = DisposeBag()
  /// The names of all texts, in the order they came up in, which is the order of the lines.
  private var names: [String] = []
  private var current: [String: String] = [:]
  private var written: [String: String] = [:]
  private var knownCores: Set<Int> = []

  /// - Parameter write: takes the view model's notice, and then the lines of one sample at a time.
  init(of viewModel: MonitorViewModel, write: @escaping (String) -> Void) {
    self.write = write
    if let notice = viewModel.notice { write("\(notice)\n") }

    show(viewModel.observe(\.load), as: "load")
    show(viewModel.observe(\.usage), as: "cpu")
    viewModel.observe(\.cores)
      .subscribe(with: self, onNext: { $0.show($1) })
      .disposed(by: bag)
    show(viewModel.observe(\.memory), as: "memory")
    show(viewModel.observe(\.swap), as: "swap")
    show(viewModel.observe(\.processCount).map(String.init), as: "processes")
    show(viewModel.observe(\.busiest), as: "busiest")
    show(viewModel.observe(\.selectedName), as: "selected")
    show(viewModel.observe(\.selectedUsage), as: "selected cpu")
    show(viewModel.observe(\.selectedMemory), as: "selected memory")

    viewModel.observeChangeSets().withLatestFrom(viewModel.observe(\.sample))
      .subscribe(with: self, onNext: { $0.flush(sample: $1) })
      .disposed(by: bag)
  }

  private func show(_ texts: Observable<String>, as name: String) {
    texts
      .subscribe(with: self, onNext: { $0.set(name, to: $1) })
      .disposed(by: bag)
  }

  /// Follows the cores that are new; a row that has gone emits nothing any more.
  private func show(_ cores: [CoreRow]) {
    for index in knownCores.subtracting(cores.map(\.index)) {
      set(CoreRow.name(index), to: "gone")
      knownCores.remove(index)
    }
    for core in cores where knownCores.insert(core.index).inserted {
      show(core.observe(\.usage), as: core.name)
    }
  }

  private func set(_ name: String, to text: String) {
    if current.updateValue(text, forKey: name) == nil { names.append(name) }
  }

  private func flush(sample: Int) {
    let lines = names.filter { current[$0] != written[$0] }.map { name in
      "  \(name): \(current[name] ?? "")\n"
    }
    written = current
    write("sample \(sample)\n" + lines.joined())
  }
}
