import TestSupport

@testable import Keyline

/// Runs a program: the one domain to which all its objects belong.
final class ThreadDomain {
  private(set) var failures: [LawFailure] = []
  private var step = 0
  private let others: OtherThreads

  // The slots. The contents that are taken out for another thread are nowhere else.
  private var parts: [Part?] = slots(ThreadProgram.parts)
  var arrays: [ObservableArray<Part>?] = slots(ThreadProgram.arrays)
  var views: [LiveArray<Part>?] = slots(ThreadProgram.views)
  var subscriptions: [Subscription?] = slots(ThreadProgram.subscriptions)
  var bindings: [FollowedBinding?] = slots(ThreadProgram.connections)
  var rules: [Rule?] = slots(ThreadProgram.rules)

  // Everything that was ever made, without retaining the objects.
  private(set) var histories: [PartHistory] = []
  private(set) var followedArrays: [FollowedArray] = []
  private(set) var followedViews: [FollowedView] = []
  var followed: [Followed] = []
  /// The part that each slot had last, which may be alive in other hands.
  private var lastParts: [PartHistory?] = slots(ThreadProgram.parts)

  /// The part for which each number was made.
  private(set) var owners: [Int: Int] = [:]
  private var lastNumber = 1_000
  private(set) var batchLevel = 0
  /// Whether values are compared: observers run no operation meanwhile.
  private(set) var isChecking = false

  struct Subscription {
    enum Handle {
      case disposable(any Disposable)
      case bag(DisposeBag)
    }

    let handle: Handle
    let followed: Followed
  }

  struct Rule {
    let validation: PropertyValidation<Int>
    let history: PartHistory
  }

  /// The state of the fast path of all reads in the process, before the program.
  let formerTrackingCount = trackingCount

  private static func slots<Content>(_ count: Int) -> [Content?] {
    Array(repeating: nil, count: count)
  }

  init(_ others: OtherThreads) { self.others = others }

  // MARK: Steps

  func run(_ step: ThreadProgram.Step, _ index: Int) {
    self.step = index
    switch step {
    case .alone(let operation): run(operation)
    case .together(let operations, let delay, let errands):
      others.together(handOver(errands)) {
        idle(delay)
        operations.forEach(run)
      }
      settleRules()
    case .check(let readsFirst): check(readsFirst: readsFirst)
    }
  }

  private func handOver(_ errands: [[ThreadProgram.Delayed]]) -> [[DelayedErrand]] {
    errands.map { errands in
      errands.compactMap { delayed in
        take(delayed.errand).map { DelayedErrand($0, after: delayed.delay) }
      }
    }
  }

  /// The errand, with the contents of its slot; nil if the slot is empty.
  private func take(_ errand: ThreadProgram.Errand) -> Errand? {
    switch errand {
    case .dispose(let slot):
      guard let subscription = subscriptions[slot] else { return nil }
      subscription.followed.isEnded = true
      switch subscription.handle {
      case .disposable(let disposable): return .dispose(disposable)
      case .bag(let bag):
        subscriptions[slot] = nil
        return .drop(LastReference(bag))
      }
    case .unbind(let slot):
      guard let binding = bindings[slot] else { return nil }
      binding.isDisposed = true
      return .dispose(binding.binding)
    case .removeRule(let slot):
      guard let rule = rules[slot].take() else { return nil }
      rule.history.endingRules += 1
      return .dispose(rule.validation)
    case .drop(let slot): return parts[slot].take().map { .drop(LastReference($0)) }
    case .dropArray(let slot): return arrays[slot].take().map { .drop(LastReference($0)) }
    case .dropView(let slot): return views[slot].take().map { .drop(LastReference($0)) }
    }
  }

  private func settleRules() {
    for history in histories where history.endingRules > 0 {
      history.rules -= history.endingRules
      history.endingRules = 0
    }
  }

  // MARK: Operations

  func run(_ operation: ThreadProgram.Operation) {
    switch operation {
    case .make(let slot): make(slot)
    case .release(let slot): _ = parts[slot].take()
    case .set(let slot, let inPlace): withPart(slot) { setNumber(of: $0, inPlace: inPlace) }
    case .append(let slot): withPart(slot, append)
    case .setTwin(let slot): withPart(slot) { $0.twin = number(of: $0) }
    case .limit(let slot): withPart(slot, limit)
    case .refer(let slot, let other): withPart(slot) { refer($0, to: other.flatMap(part)) }
    case .link(let slot, let other): withPart(slot) { link($0, to: other.flatMap(part)) }
    case .setFriend(let slot):
      withPart(slot) { if let friend = $0.friend { setNumber(of: friend, inPlace: false) } }
    case .read(let slot): withPart(slot, read)
    case .batch(let operations):
      batchUpdates {
        batchLevel += 1
        operations.forEach(run)
        batchLevel -= 1
      }
    case .observe(let observation, let slot, let place, let inBag, let other, let reaction):
      withPart(slot) {
        observe(
          observation, $0, slot: place, inBag: inBag, keeping: other.flatMap(part), then: reaction)
      }
    case .observeArray(let observation, let slot, let place):
      if let array = followedArray(slot) { observe(observation, array, slot: place) }
    case .observeView(let slot, let place):
      if let view = views[slot] { observe(view, slot: place) }
    case .dispose(let slot): dispose(slot)
    case .bind(let kind, let source, let target, let slot):
      withPart(source) { source in withPart(target) { bind(kind, source, $0, slot: slot) } }
    case .unbind(let slot): unbind(slot)
    case .addRule(let slot, let place): withPart(slot) { addRule(to: $0, slot: place) }
    case .removeRule(let slot): removeRule(slot)
    case .makeArray, .edit, .releaseArray, .makeView, .readView, .releaseView: runOnArray(operation)
    }
  }

  /// Replaces the contents of a slot, which are released after the access: a death may lead to the
  /// slots again.
  private func exchange<Content>(_ slot: inout Content?, with content: Content) -> Content? {
    defer { slot = content }
    return slot
  }

  private func runOnArray(_ operation: ThreadProgram.Operation) {
    switch operation {
    case .makeArray(let slot, let parts):
      let array = ObservableArray(parts.compactMap(part))
      _ = exchange(&arrays[slot], with: array)
      followedArrays.append(FollowedArray(array))
    case .edit(let slot, let edit): arrays[slot].map { run(edit, on: $0) }
    case .releaseArray(let slot): _ = arrays[slot].take()
    case .makeView(let kind, let slot, let place):
      guard let array = arrays[slot] else { return }
      let view = kind.make(of: array)
      _ = exchange(&views[place], with: view)
      followedViews.append(FollowedView(kind, view, of: array))
    case .readView(let slot): _ = views[slot]?.elements
    case .releaseView(let slot): _ = views[slot].take()
    default: break
    }
  }

  private func run(_ edit: ThreadProgram.ArrayOperation, on array: ObservableArray<Part>) {
    let count = array.count
    switch edit {
    case .insert(let slot, let index):
      if let part = part(slot) { array.insert(part, at: min(index, count)) }
    case .replace(let index, let slot):
      if count > 0, let part = part(slot) { array[index % count] = part }
    case .remove(let index): if count > 0 { array.remove(at: index % count) }
    case .move(let source, let target):
      if count > 0 { array.move(from: source % count, to: target % count) }
    case .removeAll: array.removeAll()
    }
  }

  // MARK: Parts

  /// The part of a slot. After it has been handed over, it is found through a weak reference, so
  /// that the domain uses it at the moment of its death.
  private func part(_ slot: Int) -> Part? { parts[slot] ?? lastParts[slot]?.part }

  private func withPart(_ slot: Int, _ body: (Part) -> Void) {
    if let part = part(slot) { body(part) }
  }

  private func make(_ slot: Int) {
    let number = nextNumber(for: histories.count)
    let part = Part(histories.count, number)
    histories.append(PartHistory(part))
    lastParts[slot] = histories[part.id]
    _ = exchange(&parts[slot], with: part)
  }

  private func nextNumber(for id: Int) -> Int {
    lastNumber += 1
    owners[lastNumber] = id
    return lastNumber
  }

  private func number(of part: Part) -> Int { nextNumber(for: part.id) }

  private func note(_ value: Int?, _ property: PartHistory.Property, of part: Part) {
    histories[part.id].add(value, to: property, isBatched: batchLevel > 0)
  }

  private func setNumber(of part: Part, inPlace: Bool) {
    let value = number(of: part)
    note(value, .numbers, of: part)
    if inPlace { part.number += value - part.number } else { part.number = value }
  }

  private func append(to part: Part) {
    let value = number(of: part)
    note(value, .list, of: part)
    part.list.append(value)
  }

  private func refer(_ part: Part, to friend: Part?) {
    note(friend?.id, .friends, of: part)
    part.friend = friend
  }

  /// Refers to an older part, so that there are no cycles of strong references.
  private func link(_ part: Part, to next: Part?) {
    if let next, next.id >= part.id { return }
    note(next?.id, .nexts, of: part)
    part.next = next
  }

  private func read(_ part: Part) {
    _ = (part.sum, part.ofFriend, part.total, part.deep, part.derivedFriend)
    expect(part.doubled == part.number * 2, "D11: doubled is \(part.doubled) of \(part.number)")
  }

  private func limit(_ part: Part) {
    let history = histories[part.id]
    let (value, former, rules) = (number(of: part), part.limited, history.rules)
    history.limits += 1
    let sets = history.limits
    part.limited = value
    // Unless an observer has set it again, or a rule has come or gone at this moment.
    guard history.limits == sets, history.rules == rules, history.endingRules == 0 else { return }
    let isStored = rules == 0 || Part.admits(value)
    expect(part.limited == (isStored ? value : former), "rule: \(value) → \(part.limited)")
  }

  // MARK: Checks

  func expect(_ isKept: Bool, _ message: @autoclosure () -> String) {
    if !isKept { fail(message()) }
  }

  /// - Parameter message: begins with the law.
  func fail(_ message: String) {
    let law = message.prefix { $0 != ":" }
    failures.append(LawFailure(law: String(law), step: step, message: message))
  }

  private func check(readsFirst: Bool) {
    isChecking = true
    compare(readsFirst: readsFirst)
    isChecking = false
  }

  /// Drops everything at once, on all threads, and compares once more.
  func finish(seed: UInt64) {
    step += 1
    var random = SplitMix(seed: seed)
    var errands: [[DelayedErrand]] = Array(repeating: [], count: others.count)
    var own: [ThreadProgram.Errand] = []
    for errand in ThreadProgram.Errand.allDrops.shuffled(using: &random) {
      let thread = random.number(0...others.count)
      if thread == others.count {
        own.append(errand)
      } else if let taken = take(errand) {
        errands[thread].append(DelayedErrand(taken, after: random.number(0...50)))
      }
    }
    others.together(errands) { for errand in own { take(errand)?.run() } }
    settleRules()
    (subscriptions, bindings, rules) = ([], [], [])
    check(readsFirst: false)
    expectNothingLeft()
  }
}
