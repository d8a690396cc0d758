import Dispatch
import ExampleSupport
import Keyline
import KeylineFoundation

/// The wiring: keys, a model, a view; in virtual time or on a terminal.
@MainActor struct Program {
  private let searcher: Searcher
  /// Nil if the keys come from the terminal.
  private let strokes: [Stroke]?
  private let bag = DisposeBag()

  init(options: Options) throws {
    searcher = Searcher(try Corpus(path: options.path ?? "Sources"), pace: options.pace)
    strokes = try options.script.map(Stroke.script)
    guard strokes != nil || Screen.isAvailable else {
      throw UsageError("there is no terminal: --script FILE is needed")
    }
  }

  func run() {
    if let strokes { replay(strokes) } else { runOnTerminal() }
  }

  /// One virtual clock for everything: the same keys give the same output each time, at once.
  private func replay(_ strokes: [Stroke]) {
    let clock = HistoricalScheduler()
    let model = SearchModel(searcher, on: .init(main: clock, background: clock))
    let view = LogView(of: model, clock: clock, write: Console.show)
    Stroke.replay(strokes, on: clock)
      .subscribe(with: model, onNext: { $0.press($1) })
      .disposed(by: bag)
    clock.start()
    withExtendedLifetime(view) {}
    Console.show("searched \(searcher.work) \(searcher.corpus.unit) in all\n")
  }

  private func runOnTerminal() -> Never {
    let background = ConcurrentDispatchQueueScheduler(qos: .userInitiated)
    let model = SearchModel(
      searcher, on: .init(main: MainScheduler.instance, background: background))
    let screen = Screen()
    let finish = { (status: Int32) in
      screen.leave()
      Console.end(status: status)
    }
    do { try screen.enter() } catch { Console.fail(error) }
    endSignals().subscribe(onNext: { finish(128 + $0) }).disposed(by: bag)
    let view = TerminalView(of: model, on: screen, redraws: screen.redraws)
    inputKeys()
      .take(while: { $0 != .end })
      .subscribe(with: model, onNext: { $0.press($1) }, onCompleted: { _ in finish(0) })
      .disposed(by: bag)
    withExtendedLifetime(view) { dispatchMain() }
  }
}
