import Keyline

// A form of the main actor over a plain model: two-way, through chains, with rules and errors.

final class Product: ReactiveObject {
  enum Size: String { case small, large }

  @Observed var name = ""
  @Observed var price = 0.0
  @Observed var size = Size.small
  @Observed var maker: Maker?
}

final class Maker: ReactiveObject {
  @Observed var country: String? = ""
}

struct Empty: Error {}

@MainActor
final class ProductForm: ReactiveObject {
  @Observed var name = ""
  @Observed var price = ""
  @Observed var isLarge = false
  @Observed var country = ""
  @Observed var warning: String?
  @WeakObserved var product: Product?
  private let bag = DisposeBag()

  init(_ product: Product) {
    super.init()
    self.product = product
    product.validate(\.name) { _, name in name.isEmpty ? .rejected(Empty()) : .valid }
    product.bind(\.name, to: self, \.name, mode: .twoWay)
      .errors.subscribe(onNext: { [weak self] in self?.warning = "\($0)" }).disposed(by: bag)
    product.bind(\.price, to: self, \.price, mode: .twoWay, converter: .decimal)
    product.bind(\.size, to: self, \.isLarge, mode: .twoWay, converter: .case(.large), on: .main)
    product.bind(
      { $0.maker.country }, to: self, \.country, converter: .placeholder("—"),
      whenBroken: .value("no maker"))
    bind(\.name, to: self, { $0.product.name }, mode: .twoWay, resetOnUnbind: .value(""))
  }
}
