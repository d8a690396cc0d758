import Foundation
import Keyline
import TestSupport
import Testing

/// Random graphs of derived values, against a naive model.
///
/// The model shares nothing with the implementation: it computes each value anew from plain values.
/// CellLaws.swift checks emissions and the state after each step, CellEvaluations.swift checks each
/// run of a rule.
///
/// `KEYLINE_GRAPHS=100000` runs as many graphs; `KEYLINE_SEED=7` runs the graph of one seed. A
/// program that fails is shortened and printed. `KEYLINE_TRACE=1` prints each before it runs.
@Suite struct DerivedGraphTests {
  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  /// Parts, for the threads of the machine.
  @Test(arguments: 0..<4)
  func graphsKeepTheLaws(part: Int) {
    Reports.collect()
    let count = Self.number("KEYLINE_GRAPHS") ?? 2000
    let seeds = Self.number("KEYLINE_SEED").map { $0...$0 } ?? 1...max(1, count)
    var failures: [String: [Int]] = [:]
    for seed in seeds where seed % 4 == part {
      if Self.number("KEYLINE_TRACE") != nil {
        FileHandle.standardError.write(Data("seed \(seed):\n\(program(seed))\n".utf8))
      }
      for law in Set(CellRun.failures(of: program(seed)).map(\.law)) {
        failures[law, default: []].append(seed)
      }
    }
    for (law, failing) in failures.sorted(by: { $0.value[0] < $1.value[0] }) {
      // The shortest of a few: some programs do not get short.
      let shortened = failing.prefix(5).map { seed in
        (seed, program(seed).shortened { CellRun.failures(of: $0).contains { $0.law == law } })
      }
      let (seed, shortest) = shortened.min { "\($0.1)".count < "\($1.1)".count }!
      let messages = CellRun.failures(of: shortest).map { "\($0.law), \($0.message)" }
      Issue.record(
        """
        \(failing.count) graphs break \(law). Seed \(seed):
        \(shortest)
          \(messages.joined(separator: "\n  "))
        """)
    }
  }

  private func program(_ seed: Int) -> CellProgram {
    var generator = CellGenerator(seed: UInt64(seed))
    return generator.make()
  }
}
