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
  /// Parts, for the threads of the machine.
  @Test("Graphs keep the laws", arguments: 0..<4)
  func graphsKeepTheLaws(part: Int) {
    Reports.collect()
    let count =
      RandomPrograms.number("KEYLINE_GRAPHS") ?? rounds(100, optimised: 2000)
    RandomPrograms.expectLaws(
      "derived", seeds: RandomPrograms.seeds(count).filter { $0 % 4 == part }
    ) { seed in
      var generator = CellGenerator(seed: seed)
      return generator.make()
    }
  }
}
