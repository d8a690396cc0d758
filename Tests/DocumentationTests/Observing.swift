import Keyline

enum Observing: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Observing.md"
  static let file = #filePath

  static func run() async throws {
    values()
    computedPropertiesAndPaths()
    changes()
    try await asynchronousSequences()
    otherState()
    ending()
    whereWeakSelfIsNeeded()
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
    do {
      // snippet
      let account = Account()
      account.observe(\.balance) { print("balance", $0) }
      account.observe(\.balance, options: .new) { print("from now on", $0) }
      account.balance = 80
      account.balance = 80
      end()
    }
    do {
      // snippet
      let other = Account()
      _ = other.observe(\.balance).subscribe(onNext: { [weak other] balance in
        if balance < 0 { other?.balance = 0 }
      })
      _ = other.observe(\.balance).subscribe(onNext: { print($0) })
      other.balance = -5
      end()
    }
  }

  static func computedPropertiesAndPaths() {
    do {
      // snippet
      let account = Account()
      account.observe(\.isOverdrawn) { print($0) }
      account.balance = -10
      account.limit = 50
      account.owner = "Bea"
      end()
    }
    do {
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

  static func asynchronousSequences() async throws {
    do {
      // snippet
      var account: Account? = Account()
      let balances = account!.values(of: \.balance)
      account?.balance = 1
      account?.balance = 2
      account = nil
      for await balance in balances { print(balance) }
      end()
    }
    do {
      // snippet
      let account = Account()
      Task { account.balance = 0 }
      let empty = try await account.observe(\.balance).filter { $0 == 0 }.first().value
      print(empty ?? -1)
      let tens = account.observe(\.balance).asInfallible().map { $0 / 10 }.values
      for await number in tens.prefix(1) { print(number) }
      end()
    }
  }

  static func otherState() {
    // snippet
    class OldModel { var onChange: (() -> Void)? }

    final class Account: OldModel, PropertyObservable {
      let properties = PropertyRegistry()
      @Observed var balance = 0 { didSet { onChange?() } }
    }

    let account = Account()
    account.onChange = { print("the old screen is drawn") }
    _ = account.observe(\.balance, options: .new).subscribe(onNext: { print("new screen:", $0) })
    account.balance = 5
    end()
  }

  static func ending() {
    // snippet
    final class TitleView {
      private let bag = DisposeBag()

      init(_ account: Account) {
        account.observe(\.balance) { print("view:", $0) }.disposed(by: bag)
      }
    }

    var account: Account? = Account()
    var view: TitleView? = TitleView(account!)
    _ = account!.observe(\.limit).subscribe(onCompleted: { print("completed") })
    account!.balance = 1
    view = nil
    account!.balance = 2
    account = nil
    // end
    _ = view
    end()
  }

  static func whereWeakSelfIsNeeded() {
    // snippet
    final class Counter: ReactiveObject {
      @Observed var count = 0
      func report(strongly: Bool) {
        if strongly {
          _ = observe(\.count).subscribe(onNext: { _ in _ = self.count })
        } else {
          _ = observe(\.count).subscribe(onNext: { [weak self] _ in _ = self?.count })
        }
      }
      deinit { print("released") }
    }

    for strongly in [true, false] {
      print("strongly:", strongly)
      Counter().report(strongly: strongly)
    }
    end()
  }
}
