import Foundation
import Testing

/// A program made from a seed, which is run over real objects and compared with a naive model.
protocol RandomProgram: CustomStringConvertible {
  /// The laws that a run of the program breaks.
  var failures: [LawFailure] { get }

  /// The shortest program found by leaving parts out for which `fails` still holds.
  func shortened(while fails: (Self) -> Bool) -> Self
}

/// A program that is a list of steps, each of which may be left out.
protocol SteppedProgram: RandomProgram {
  associatedtype Step
  var steps: [Step] { get set }
}

extension SteppedProgram {
  var description: String { steps.map { "  \($0)" }.joined(separator: "\n") }

  func shortened(while fails: (Self) -> Bool) -> Self {
    var shortest = self
    var index = 0
    while index < shortest.steps.count {
      var shorter = shortest
      shorter.steps.remove(at: index)
      if fails(shorter) { shortest = shorter } else { index += 1 }
    }
    return shortest
  }
}

/// A law that was broken, in which step, and how.
struct LawFailure: Error, CustomStringConvertible {
  let law: String
  let step: Int
  let message: String

  var description: String { "\(law), in step \(step): \(message)" }
}

/// Runs random programs, and records the shortest that breaks each law.
enum RandomPrograms {
  /// A number in the environment.
  static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  /// The first `count` seeds, or only `KEYLINE_SEED` if it is set.
  static func seeds(_ count: Int) -> ClosedRange<Int> {
    number("KEYLINE_SEED").map { $0...$0 } ?? 1...max(1, count)
  }

  /// - Parameter kind: what the programs are called in a record, and in a trace.
  static func expectLaws<Program: RandomProgram>(
    _ kind: String, seeds: some Collection<Int>, make: (UInt64) -> Program
  ) {
    var failures: [String: [Int]] = [:]
    for seed in seeds {
      let program = make(UInt64(seed))
      if number("KEYLINE_TRACE") != nil {
        FileHandle.standardError.write(Data("\(kind), seed \(seed):\n\(program)\n".utf8))
      }
      for law in Set(program.failures.map(\.law)) { failures[law, default: []].append(seed) }
    }
    for (law, failing) in failures.sorted(by: { $0.value[0] < $1.value[0] }) {
      // The shortest of a few: some programs do not get short.
      let shortened = failing.prefix(5).map { seed in
        (seed, make(UInt64(seed)).shortened { $0.failures.contains { $0.law == law } })
      }
      let (seed, shortest) = shortened.min { "\($0.1)".count < "\($1.1)".count }!
      Issue.record(
        """
        \(kind): \(failing.count) of \(seeds.count) programs break \(law). Seed \(seed):
        \(shortest)
          \(shortest.failures.map(\.description).joined(separator: "\n  "))
        """)
    }
  }
}
