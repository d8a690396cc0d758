import ExampleSupport
import Keyline

/// The view on a terminal: redraws in place whenever a sample is complete or the window changes.
///
/// It observes the view model and nothing else, and reads it only to draw. A frame goes out in one
/// write that overwrites the one before, so nothing flickers.
final class TerminalView {
  private let viewModel: MonitorViewModel
  private let screen: Screen
  private let write: (String) -> Void
  private let bag = DisposeBag()

  /// - Parameters:
  ///   - redraws: emits when the screen has to be drawn again although nothing has changed.
  ///   - write: takes one frame at a time.
  init(
    of viewModel: MonitorViewModel, on screen: Screen, redraws: Observable<Void>,
    write: @escaping (String) -> Void
  ) {
    self.viewModel = viewModel
    self.screen = screen
    self.write = write
    Observable
      .merge(viewModel.observeChangeSets().map { _ in }, redraws)
      .subscribe(with: self, onNext: { view, _ in view.draw() })
      .disposed(by: bag)
  }

  private func draw() {
    write(Screen.frame(Frame.lines(of: viewModel, size: screen.size)))
  }

  /// Gives the terminal back and leaves the last picture on it, the prompt's row excepted.
  func close() {
    var size = screen.size
    size.rows -= 1
    screen.leave()
    write(Frame.lines(of: viewModel, size: size).map { $0.text + "\n" }.joined())
  }
}
