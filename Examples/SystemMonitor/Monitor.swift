import Dispatch
import ExampleSupport
import Keyline
import KeylineDiagnostics

/// The wiring, from left to right. All of it happens on the main thread.
///
///     Input ──snapshots──▶ Machine ──bindings──▶ MonitorViewModel ──observed by──▶ a view
///                             ▲                          ▲
///                             └───────── select ─────────┴──keys── Screen
///
/// The bindings hold both ends weakly; the monitor owns the ends.
final class Monitor {
  private let input: Input
  private let machine: Machine
  private let viewModel: MonitorViewModel
  private let screen: Screen?
  /// The file to write the graph to; nil to write none.
  private let graph: String?
  private var plainView: PlainView?
  private var terminalView: TerminalView?
  private let bag = DisposeBag()

  init(options: Options) throws {
    graph = options.graph
    // Switched on before the first observation: only later observations have names and places.
    Diagnostics.isRecording = graph != nil
    input = try Input(options: options)
    machine = Machine(selecting: options.selectedPID)
    viewModel = MonitorViewModel(machine: machine, notice: input.notice)
    let isPlain = options.isPlain || graph != nil
    screen = isPlain || !Screen.isAvailable ? nil : Screen()
  }

  /// Shows samples until there are no more, or a signal ends the program.
  func run() -> Never {
    endSignals()
      .subscribe(with: self, onNext: { $0.finish(status: 128 + $1) })
      .disposed(by: bag)

    if let screen {
      attempt { try screen.enter() }
      terminalView = TerminalView(
        of: viewModel, on: screen, redraws: screen.redraws, write: write)
      screen.keys
        .subscribe(with: self, onNext: { $0.press($1) })
        .disposed(by: bag)
    } else {
      plainView = PlainView(of: viewModel, write: graph == nil ? write : { _ in })
    }

    input.snapshots
      .subscribe(
        with: self,
        onNext: { monitor, snapshot in
          monitor.attempt { try monitor.machine.update(with: snapshot) }
        },
        onError: { $0.fail($1) },
        onCompleted: { $0.complete() }
      )
      .disposed(by: bag)

    // From here on, events arrive on the main queue.
    dispatchMain()
  }

  private func press(_ key: Key) {
    switch key {
    case .text("q"), .end: complete()
    default: viewModel.press(key)
    }
  }

  private func complete() -> Never {
    terminalView?.close()
    attempt { try writeGraph() }
    finish(status: 0)
  }

  private func writeGraph() throws(FileError) {
    guard let graph else { return }
    let contents = Diagnostics.graph(of: machine, viewModel).contents(ofFile: graph)
    try File.write(contents ?? "", to: graph)
  }

  private func write(_ text: String) {
    attempt { try Console.write(text) }
  }

  private func attempt(_ action: () throws -> Void) {
    do { try action() } catch { fail(error) }
  }

  private func fail(_ error: any Error) -> Never {
    screen?.leave()
    Console.fail(error)
  }

  private func finish(status: Int32) -> Never {
    screen?.leave()
    Console.end(status: status)
  }
}
