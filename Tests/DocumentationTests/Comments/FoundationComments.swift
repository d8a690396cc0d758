import Foundation
import Keyline
import KeylineFoundation

enum FoundationComments: SnippetFile {
  static let page = "Sources/KeylineFoundation"
  static let file = #filePath

  static func run() async throws {
    formatconverterSwift1()
  }

  final class Model: ReactiveObject { @Observed var price = 1.0 }
  final class Form: ReactiveObject { @Observed var priceText = "" }

  static func formatconverterSwift1() {
    let (model, form) = (Model(), Form())
    // snippet
    let german = Locale(identifier: "de_DE")
    model.bind(
      \.price, to: form, \.priceText, mode: .twoWay,
      converter: .format(.number.precision(.fractionLength(2)).locale(german)))
    model.price = 1234.5
    print(form.priceText)
    form.priceText = "0,75"
    print(model.price)
    end()
  }
}
