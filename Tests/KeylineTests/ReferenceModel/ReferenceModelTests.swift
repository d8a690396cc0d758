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
  @Test("Programs keep the laws", arguments: ModelCategory.allCases)
  func programsKeepTheLaws(category: ModelCategory) {
    Reports.collect()
    let count =
      RandomPrograms.number("KEYLINE_PROGRAMS") ?? rounds(200, optimised: 3000)
    RandomPrograms.expectLaws(
      "\(category)", seeds: RandomPrograms.seeds(count * category.share / 100)
    ) { seed in
      var generator = ModelGenerator(seed: seed, category)
      return generator.make()
    }
  }
}
