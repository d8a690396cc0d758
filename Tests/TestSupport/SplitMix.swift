/// `count` rounds or random programs in a build that checks itself as it runs, and `optimised` in one that
/// does not.
package func rounds(_ count: Int, optimised: Int) -> Int {
  #if DEBUG
    count
  #else
    optimised
  #endif
}

/// The source of the choices of all random programs: a small generator whose sequence a printed seed repeats (SplitMix64).
package struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number of the range, each with the same probability.
  package mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &self)
  }

  /// A number of the range, each with the same probability.
  package mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

  /// True in `count` of `all` cases.
  package mutating func chance(_ count: Int, of all: Int) -> Bool { number(1...all) <= count }
}
