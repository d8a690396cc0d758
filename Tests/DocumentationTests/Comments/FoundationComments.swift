import Foundation
import Keyline
import KeylineFoundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

enum FoundationComments: SnippetFile {
  static let page = "Sources/KeylineFoundation"
  static let file = #filePath

  static func run() async throws {
    formatconverterSwift1()
    urlsessionSwift1()
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

  static func urlsessionSwift1() {
    let session = URLSession.shared
    let url = URL(filePath: "/")
    let parsing = SerialDispatchQueueScheduler(qos: .utility)
    // snippet
    let texts = session.rx.json(url: url).observe(on: parsing).map { json in "\(json)" }
    // end
    _ = texts
    end()
  }
}
