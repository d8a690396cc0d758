import ExampleSupport
import Keyline

/// The view of a script: a line for each thing that happens, and when.
@MainActor final class LogView {
  /// How many hits are shown.
  private static let limit = 5

  private let bag = DisposeBag()

  /// - Parameter write: takes a line or more at a time.
  init(of model: SearchModel, clock: any SchedulerType, write: @escaping (String) -> Void) {
    let typed = model.observe(\.query, options: .new).map { ["typed '\($0)'"] }
    let begun = model.observe(\.search, options: .new)
      .filter { $0.searched == 0 && $0.total > 0 }
      .map { ["searching '\($0.query)'"] }
    let ended = model.observe(\.ended, options: .new).compactMap(\.last).map { search in
      guard search.isComplete else { return [search.outcome] }
      let rest = search.hits.count - Self.limit
      return [search.outcome] + search.hits.prefix(Self.limit).map { "  \($0)" }
        + (rest > 0 ? ["  … \(rest) more"] : [])
    }
    Observable.merge(typed, begun, ended)
      .subscribe(onNext: { lines in
        let time = Format.time(clock.now)
        write(Format.printable(lines: lines.map { "\(time)  \($0)" }))
      })
      .disposed(by: bag)
  }
}

/// The view on a terminal: the typed query, the hits, and the outcomes of the latest searches.
@MainActor final class TerminalView {
  private let model: SearchModel
  private let screen: Screen
  private let bag = DisposeBag()

  /// - Parameter redraws: emits when the screen has to be drawn again although nothing has changed.
  init(of model: SearchModel, on screen: Screen, redraws: Observable<Void>) {
    self.model = model
    self.screen = screen
    Observable
      .merge(model.observe(\.status).map { _ in }, model.observeChangeSets().map { _ in }, redraws)
      .throttle(.milliseconds(20), scheduler: MainScheduler.instance)
      .subscribe(with: self, onNext: { view, _ in view.draw() })
      .disposed(by: bag)
  }

  private func draw() { Console.show(Screen.frame(Self.lines(of: model, size: screen.size))) }

  /// Draws `model` into a window of `size`: at most that many rows, each at most that wide.
  static func lines(of model: SearchModel, size: Screen.Size) -> [Screen.Line] {
    let ended = model.ended.map { Screen.Line(text: $0.outcome) }
    let head = [
      Screen.Line(text: "> \(model.query)▏", style: .bold), Screen.Line(text: model.status),
      Screen.Line(text: ""),
    ]
    let room = max(size.rows - head.count - ended.count - 1, 0)
    let hits = model.search.hits.prefix(room).map { Screen.Line(text: "\($0)") }
    let gap = Array(repeating: Screen.Line(text: ""), count: room - hits.count + 1)
    return (head + hits + gap + ended).prefix(max(size.rows, 0)).map { line in
      Screen.Line(
        text: String(Format.printable(line.text).prefix(max(size.columns, 0))), style: line.style)
    }
  }
}
