import Foundation
import Keyline
import KeylineFoundation

enum FoundationComments: SnippetFile {
  static let page = "Sources/KeylineFoundation"

  static func run() async throws {
    formatconverterSwift1()
  }

  final class Model: ReactiveObject { @Observed var price = 1.0 }
  final class Form: ReactiveObject { @Observed var priceText = "" }

  static func formatconverterSwift1() {
    let (model, form) = (Model(), Form())
    // block FormatConverter
    end("FormatConverter")
  }
}
