import Keyline
import TestSupport
import Testing

/// A random program of values that are derived from each other, in cycles that open and close.
///
/// The reference follows the rules recursively. In a cycle, the law leaves the value open (D15: the fallback,
/// or the last value). Every other value must be exact, also if it was in a cycle before.
struct CycleProgram: SteppedProgram {
  /// What a value is derived from.
  enum Rule {
    case constant(Int)
    case next(of: Int)
    /// The second of the three, if the first is even; else the third.
    case choice(Int, Int, Int)
  }

  enum Step {
    case rule(Int, Rule)
    case read(Int)
    case observe(Int)
    case dispose(Int)
    case batch([Step])
  }

  static let count = 5

  var steps: [Step]

  init(seed: UInt64) {
    var random = SplitMix(seed: seed)
    steps = (0..<random.number(4...24)).map { _ in Self.step(isInBatch: false, using: &random) }
  }

  private static func step(isInBatch: Bool, using random: inout SplitMix) -> Step {
    let cell = random.number(0..<count)
    switch random.number(0...9) {
    case 0...4: return .rule(cell, rule(using: &random))
    case 5...6: return .read(cell)
    case 7: return .observe(cell)
    case 8: return .dispose(cell)
    default:
      if isInBatch { return .read(cell) }
      return .batch(
        (0..<random.number(1...4)).map { _ in step(isInBatch: true, using: &random) })
    }
  }

  private static func rule(using random: inout SplitMix) -> Rule {
    let (first, second, third) = (
      random.number(0..<count), random.number(0..<count), random.number(0..<count)
    )
    switch random.number(0...3) {
    case 0: return .constant(random.number(0...2))
    case 1: return .next(of: first)
    default: return .choice(first, second, third)
    }
  }

  var failures: [LawFailure] {
    let world = CycleWorld()
    for (index, step) in steps.enumerated() {
      world.step = index
      world.run(step)
      world.check()
    }
    return world.failures
  }
}

/// The values are few, so that a fallback, the last value and the exact one are often equal.
private final class Ring: ReactiveObject {
  @Observed var rule = CycleProgram.Rule.constant(0)
  var cells: [Ring] = []
  @Derived(or: 1, { (self: Ring) in self.follow { self.cells[$0].withFallback } })
  var withFallback: Int
  @Derived({ (self: Ring) in self.follow { self.cells[$0].optional ?? 0 } }) var optional: Int?
  var computed: Int { withFallback }

  private func follow(_ value: (Int) -> Int) -> Int {
    switch rule {
    case .constant(let constant): constant
    case .next(let cell): (value(cell) + 1) % 3
    case .choice(let tested, let even, let odd):
      value(tested) % 2 == 0 ? value(even) : value(odd)
    }
  }
}

private final class CycleWorld {
  var step = 0
  private(set) var failures: [LawFailure] = []
  private let cells = (0..<CycleProgram.count).map { _ in Ring() }
  private var subscriptions: [Int: any Disposable] = [:]
  private var emitted: [Int: Emitted] = [:]

  private struct Emitted: Equatable {
    var withFallback: Int? = 0
    var optional: Int? = 0
    var computed: Int? = 0
  }

  init() { for cell in cells { cell.cells = cells } }

  deinit { for cell in cells { cell.cells = [] } }

  func run(_ step: CycleProgram.Step) {
    switch step {
    case .rule(let cell, let rule): cells[cell].rule = rule
    case .read(let cell): _ = (cells[cell].withFallback, cells[cell].optional)
    case .observe(let cell):
      guard subscriptions[cell] == nil else { return }
      emitted[cell] = Emitted()
      subscriptions[cell] = CompositeDisposable(
        cells[cell].observe(\.withFallback).subscribe(onNext: { [unowned self] in
          emitted[cell]?.withFallback = $0
        }),
        cells[cell].observe(\.optional).subscribe(onNext: { [unowned self] in
          emitted[cell]?.optional = $0
        }),
        cells[cell].observe(\.computed).subscribe(onNext: { [unowned self] in
          emitted[cell]?.computed = $0
        }))
    case .dispose(let cell):
      subscriptions.removeValue(forKey: cell)?.dispose()
      emitted[cell] = nil
    case .batch(let steps): batchUpdates { steps.forEach(run) }
    }
  }

  /// The value without any memory; nil if it depends on itself.
  private func value(of cell: Int, below: Set<Int> = []) -> Int? {
    guard !below.contains(cell) else { return nil }
    let below = below.union([cell])
    switch cells[cell].rule {
    case .constant(let constant): return constant
    case .next(let other): return value(of: other, below: below).map { ($0 + 1) % 3 }
    case .choice(let tested, let even, let odd):
      return value(of: tested, below: below).flatMap {
        value(of: $0 % 2 == 0 ? even : odd, below: below)
      }
    }
  }

  /// Compares the emitted values, then the current ones, with the reference.
  func check() {
    for (cell, emitted) in emitted {
      guard let value = value(of: cell) else { continue }
      expect(
        "the last emission has the current value",
        emitted == Emitted(withFallback: value, optional: value, computed: value),
        "\(emitted) in \(cell), not \(value)")
    }
    for (index, cell) in cells.enumerated() {
      // Not all are read, so that some are read later for the first time since a cycle has opened.
      guard (index + step) % 3 == 0, let value = value(of: index) else { continue }
      expect(
        "a value outside of cycles is exact", (cell.withFallback, cell.optional) == (value, value),
        "\(cell.withFallback), \(cell.optional as Any) in \(index), not \(value)")
    }
  }

  private func expect(_ law: String, _ isKept: Bool, _ message: String) {
    if !isKept { failures.append(LawFailure(law: law, step: step, message: message)) }
  }
}

@Suite struct CycleProgramTests {
  @Test("D15: Cycles that open leave no value behind")
  func d15CyclesThatOpenLeaveNoValueBehind() {
    Reports.collect()
    let count = RandomPrograms.number("KEYLINE_CYCLES") ?? rounds(500, optimised: 5000)
    RandomPrograms.expectLaws("cycles", seeds: RandomPrograms.seeds(count)) {
      CycleProgram(seed: $0)
    }
  }
}
