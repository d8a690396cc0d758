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
    try await withTryAndWithout()
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
    account.observe(\.balance) { print("balance", $0) }
    account.observe(\.balance, options: .new) { print("from now on", $0) }
    account.balance = 80
    account.balance = 80
    end()
    // snippet
    let other = Account()
    _ = other.observe(\.balance).subscribe(onNext: { [weak other] balance in
      if balance < 0 { other?.balance = 0 }
    })
    _ = other.observe(\.balance).subscribe(onNext: { print($0) })
    other.balance = -5
    end()
  }

  static func computedPropertiesAndPaths() {
    // snippet
    let account = Account()
    account.observe(\.isOverdrawn) { print($0) }
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

  static func withTryAndWithout() async throws {
    // snippet
    let account = Account()
    let plain = account.observe(\.balance).values
    let mapped = account.observe(\.balance).map { $0 / 10 }.values
    let unfailing = account.observe(\.balance).asInfallible().map { $0 / 10 }.values
    for await balance in plain.prefix(1) { print(balance) }
    for try await tens in mapped.prefix(1) { print(tens) }
    for await tens in unfailing.prefix(1) { print(tens) }
    end()
  }
}
