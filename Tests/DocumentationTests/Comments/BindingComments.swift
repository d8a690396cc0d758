import Keyline

enum BindingComments: SnippetFile {
  static let page = "Sources/Keyline/Bindings"
  static let file = #filePath

  static func run() async throws {
    try bindingconverterSwift1()
    bindingofpropertiesSwift1()
    propertybindingSwift1()
  }

  struct Hit {}

  final class Player: ReactiveObject { @Observed var output: Output? }
  final class Output: ReactiveObject { @Observed var gain = 1 }
  final class Address: ReactiveObject { @Observed var city = "" }
  final class Person: ReactiveObject { @Observed var address: Address? }

  enum Size { case small, large }

  final class Model: ReactiveObject {
    @Observed var name = ""
    @Observed var price = 1.0
    @Observed var volume = 3
    @Observed var query = ""
    @Observed var size = Size.small
    @Observed var player: Player?
    @Observed var owner: Person?
  }

  final class Form: ReactiveObject {
    @Observed var name = ""
    @Observed var title = ""
    @Observed var text = ""
    @Observed var priceText = ""
    @Observed var isLarge = false
  }

  // snippet
  final class Search: ReactiveObject {
    @Observed private(set) var results: [Hit] = []
    init(_ hits: Observable<[Hit]>) {
      super.init()
      hits.assign(to: \.results, of: self)
    }
  }
  // end

  static func bindingconverterSwift1() throws {
    let (model, form) = (Model(), Form())
    // snippet
    model.bind(\.price, to: form, \.priceText, mode: .twoWay, converter: .decimal)
    model.bind(\.size, to: form, \.isLarge, converter: .case(.large))
    let percent = BindingConverter<Double, String>(
      forward: { "\($0 * 100) %" },
      backward: { try BindingConverter.decimal.backward(String($0.dropLast(2))).map { $0 / 100 } })
    // end
    _ = percent
    end()
  }

  static func bindingofpropertiesSwift1() {
    let (model, row) = (Model(), Form())
    // snippet
    model.bind(\.price, to: row, \.text, converter: BindingConverter { price in "\(price) €" })
    end()
  }

  static func propertybindingSwift1() {
    let (model, viewModel, form, row, search) = (Model(), Form(), Form(), Form(), Form())
    let (source, root) = (Model(), Model())
    // snippet
    model.bind(\.name, to: viewModel, \.title)  // now, and on every change
    model.bind(\.price, to: form, \.priceText, mode: .twoWay, converter: .decimal)
    model.bind({ $0.owner.address.city }, to: row, \.text, whenBroken: .value("—"))
    source.bind(\.volume, to: root, { $0.player.output.gain })  // follows replacements
    model.observe(\.query).skip(1).bind(to: search, \.text)  // any observable
    end()
  }
}
