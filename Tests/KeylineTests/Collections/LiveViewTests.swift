import Keyline
import TestSupport
import Testing

/// Live views against `Array.map`, `filter` and `sorted`, computed anew after each step.
@Suite struct LiveViewProgramTests {
  @Test("Random programs agree with arrays computed anew") func randomPrograms() {
    let count =
      RandomPrograms.number("KEYLINE_VIEWS")
      ?? RandomPrograms.count(1_000, optimised: 3_000)
    RandomPrograms.expectLaws("LiveViewProgram", seeds: RandomPrograms.seeds(count)) {
      LiveViewProgram(seed: $0)
    }
  }
}
