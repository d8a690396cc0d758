import Dispatch
import ExampleSupport
import Keyline
import KeylineFoundation

/// The wiring: a session, and commands from somewhere, in virtual time or as time passes.
struct Program {
  private let session: Session
  /// Nil if the commands come from standard input.
  private let script: CommandReader?
  private let bag = DisposeBag()

  init(options: Options) throws {
    guard let file = options.file else { throw UsageError("the name of a file is missing") }
    script = try options.script.map { try CommandReader(script: $0) }
    session = Session(
      path: file, clock: script == nil ? nil : HistoricalScheduler(), write: Console.show)
  }

  /// Carries out commands until there are no more.
  func run() throws {
    guard let script else { runLive() }
    try session.perform(script)
    try session.close()
  }

  /// Commands, looks at the file, and the end of a pause come on the main queue, whichever is first.
  private func runLive() -> Never {
    let finish = { [session] (status: Int32) in
      do { try session.close() } catch { Console.fail(error) }
      Console.end(status: status)
    }
    inputLines()
      .subscribe(
        with: session,
        onNext: { session, line in
          session.perform(line)
          if !session.isOpen { finish(0) }
        },
        onCompleted: { _ in finish(0) }
      )
      .disposed(by: bag)
    endSignals().subscribe(onNext: { finish(128 + $0) }).disposed(by: bag)
    dispatchMain()
  }
}
