import Keyline

enum MovingFromCombine: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/MovingFromCombine.md"
  static let file = #filePath

  static func run() async throws {
    fromObservableObjectAndPublished()
  }

  static func fromObservableObjectAndPublished() {
    // snippet
    final class Model: ReactiveObject {
      @Observed var first = "Ada"
      @Observed var last = "Byron"
      var full: String { "\(first) \(last)" }
    }

    let model = Model()
    _ = model.observe(\.first, options: .new).subscribe(onNext: { [weak model] first in
      print(first, "-", model?.full ?? "")
    })
    model.observe(\.full) { print($0) }
    model.first = "Bea"
    end()
  }
}
