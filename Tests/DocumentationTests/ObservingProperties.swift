import Keyline

enum ObservingProperties: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/ObservingProperties.md"
  static let file = #filePath

  static func run() async throws {
    values()
    computedPropertiesAndPaths()
    severalPropertiesTogether()
    changes()
    await anAsynchronousSequence()
    observablesInProperties()
    stateThatIsNotStoredInAProperty()
    aClassWithAnotherSuperclass()
  }

  // snippet
  final class Account: ReactiveObject {
    @Observed var owner = "Ada"
    @Observed var balance = 100
    @Observed var limit = 0
    var isOverdrawn: Bool { balance < -limit }
  }
  // end

  static func values() {
    // snippet
    let account = Account()
    _ = account.observe(\.balance).subscribe(onNext: { print("balance", $0) })
    _ = account.observe(\.balance, options: .new).subscribe(onNext: { print("from now on", $0) })
    account.balance = 80
    account.balance = 80
    end()
    // snippet
    let other = Account()
    _ = other.observe(\.balance).subscribe(onNext: { if $0 < 0 { other.balance = 0 } })
    _ = other.observe(\.balance).subscribe(onNext: { print($0) })
    other.balance = -5
    end()
  }

  static func computedPropertiesAndPaths() {
    // snippet
    let account = Account()
    _ = account.observe(\.isOverdrawn).subscribe(onNext: { print($0) })
    account.balance = -10
    account.limit = 50
    account.owner = "Bea"
    end()
  }

  static func severalPropertiesTogether() {
    // snippet
    let account = Account()
    _ = account.observe(\.owner, \.balance).subscribe(onNext: { owner, balance in
      print(owner, balance)
    })
    account.owner = "Bea"
    batchUpdates {
      account.owner = "Cleo"
      account.balance = 7
    }
    end()
  }

  static func changes() {
    // snippet
    let account = Account()
    let changes = account.observeChanges(\.balance, options: [.old, .new, .prior])
    _ = changes.subscribe(onNext: { change in
      if change.isPrior {
        print("was", change.old ?? 0)
      } else {
        print("set to", change.new ?? 0)
      }
    })
    account.balance = 50
    end()
  }

  static func anAsynchronousSequence() async {
    // snippet
    var account: Account? = Account()
    let balances = account!.values(of: \.balance)
    account?.balance = 1
    account?.balance = 2
    account = nil
    for await balance in balances { print(balance) }
    end()
  }

  static func observablesInProperties() {
    // snippet
    final class Station: ReactiveObject { let news = PublishSubject<String>() }
    final class Radio: ReactiveObject { @Observed var station = Station() }

    let radio = Radio()
    _ = radio.observeLatest(\.station.news).subscribe(onNext: { print($0) })
    radio.station.news.onNext("from the first")
    radio.station = Station()
    radio.station.news.onNext("from the second")
    end()
  }

  static func stateThatIsNotStoredInAProperty() {
    // snippet
    final class Clock: ReactiveObject {
      private var ticks = 0
      var hours: Int {
        access("hours")
        return ticks / 3600
      }
      func advance(by seconds: Int) {
        willChange("hours")
        ticks += seconds
        didChange("hours")
      }
    }

    let clock = Clock()
    _ = clock.observe(\.hours).subscribe(onNext: { print($0, "h") })
    clock.advance(by: 7200)
    end()
  }

  static func aClassWithAnotherSuperclass() {
    // snippet
    class Shape { var name = "shape" }

    final class Circle: Shape, PropertyObservable {
      let properties = PropertyRegistry()
      @Observed var radius = 1
    }

    let circle = Circle()
    _ = circle.observe(\.radius).subscribe(onNext: { print("radius", $0) })
    circle.radius = 2
    end()
  }
}
