import Dispatch
import Keyline
import KeylineDiagnostics
import TestSupport
import Testing

/// `Diagnostics.checksThreads`: two threads in one object at the same time are reported (P6).
@Suite(.serialized) struct ThreadCheckTests {
  init() {
    // On for all tests from here on.
    if !Diagnostics.checksThreads { Diagnostics.checksThreads = true }
  }

  private final class Account: ReactiveObject {
    @Observed var name = ""
    @Observed var balance = 0
  }

  enum Operation: CaseIterable, Sendable {
    case set, mutate, observe, observeChain, bind, batch
  }

  /// One thread waits inside an observer of `name` while another one uses `balance`.
  @Test("Two threads in one object are reported once", arguments: Operation.allCases)
  func twoThreadsInOneObjectAreReportedOnce(operation: Operation) {
    Reports.collect()
    let before = reports.count
    // The threads take turns.
    nonisolated(unsafe) let account = Account()
    nonisolated(unsafe) let target = Account()
    _ = account.observe(\.balance).subscribe()
    _ = account.observe(\.name, options: .new).subscribe(onNext: { _ in
      onAnotherThread {
        for _ in 0..<3 {
          switch operation {
          case .set: account.balance = 1
          case .mutate: account.balance += 1
          case .observe: account.observe(\.balance) { _ in }
          case .observeChain: account.observeWeakly({ $0.balance }, onNext: { _ in })
          case .bind: account.bind(\.balance, to: target, \.balance)
          case .batch: batchUpdates { account.balance = 2 }
          }
        }
      }
    })
    account.name = "a"
    #expect(reports.count == before + 1)
    account.name = "b"
    #expect(reports.count == before + 1)
    // Names both, and does no harm.
    let message = reports.last?.message ?? ""
    #expect(message.hasSuffix("in the middle of set on Account.name"), "\(message)")
    withExtendedLifetime((account, target)) {}
  }

  private var reports: [Diagnostics.Report] {
    Reports.about("Account").filter { $0.category == .concurrentUse }
  }

  /// Each object is reported, also one at the address of another that has died.
  @Test("Every object is reported once") func everyObjectIsReportedOnce() {
    Reports.collect()
    let before = reports.count
    for _ in 0..<5 {
      nonisolated(unsafe) let account = Account()
      _ = account.observe(\.balance).subscribe()
      _ = account.observe(\.name, options: .new).subscribe(onNext: { _ in
        onAnotherThread { account.balance = 1 }
      })
      account.name = "a"
    }
    #expect(reports.count == before + 5)
  }

  private actor Bank {
    final class BankLedger: ReactiveObject {
      @Observed var total = 0
      @Observed var entries: [Int] = []
      var label: String { "\(total)" }
    }

    private let ledger = BankLedger()
    private var deliveries = 0

    func post(_ count: Int) {
      let subscription = ledger.observe(\.label, options: .new) { _ in self.deliveries += 1 }
      for index in 0..<count {
        ledger.total += 1
        if index % 50 == 0 { ledger.entries.append(index) }
      }
      subscription.dispose()
    }

    var result: (total: Int, deliveries: Int) { (ledger.total, deliveries) }
  }

  /// An actor's object changes its thread between operations, and not within one.
  @Test("The object of an actor may change threads") func anActorsObjectMayChangeThreads() async {
    Reports.collect()
    let bank = Bank()
    let turns = rounds(20, optimised: 1_000)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<turns { group.addTask { await bank.post(1_000) } }
    }
    let result = await bank.result
    #expect(result.total == turns * 1_000 && result.deliveries == turns * 1_000)
    #expect(Reports.about("BankLedger").isEmpty)
  }
}
