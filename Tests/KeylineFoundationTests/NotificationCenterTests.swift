import Foundation
import Keyline
import KeylineFoundation
import KeylineTest
import TestSupport
import Testing

/// Notifications as a sequence: what comes, and when observing ends.
@Suite struct NotificationCenterTests {
  final class Sender: NSObject, @unchecked Sendable {}

  let center = NotificationCenter()
  let name = Notification.Name("NotificationCenterTests")

  @Test("Posted notifications are emitted until disposal") func emitsWhatIsPostedUntilDisposal() {
    var seen: [String] = []
    let subscription = center.rx.notification(name).subscribe(onNext: {
      seen.append("\($0.userInfo?["key"] ?? "none")")
    })
    center.post(name: name, object: nil, userInfo: ["key": 1])
    center.post(name: Notification.Name("another"), object: nil)
    center.post(name: name, object: self)
    subscription.dispose()
    center.post(name: name, object: nil)
    #expect(seen == ["1", "none"])
  }

  @Test("Of one object only") func ofOneObjectOnly() {
    let (sender, other) = (Sender(), Sender())
    var seen = 0
    let subscription = center.rx.notification(name, object: sender).subscribe(onNext: { _ in
      seen += 1
    })
    center.post(name: name, object: sender)
    center.post(name: name, object: other)
    center.post(name: name, object: nil)
    #expect(seen == 1)
    subscription.dispose()
  }

  @Test("Every subscription observes and leaves") func everySubscriptionObservesAndLeaves() {
    var seen: [Int] = []
    let notifications = center.rx.notification(name)
    let first = notifications.subscribe(onNext: { _ in seen.append(1) })
    let second = notifications.subscribe(onNext: { _ in seen.append(2) })
    center.post(name: name, object: nil)
    first.dispose()
    center.post(name: name, object: nil)
    second.dispose()
    center.post(name: name, object: nil)
    #expect(seen.sorted() == [1, 2, 2])
  }

  @Test("An object that has died posts nothing") func anObjectThatHasDiedPostsNothing() {
    var sender: Sender? = Sender()
    weak let observed = sender
    let notifications = center.rx.notification(name, object: sender)
    sender = nil
    #expect(observed == nil)
    var seen = 0
    let subscription = notifications.subscribe(onNext: { _ in seen += 1 })
    center.post(name: name, object: nil)
    center.post(name: name, object: Sender())
    #expect(seen == 0)
    subscription.dispose()
  }

  @Test("A new object at the address of one that has died posts nothing")
  func aNewObjectAtTheAddressOfOneThatHasDiedPostsNothing() {
    var sender: Sender? = Sender()
    let address = sender.map(ObjectIdentifier.init)
    var seen = 0
    let subscription = center.rx.notification(name, object: sender).subscribe(onNext: { _ in
      seen += 1
    })
    sender = nil
    // The memory of small objects is used again at once; those with weak references may keep theirs.
    let others = (0..<1_000).map { _ in Sender() }
    let isUsedAgain = others.contains { ObjectIdentifier($0) == address }
    for other in others { center.post(name: name, object: other) }
    #expect(seen == 0, "\(isUsedAgain)")
    subscription.dispose()
  }

  @Test("Disposal releases the closure") func disposalReleasesTheClosure() {
    let tracker = LifetimeTracker()
    let subscription = center.rx.notification(name).subscribe { [token = tracker.track()] _ in
      _ = token
    }
    #expect(tracker.alive == 1)
    subscription.dispose()
    #expect(tracker.alive == 0)
    withExtendedLifetime(center) {}
  }

  @Test("A notification that is posted inside one follows it")
  func aNotificationThatIsPostedInsideOneFollowsIt() {
    var order: [String] = []
    let subscription = center.rx.notification(name).subscribe(onNext: { notification in
      let depth = notification.userInfo?["depth"] as? Int ?? 0
      order.append("in \(depth)")
      if depth < 2 {
        self.center.post(name: self.name, object: nil, userInfo: ["depth": depth + 1])
      }
      order.append("out \(depth)")
    })
    center.post(name: name, object: nil)
    #expect(order == ["in 0", "out 0", "in 1", "out 1", "in 2", "out 2"])
    subscription.dispose()
  }
}

@Suite struct NotificationCenterConcurrencyTests {
  @Test("Posts of several threads are delivered one at a time")
  func postsOfSeveralThreadsAreDeliveredOneAtATime() {
    let center = NotificationCenter()
    let name = Notification.Name("NotificationCenterConcurrencyTests")
    var seen: [Int: [Int]] = [:]
    var count = 0
    let subscription = center.rx.notification(name).subscribe(onNext: { notification in
      let thread = notification.userInfo?["thread"] as? Int ?? -1
      seen[thread, default: []].append(notification.userInfo?["value"] as? Int ?? -1)
      count += 1
    })
    onThreads(4) { thread in
      for value in 0..<200 {
        center.post(name: name, object: nil, userInfo: ["thread": thread, "value": value])
      }
    }
    #expect(count == 800)
    for thread in 0..<4 { #expect(seen[thread] == Array(0..<200)) }
    subscription.dispose()
  }
}
