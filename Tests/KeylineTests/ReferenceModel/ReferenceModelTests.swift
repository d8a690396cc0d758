import Foundation
import Keyline
import TestSupport
import Testing

/// Random programs, run over real objects, against a naive model.
///
/// The model shares nothing with the implementation: it keeps every stored state as plain values,
/// and evaluates each expression anew on them. For stored properties it computes the exact sequence
/// of deliveries, including batches; for computed and derived values it checks the laws.
///
/// `KEYLINE_PROGRAMS=100000` runs as many programs; `KEYLINE_SEED=7` runs the programs of one seed.
/// A program that fails is shortened and printed. `KEYLINE_TRACE=1` prints each program before it
/// runs, which finds a program that traps if `--no-parallel` is given too.
@Suite struct ReferenceModelTests {
  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test(arguments: ModelCategory.allCases)
  func programsKeepTheLaws(category: ModelCategory) {
    Reports.collect()
    let count = (Self.number("KEYLINE_PROGRAMS") ?? 3000) * category.share / 100
    let seeds = Self.number("KEYLINE_SEED").map { $0...$0 } ?? 1...max(1, count)
    var failures: [String: [Int]] = [:]
    for seed in seeds {
      if Self.number("KEYLINE_TRACE") != nil {
        let text = "\(category), seed \(seed):\n\(program(seed, category))\n"
        FileHandle.standardError.write(Data(text.utf8))
      }
      for law in Set(ModelRun.failures(of: program(seed, category)).map(\.law)) {
        failures[law, default: []].append(seed)
      }
    }
    for (law, failing) in failures.sorted(by: { $0.value[0] < $1.value[0] }) {
      // The shortest of a few: some programs do not get short.
      let shortened = failing.prefix(5).map { seed in
        (
          seed,
          program(seed, category).shortened { ModelRun.failures(of: $0).contains { $0.law == law } }
        )
      }
      let (seed, shortest) = shortened.min { "\($0.1)".count < "\($1.1)".count }!
      Issue.record(
        """
        \(category): \(failing.count) of \(seeds.count) programs break \(law). Seed \(seed):
        \(shortest)
          \(ModelRun.failures(of: shortest).map(\.description).joined(separator: "\n  "))
        """)
    }
  }

  private func program(_ seed: Int, _ category: ModelCategory) -> ModelProgram {
    var generator = ModelGenerator(seed: UInt64(seed), category)
    return generator.make()
  }
}
