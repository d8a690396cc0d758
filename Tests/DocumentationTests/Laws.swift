import Keyline

enum Laws: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Laws.md"
  static let file = #filePath

  static func run() async throws {
    theCore()
    batches()
  }

  static func theCore() {
    // snippet
    let subject = PublishSubject<String>()
    _ = subject.subscribe(onNext: { [weak subject] in if $0 == "a" { subject?.onNext("b") } })
    _ = subject.subscribe(onNext: { print($0) })
    subject.onNext("a")
    end()
  }

  static func batches() {
    // snippet
    final class Order: ReactiveObject {
      @Observed var price = 10
      @Observed var quantity = 1
      @Derived({ (self: Order) in self.price * self.quantity }) var total: Int
    }

    let order = Order()
    _ = order.observe(\.total).subscribe(onNext: { print("total", $0) })
    _ = order.observe(\.quantity, options: .new).subscribe(onNext: { print("quantity", $0) })
    _ = order.observe(\.price, options: .new).subscribe(onNext: { print("price", $0) })
    batchUpdates {
      order.price = 11
      order.quantity = 2
    }
    end()
  }
}
