import Keyline
import TestSupport
import Testing

/// A random program of weak properties, sets and batches, in which objects die anywhere: in batches,
/// in the deinit of other objects, and in observers of other deaths.
///
/// The reference is plain Swift: after each step, and in each read, the values that were delivered or
/// read are compared with what the stored properties say now.
struct DeathProgram: SteppedProgram {
  indirect enum Step {
    case make(Int, inDeinit: [Step], whenCompleted: [Step])
    case release(Int)
    case refer(Int, to: Int?)
    case retain(Int, Int?)
    case count(Int)
    case read(Int)
    case batch([Step])
  }

  static let holders = 2
  static let mortals = 3

  var steps: [Step]

  init(seed: UInt64) {
    var random = SplitMix(seed: seed)
    steps = (0..<Int.random(in: 4...14, using: &random)).map { _ in
      Self.step(depth: 0, using: &random)
    }
  }

  private static func step(depth: Int, using random: inout SplitMix) -> Step {
    func mortal() -> Int { .random(in: 0..<mortals, using: &random) }
    func holder() -> Int { .random(in: 0..<holders, using: &random) }
    func script() -> [Step] {
      guard depth < 2 else { return [] }
      return (0..<Int.random(in: 0...2, using: &random)).map { _ in
        step(depth: depth + 1, using: &random)
      }
    }
    switch Int.random(in: 0..<12, using: &random) {
    case 0...2: return .make(mortal(), inDeinit: script(), whenCompleted: script())
    case 3...4: return .release(mortal())
    case 5...7: return .refer(holder(), to: Bool.random(using: &random) ? mortal() : nil)
    case 8: return .retain(holder(), Bool.random(using: &random) ? mortal() : nil)
    case 9: return .count(holder())
    case 10: return .read(holder())
    default: return .batch(script() + script())
    }
  }

  var description: String { steps.map { "\($0)" }.joined(separator: "\n") }

  var failures: [LawFailure] {
    let world = World()
    for (index, step) in steps.enumerated() {
      world.step = index
      world.run([step])
      world.check()
    }
    return world.failures
  }
}

private final class Mortal: ReactiveObject {
  @Observed var a = 0
  private let inDeinit: () -> Void

  init(inDeinit: @escaping () -> Void) { self.inDeinit = inDeinit }

  deinit { inDeinit() }
}

private final class Holder: ReactiveObject {
  @Observed var a = 0
  @Observed var strong: Mortal?
  @WeakObserved var weak: Mortal?
  @Derived({ (self: Holder) in self.state }) var observed: String
  @Derived({ (self: Holder) in self.state }) var unobserved: String

  /// What a derived value must be now.
  var state: String { "\(weak == nil ? "nobody" : "somebody") \(a)" }
}

private final class World {
  var step = 0
  private(set) var failures: [LawFailure] = []
  private let holders = (0..<DeathProgram.holders).map { _ in Holder() }
  private var mortals: [Mortal?] = Array(repeating: nil, count: DeathProgram.mortals)
  private var isNil: [[Bool]]
  private var states: [[String]]
  private var values: [[Int?]]
  /// How many deinits of models are under way, in which weak references read nil before the death is
  /// announced.
  private var deinits = 0

  init() {
    isNil = holders.map { _ in [] }
    states = holders.map { _ in [] }
    values = holders.map { _ in [] }
    for (index, holder) in holders.enumerated() {
      holder.observe(\.weak) { [weak self] in self?.isNil[index].append($0 == nil) }
      holder.observe(\.observed) { [weak self] in self?.states[index].append($0) }
      holder.observeWeakly {
        $0.weak.a
      } onNext: { [weak self] in
        self?.values[index].append($0)
      }
    }
  }

  func run(_ steps: [DeathProgram.Step]) {
    for step in steps {
      switch step {
      case .make(let index, let inDeinit, let whenCompleted):
        let mortal = Mortal { [weak self] in
          self?.deinits += 1
          self?.run(inDeinit)
          self?.deinits -= 1
        }
        _ = mortal.observe(\.a).subscribe(onCompleted: { [weak self] in self?.run(whenCompleted) })
        replace(index, by: mortal)
      case .release(let index): replace(index, by: nil)
      case .refer(let index, let mortal): holders[index].weak = mortal.flatMap { mortals[$0] }
      case .retain(let index, let mortal): holders[index].strong = mortal.flatMap { mortals[$0] }
      case .count(let index):
        holders[index].a += 1
        holders[index].weak?.a += 1
      case .read(let index): read(holders[index])
      case .batch(let steps): batchUpdates { run(steps) }
      }
    }
  }

  private func replace(_ index: Int, by mortal: Mortal?) {
    // Released after the access, because the death may lead here again.
    let former = mortals[index]
    mortals[index] = mortal
    withExtendedLifetime(former) {}
  }

  private func read(_ holder: Holder) {
    let (observed, unobserved) = (holder.observed, holder.unobserved)
    guard deinits == 0 else { return }
    expect("D11", observed == holder.state, "observed reads \(observed), not \(holder.state)")
    expect("D11", unobserved == holder.state, "unobserved reads \(unobserved), not \(holder.state)")
  }

  /// Compares the last deliveries with the stored values, at rest.
  func check() {
    for (index, holder) in holders.enumerated() {
      read(holder)
      expect("P1", isNil[index].last == (holder.weak == nil), "weak: \(isNil[index])")
      expect("D4", states[index].last == holder.state, "\(states[index]), not \(holder.state)")
      expect(
        "D5", zip(states[index], states[index].dropFirst()).allSatisfy { $0 != $1 },
        "\(states[index])")
      expect("P4", (values[index].last ?? nil) == holder.weak?.a, "chain: \(values[index])")
    }
  }

  private func expect(_ law: String, _ isKept: Bool, _ message: String) {
    if !isKept { failures.append(LawFailure(law: law, step: step, message: message)) }
  }
}

@Suite struct DeathProgramTests {
  @Test("Random programs, in which objects die anywhere, deliver the values that are stored")
  func randomPrograms() {
    let count =
      RandomPrograms.number("KEYLINE_DEATHS") ?? rounds(150, optimised: 5_000)
    RandomPrograms.expectLaws("DeathProgram", seeds: RandomPrograms.seeds(count)) {
      DeathProgram(seed: $0)
    }
  }
}
