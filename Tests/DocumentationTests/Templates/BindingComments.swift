import Keyline

enum BindingComments: SnippetFile {
  static let page = "Sources/Keyline/Bindings"

  static func run() async throws {
    try bindingconverterSwift1()
    bindingofpropertiesSwift1()
    propertybindingSwift1()
    bindingOfArrays()
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

  // block BindingOfStreams

  static func bindingconverterSwift1() throws {
    let (model, form) = (Model(), Form())
    // block BindingConverter
    _ = percent
    end("BindingConverter")
  }

  static func bindingofpropertiesSwift1() {
    let (model, row) = (Model(), Form())
    // block BindingOfProperties
    end("BindingOfProperties")
  }

  static func propertybindingSwift1() {
    let (model, viewModel, form, row, search) = (Model(), Form(), Form(), Form(), Form())
    let (source, root) = (Model(), Model())
    // block PropertyBinding
    end("PropertyBinding")
  }

  final class OrderRow {
    let order: Model
    init(_ order: Model) { self.order = order }
  }

  static func bindingOfArrays() {
    final class Store: ReactiveObject { let orders: ObservableArray = [Model()] }
    final class Screen: ReactiveObject { let rows = ObservableArray<OrderRow>() }
    let (store, screen) = (Store(), Screen())
    // block BindingOfArrays
    end("BindingOfArrays")
  }
}
