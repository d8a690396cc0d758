import Keyline
import TestSupport
import Testing

/// A random program of rules on one property, of sets, and of batches.
///
/// The reference is the text of the laws: a set passes the rules in order, and the rules before the last
/// one that coerces it may reject the result; after every outermost set the value satisfies all rules, or a
/// rule rejects it as the current value, or the rules have refused the correction that one of them demands.
struct ValidationProgram: SteppedProgram {
  /// A rule, as a function of the properties at that time.
  enum Rule: CaseIterable {
    /// Clamps to a limit; rejects one value first; clamps to a derived limit.
    case clamp, rejectOrClamp, clampToDerived
    /// Coerces every value, also an acceptable one.
    case clampAlways
    /// Rejects one value; reads the property itself.
    case reject, rejectNext

    static let coercing: [Rule] = [.clamp, .rejectOrClamp, .clampToDerived, .clampAlways]
    static let rejecting: [Rule] = [.reject, .rejectNext]
  }

  indirect enum Step {
    case value(Int), limit(Int), base(Int), rejected(Int), level(Int)
    case batch([Step])
  }

  /// At most one of them coerces: two may demand different values.
  let rules: [Rule]
  var steps: [Step]

  init(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var rules = Rule.rejecting.filter { _ in random.chance(1, of: 2) }
    if random.chance(5, of: 6) {
      let rule = Rule.coercing[random.number(Rule.coercing.indices)]
      rules.insert(rule, at: random.number(0...rules.count))
    }
    self.rules = rules
    steps = (0..<random.number(3...14)).map { _ in Self.step(isInBatch: false, using: &random) }
  }

  private static func step(isInBatch: Bool, using random: inout SplitMix) -> Step {
    let number = random.number(-1...7)
    switch random.number(0...11) {
    case 0...3: return .value(number)
    case 4...5: return .limit(number)
    case 6: return .base(number)
    case 7: return .rejected(number)
    case 8: return .level(number)
    default:
      if isInBatch { return .value(number) }
      return .batch(
        (0..<random.number(1...5)).map { _ in step(isInBatch: true, using: &random) })
    }
  }

  var description: String { "\(rules)\n" + steps.map { "\($0)" }.joined(separator: "\n") }

  var failures: [LawFailure] {
    let world = ValidationWorld(rules)
    for (index, step) in steps.enumerated() {
      world.step = index
      world.run(step)
      world.check()
    }
    return world.failures
  }
}

private final class Ruled: ReactiveObject {
  @Observed var value = 0
  @Observed var limit = 5
  @Observed var base = 0
  @Observed var rejected = -1
  @Observed var level = 0
  @Derived({ (self: Ruled) in max(self.base, self.limit / 2) }) var derived: Int
}

extension ValidationProgram.Rule {
  fileprivate func callAsFunction(_ object: Ruled, _ value: Int) -> Validation<Int> {
    struct Rejected: Error {}
    switch self {
    case .clamp: return value > object.limit ? .coerced(object.limit) : .valid
    case .rejectOrClamp:
      if value == object.rejected { return .rejected(Rejected()) }
      return value > object.limit ? .coerced(object.limit) : .valid
    case .clampToDerived: return value > object.derived ? .coerced(object.derived) : .valid
    case .clampAlways: return .coerced(min(value, object.limit))
    case .reject: return value == object.rejected ? .rejected(Rejected()) : .valid
    case .rejectNext:
      let isNext = object.level > 3 && value == object.value + 1
      return isNext ? .rejected(Rejected()) : .valid
    }
  }
}

extension ValidationProgram.Rule {
  /// The other properties that a coercing rule reads.
  fileprivate func read(from object: Ruled) -> [Int] {
    switch self {
    case .clamp, .clampAlways: [object.limit]
    case .rejectOrClamp: [object.limit, object.rejected]
    case .clampToDerived: [object.derived]
    case .reject, .rejectNext: []
    }
  }
}

private final class ValidationWorld {
  var step = 0
  private(set) var failures: [LawFailure] = []
  private let object = Ruled()
  private let rules: [ValidationProgram.Rule]
  private var latest: [Validation<Int>?]
  /// Whether the rule has rejected the last value that it was given.
  private var hasRejected: [Bool]
  /// What the correcting rule had read when the rules refused its correction. The correction is demanded
  /// again when that changes.
  private var refused: [Int]?

  init(_ rules: [ValidationProgram.Rule]) {
    self.rules = rules
    latest = rules.map { _ in nil }
    hasRejected = rules.map { _ in false }
    for (index, rule) in rules.enumerated() {
      _ = object.validate(\.value) { rule($0, $1) }.results
        .subscribe(onNext: { [unowned self] in latest[index] = $0 })
    }
  }

  func run(_ step: ValidationProgram.Step) {
    switch step {
    case .value(let number): set(number)
    case .limit(let number): object.limit = number
    case .base(let number): object.base = number
    case .rejected(let number): object.rejected = number
    case .level(let number): object.level = number
    case .batch(let steps): batchUpdates { steps.forEach(run) }
    }
  }

  private func set(_ number: Int) {
    let former = object.value
    let expected = admitted(number) { hasRejected[$0] = $1 } ?? former
    // In a batch, so that the value is read before the rules are evaluated again.
    batchUpdates {
      object.value = number
      expect("a set passes the rules", object.value == expected, "\(object.value), not \(expected)")
    }
  }

  /// The value to be stored; nil if a rule rejects it.
  ///
  /// - Parameter note: receives the index of each rule that was asked, and whether it has rejected.
  private func admitted(_ value: Int, note: (Int, Bool) -> Void = { _, _ in }) -> Int? {
    var value = value
    var coercing = 0
    for (index, rule) in rules.enumerated() {
      let result = rule(object, value)
      note(index, result.error != nil)
      if result.error != nil { return nil }
      if case .coerced(let other) = result { (value, coercing) = (other, index) }
    }
    for (index, rule) in rules.prefix(coercing).enumerated() where rule(object, value).error != nil
    {
      note(index, true)
      return nil
    }
    return value
  }

  /// The value that the rule demands in place of the current one.
  private func correction(by rule: ValidationProgram.Rule) -> Int? {
    guard case .coerced(let other) = rule(object, object.value), other != object.value else {
      return nil
    }
    return other
  }

  /// Compares the value and the results with the rules, at rest.
  func check() {
    var isCorrect = true
    for rule in rules {
      guard let other = correction(by: rule) else { continue }
      isCorrect = false
      let read = [object.value] + rule.read(from: object)
      if refused == read { continue }
      refused = admitted(other) == nil ? read : nil
      expect("the value satisfies its rules", refused != nil, "\(object.value), not \(other)")
    }
    guard isCorrect, rules.count == 1, !hasRejected[0] else { return }
    let isRejected = rules[0](object, object.value).error != nil
    expect(
      "the results end with the current value", (latest[0]?.error != nil) == isRejected,
      "\(latest[0].map { "\($0)" } ?? "none") for \(object.value)")
  }

  private func expect(_ law: String, _ isKept: Bool, _ message: String) {
    if !isKept { failures.append(LawFailure(law: law, step: step, message: message)) }
  }
}

@Suite struct ValidationProgramTests {
  @Test("Random programs of rules and batches leave a value that satisfies its rules")
  func randomPrograms() {
    let count =
      RandomPrograms.number("KEYLINE_RULES") ?? rounds(250, optimised: 5_000)
    RandomPrograms.expectLaws("ValidationProgram", seeds: RandomPrograms.seeds(count)) {
      ValidationProgram(seed: $0)
    }
  }
}
