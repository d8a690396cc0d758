import Keyline

enum DerivedValues: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/DerivedValues.md"
  static let file = #filePath

  static func run() async throws {
    derivedValues()
    aRuleThatThrows()
    cycles()
    batches()
    settlingOrWhyThereAreNoGlitches()
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
    do {
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
    do {
      // snippet
      let order = Order()
      _ = order.observe(\.isLarge).subscribe(onNext: { print("large:", $0) })
      _ = order.observe(\.isLarge).subscribe(onNext: { print("also:", $0) })
      order.quantity = 2
      order.quantity = 20
      end()
    }
  }

  // snippet
  enum Mistake: Error { case tooShort, different }

  final class SignUp: ReactiveObject {
    @Observed var password = ""
    @Observed var repeated = ""
    @Derived(
      or: false,
      { (self: SignUp) in
        guard self.password.count > 3 else { throw Mistake.tooShort }
        guard self.password == self.repeated else { throw Mistake.different }
        return true
      }) var isValid: Bool
  }
  // end

  static func aRuleThatThrows() {
    // snippet
    let form = SignUp()
    _ = form.$isValid.errors.subscribe(onNext: { print($0) })
    _ = form.observe(\.isValid).subscribe(onNext: { print("may be sent:", $0) })
    form.password = "blue"
    form.repeated = "blue"
    form.password = "b"
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
}
