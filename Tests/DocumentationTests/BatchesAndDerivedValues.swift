import Keyline

enum BatchesAndDerivedValues: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/BatchesAndDerivedValues.md"
  static let file = #filePath

  static func run() async throws {
    derivedValues()
    aPlainVariable()
    derivedValues2()
    aRuleThatThrows()
    cycles()
    batches()
    settlingOrWhyThereAreNoGlitches()
    leavingSomethingOut()
  }

  // snippet
  final class Order: ReactiveObject {
    @Observed var quantity = 1
    @Observed var price = 10
    @Observed var customer = "Ada"
    @Derived({ (self: Order) in
      print("  computing")
      return self.quantity * self.price
    }) var total: Int
    @Derived({ (self: Order) in self.total > 100 }) var isLarge: Bool
  }
  // end

  static func derivedValues() {
    // snippet
    let order = Order()
    print("total", order.total)
    print("total", order.total)
    order.customer = "Bea"
    print("total", order.total)
    order.quantity = 2
    order.quantity = 3
    print("total", order.total)
    end()
  }

  static func aPlainVariable() {
    // snippet
    final class Account: ReactiveObject {
      @Observed var balance = 100
      var rate = 3  // plain: the rule does not follow it
      @Derived({ (self: Account) in self.balance * self.rate }) var interest: Int
    }

    let account = Account()
    print(account.interest)
    account.rate = 4
    print(account.interest)
    account.$interest.invalidate()
    print(account.interest)
    end()
  }

  static func derivedValues2() {
    // snippet
    let order = Order()
    _ = order.observe(\.isLarge).subscribe(onNext: { print("large:", $0) })
    _ = order.observe(\.isLarge).subscribe(onNext: { print("also:", $0) })
    order.quantity = 2
    order.quantity = 20
    end()
  }

  // snippet
  final class Route: ReactiveObject {
    @Observed var points: [(x: Int, y: Int)] = []
    @Derived({ (self: Route) in self.points.first ?? (0, 0) }, equals: { $0 == $1 })
    var start: (x: Int, y: Int)
  }
  // end

  static func aRuleThatThrows() {
    // snippet
    struct NotANumber: Error {}

    final class Field: ReactiveObject {
      @Observed var text = "20"
      @Derived(
        or: 0,
        { (self: Field) in
          guard let number = Int(self.text) else { throw NotANumber() }
          return number
        }) var number: Int
    }

    let field = Field()
    _ = field.$number.errors.subscribe(onNext: { print($0) })
    _ = field.observe(\.number).subscribe(onNext: { print($0) })
    field.text = "2o"
    field.text = "21"
    end()
  }

  static func cycles() {
    // snippet
    final class Loop: ReactiveObject {
      @Derived(or: 0, { (self: Loop) in self.second + 1 }) var first: Int
      @Derived(or: 0, { (self: Loop) in self.first + 1 }) var second: Int
    }

    print(Loop().first)
    end()
  }

  static func batches() {
    // snippet
    let order = Order()
    _ = order.observeChanges(\.price).subscribe(onNext: { print("price", $0.old!, "→", $0.new!) })
    _ = order.observe(\.quantity, options: .new).subscribe(onNext: { print("quantity", $0) })
    batchUpdates {
      order.price = 11
      order.price = 12
      order.quantity = 5
      order.quantity = 1
      print("inside:", order.total)
    }
    end()
  }

  static func settlingOrWhyThereAreNoGlitches() {
    // snippet
    final class Diamond: ReactiveObject {
      @Observed var source = 1
      @Derived({ (self: Diamond) in self.source + 1 }) var left: Int
      @Derived({ (self: Diamond) in self.source * 10 }) var right: Int
      @Derived({ (self: Diamond) in self.left + self.right }) var sum: Int
    }

    let diamond = Diamond()
    _ = diamond.observe(\.sum).subscribe(onNext: { print($0) })
    diamond.source = 2
    end()
  }

  static func leavingSomethingOut() {
    // snippet
    final class Page: ReactiveObject {
      @Observed var title = "Laws"
      @Observed var visits = 0
      var heading: String { "\(title), read \(untracked { visits }) times" }
    }

    let page = Page()
    _ = page.observe(\.heading).subscribe(onNext: { print($0) })
    page.visits = 7
    page.title = "Batches"
    end()
  }
}
