import Keyline

enum SettlingComments: SnippetFile {
  static let page = "Sources/Keyline/Settling"
  static let file = #filePath

  static func run() async throws {
    batchSwift1()
  }

  final class Order: ReactiveObject {
    @Observed var quantity = 1
    @Observed var price = 10
  }
  final class Counter: ReactiveObject { @Observed var value = 0 }

  static func batchSwift1() {
    let order = Order()
    // snippet
    batchUpdates {
      order.quantity = 3
      order.price = 20
    }  // observers of either are called here, and `\.total` is evaluated once
    end()
  }

  final class Page: ReactiveObject {
    @Observed var name = ""
    let counter = Counter()
    // snippet
    var label: String { "\(name) (\(untracked { counter.value }))" }  // follows the name alone
    // end
  }
}
