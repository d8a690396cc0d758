import TestSupport

/// Makes programs in which the other threads end exactly the objects that the domain is using.
struct ThreadGenerator {
  private var random: SplitMix
  /// The slots that are filled, if no step is left out.
  private var filled: Set<Int> = []
  private var arrays: Set<Int> = []
  private var views: Set<Int> = []
  /// The part, or the part at the end of the weak hop, that a slot's subscription follows.
  private var observed: [Int: Int] = [:]
  private var bound: Set<Int> = []
  private var friends: [Int: Int] = [:]
  /// The part that the current step is about.
  private var focus = 0
  private let threads: Int

  static func program(seed: UInt64) -> ThreadProgram {
    var generator = ThreadGenerator(seed: seed)
    let steps = generator.steps()
    return ThreadProgram(
      seed: seed, threads: generator.threads, isRecorded: generator.random.chance(1, of: 8),
      steps: steps)
  }

  private init(seed: UInt64) {
    random = SplitMix(seed: seed)
    threads = random.chance(1, of: 4) ? 3 : 2
  }

  private mutating func steps() -> [ThreadProgram.Step] {
    var steps: [ThreadProgram.Step] = []
    for _ in 0..<random.number(2...8) {
      focus = random.number(0..<ThreadProgram.parts)
      let preparations = random.number(3...10)
      for _ in 0..<preparations { steps.append(.alone(preparation())) }
      steps.append(meeting())
      if random.chance(1, of: 2) { steps.append(.check(readsFirst: random.chance(1, of: 2))) }
    }
    return steps
  }

  // MARK: Places

  /// A part: mostly the focus.
  private mutating func part() -> Int {
    if random.chance(3, of: 5) { return focus }
    return filled.sorted().randomElement(using: &random) ?? focus
  }

  private mutating func place(_ count: Int) -> Int { random.number(0..<count) }

  private mutating func element<Element>(of list: [Element]) -> Element? {
    list.randomElement(using: &random)
  }

  // MARK: Operations

  /// An operation without a collision: it makes and connects objects.
  private mutating func preparation() -> ThreadProgram.Operation {
    if !filled.contains(focus) { return make(focus) }
    if filled.count < 3 { return make(place(ThreadProgram.parts)) }
    switch random.number(0..<24) {
    case 0..<2: return make(place(ThreadProgram.parts))
    case 2..<9: return observe()
    case 9..<12: return refer(to: true)
    case 12: return .link(part(), to: part())
    case 13..<15: return bind()
    case 15: return .addRule(part(), slot: place(ThreadProgram.rules))
    case 16: return makeArray()
    case 17: return makeView()
    case 18: return observeArray()
    case 19: return observeView()
    default: return operation(depth: 0)
    }
  }

  private mutating func make(_ slot: Int) -> ThreadProgram.Operation {
    filled.insert(slot)
    friends[slot] = nil
    return .make(slot)
  }

  private mutating func refer(to isSome: Bool) -> ThreadProgram.Operation {
    let (owner, friend) = (part(), element(of: filled.sorted()))
    friends[owner] = isSome ? friend : nil
    return .refer(owner, to: isSome ? friend : nil)
  }

  private mutating func observe() -> ThreadProgram.Operation {
    let (slot, subject) = (place(ThreadProgram.subscriptions), part())
    observed[slot] = subject
    let observation = PartObservation.allCases.randomElement(using: &random)!
    return .observe(
      observation, subject, slot: slot, inBag: random.chance(1, of: 4),
      keeping: random.chance(1, of: 6) ? part() : nil,
      then: random.chance(1, of: 5) ? reaction(of: observation) : nil)
  }

  /// The operation of an observer. Only a set of a number leads to sets whose order is compared: any
  /// other emission may come before the store of a set that is under way, because that set has
  /// delivered a death first.
  private mutating func reaction(of observation: PartObservation) -> ThreadProgram.Operation {
    if case .exact(\.numbers) = observation.law { return operation(depth: 1) }
    switch random.number(0..<8) {
    case 0..<3: return .dispose(place(ThreadProgram.subscriptions))
    case 3: return .release(part())
    case 4: return .unbind(place(ThreadProgram.connections))
    case 5: return .releaseArray(place(ThreadProgram.arrays))
    case 6: return .releaseView(place(ThreadProgram.views))
    default: return .read(part())
    }
  }

  private mutating func bind() -> ThreadProgram.Operation {
    let slot = place(ThreadProgram.connections)
    bound.insert(slot)
    let (one, other) = (part(), element(of: filled.sorted()) ?? focus)
    let kind = Connection.allCases.randomElement(using: &random)!
    return random.chance(1, of: 2)
      ? .bind(kind, one, other, slot: slot) : .bind(kind, other, one, slot: slot)
  }

  private mutating func makeArray() -> ThreadProgram.Operation {
    let slot = place(ThreadProgram.arrays)
    arrays.insert(slot)
    return .makeArray(slot, of: (0..<random.number(0...5)).map { _ in part() })
  }

  private mutating func makeView() -> ThreadProgram.Operation {
    let slot = place(ThreadProgram.views)
    views.insert(slot)
    return .makeView(
      ViewKind.allCases.randomElement(using: &random)!, place(ThreadProgram.arrays), slot: slot)
  }

  private mutating func observeArray() -> ThreadProgram.Operation {
    let slot = place(ThreadProgram.subscriptions)
    observed[slot] = focus
    return .observeArray(
      ArrayObservation.allCases.randomElement(using: &random)!, place(ThreadProgram.arrays),
      slot: slot)
  }

  private mutating func observeView() -> ThreadProgram.Operation {
    let slot = place(ThreadProgram.subscriptions)
    observed[slot] = focus
    return .observeView(place(ThreadProgram.views), slot: slot)
  }

  /// An operation on what there is; the other threads may be at work.
  private mutating func operation(depth: Int) -> ThreadProgram.Operation {
    switch random.number(0..<30) {
    case 0..<5: return .set(part(), inPlace: random.chance(1, of: 3))
    case 5: return .append(part())
    case 6: return .setTwin(part())
    case 7: return .limit(part())
    case 8..<10: return refer(to: random.chance(2, of: 3))
    case 10: return .link(part(), to: random.chance(2, of: 3) ? part() : nil)
    case 11..<13: return .setFriend(part())
    case 13..<15: return .read(part())
    case 15..<17 where depth < 2:
      return .batch((0..<random.number(1...4)).map { _ in operation(depth: depth + 1) })
    case 17: return observe(depth: depth)
    case 18..<20: return .dispose(place(ThreadProgram.subscriptions))
    case 20: return .unbind(place(ThreadProgram.connections))
    case 21: return .removeRule(place(ThreadProgram.rules))
    case 22..<25: return .edit(place(ThreadProgram.arrays), edit())
    case 25: return .readView(place(ThreadProgram.views))
    case 26: return .releaseView(place(ThreadProgram.views))
    case 27: return .releaseArray(place(ThreadProgram.arrays))
    case 28: return .release(part())
    default: return .set(part(), inPlace: false)
    }
  }

  private mutating func observe(depth: Int) -> ThreadProgram.Operation {
    depth == 0 ? observe() : .read(part())
  }

  private mutating func edit() -> ThreadProgram.ArrayOperation {
    switch random.number(0..<10) {
    case 0..<4: .insert(part: part(), at: random.number(0..<8))
    case 4..<6: .replace(at: random.number(0..<8), by: part())
    case 6..<8: .remove(at: random.number(0..<8))
    case 8: .move(from: random.number(0..<8), to: random.number(0..<8))
    default: .removeAll
    }
  }

  // MARK: Meetings

  /// Lets the other threads end objects and subscriptions around the focus, while the domain uses
  /// them.
  private mutating func meeting() -> ThreadProgram.Step {
    let errands = (0..<threads).map { _ in
      (0..<random.number(0...3)).map { _ in
        ThreadProgram.Delayed(errand: errand(), delay: delay())
      }
    }
    let operations = (0..<random.number(1...4)).map { _ in operation(depth: 0) }
    return .together(operations, after: delay(), errands)
  }

  /// Mostly short, because the threads begin at the same time.
  private mutating func delay() -> Int {
    random.chance(1, of: 3) ? 0 : random.number(0...(1 << random.number(2...10)))
  }

  private mutating func errand() -> ThreadProgram.Errand {
    switch random.number(0..<20) {
    case 0..<7:
      let related = observed.filter { $0.value == focus }.keys.sorted()
      return .dispose(element(of: related) ?? place(ThreadProgram.subscriptions))
    case 7..<9: return .dispose(place(ThreadProgram.subscriptions))
    case 9: return .unbind(element(of: bound.sorted()) ?? 0)
    case 10: return .removeRule(place(ThreadProgram.rules))
    case 11..<14: return drop(focus)
    case 14..<17: return drop(friends[focus] ?? part())
    case 17: return drop(part())
    case 18: return .dropArray(place(ThreadProgram.arrays))
    default: return .dropView(place(ThreadProgram.views))
    }
  }

  private mutating func drop(_ slot: Int) -> ThreadProgram.Errand {
    filled.remove(slot)
    return .drop(slot)
  }
}
