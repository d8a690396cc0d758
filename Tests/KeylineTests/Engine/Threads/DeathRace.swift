import Keyline
import TestSupport
import Testing

/// An object with eight subscriptions: some threads dispose three and three of them, none disposes two
/// of them, and another thread drops the last reference to the object, all at the same time.
final class DeathRace {
  private var subject: AnyObject?
  private weak var subjectSeen: AnyObject?
  /// The objects that the subscriptions need, and that survive the race.
  private let survivors: [AnyObject]
  private var subscriptions: [(record: ThreadRecord, disposable: any Disposable)] = []

  init(
    of subject: consuming AnyObject, survivors: [AnyObject],
    _ subscribe: (Int) -> (ThreadRecord, any Disposable)
  ) {
    self.subject = subject
    subjectSeen = subject
    self.survivors = survivors
    subscriptions = (0..<8).map(subscribe)
  }

  /// Runs races, of which each begins with new objects. In turn, the death and either half of the
  /// disposals happen on the thread of the domain.
  static func run(_ journal: Journal, _ make: (Int) -> DeathRace) {
    let others = OtherThreads(2)
    journal.repeated { round in
      let race = make(round)
      switch round % 3 {
      case 0:
        others.together([race.death(after: round % 50), race.disposals(0..<3)], race.disposeLast)
      case 1: others.together([race.disposals(0..<3), race.disposals(3..<6)], race.die)
      default:
        others.together([race.disposals(0..<3), race.death(after: round % 50)], race.disposeLast)
      }
      race.check()
    }
    others.stop()
  }

  private func die() { subject = nil }

  private func death(after delay: Int) -> [DelayedErrand] {
    [DelayedErrand(.drop(LastReference(subject.take()!)), after: delay)]
  }

  private func disposals(_ range: Range<Int>) -> [DelayedErrand] {
    subscriptions[range].map { DelayedErrand(.dispose($0.disposable)) }
  }

  private func disposeLast() {
    for subscription in subscriptions[3..<6] {
      subscription.disposable.dispose()
      subscription.record.close()
    }
  }

  private func check() {
    #expect(subjectSeen == nil)
    // Objects may wait for an operation on a survivor before they are released.
    for survivor in survivors {
      if let view = survivor as? LiveArray<Part> { _ = view.elements }
      if let part = survivor as? Part {
        part.number += 1
        part.observe(\.pulse) { _ in }.dispose()
      }
    }
    for (index, subscription) in subscriptions.enumerated() {
      let record = subscription.record
      let completions = record.completions
      #expect(
        index < 6 ? completions <= 1 : completions == 1,
        "\(record.name) \(index): \(completions) completions")
      #expect(record.disposals == 1 && record.isReleased, "\(record.name) \(index) is retained")
      #expect(record.faults == [], "\(record.name) \(index): \(record.faults)")
    }
  }
}
