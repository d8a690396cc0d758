import Keyline
import TestSupport
import Testing

/// Observers that join and leave during a delivery.
@Suite struct ObserverListTests {
  private final class Point: ReactiveObject {
    @Observed var x = 0
  }

  @Test("C7: An observer that joins before others during a delivery displaces none of them")
  func anObserverThatJoinsInFrontDisplacesNone() {
    let point = Point()
    let received = Log<Int>()
    var subscriptions: [any Disposable] = []
    for number in 1...5 {
      subscriptions.append(
        point.observe(\.x, options: .new).subscribe(onNext: { _ in
          received.append(number)
          if number == 3 { _ = point.observeChangeSets().subscribe() }
        }))
    }
    subscriptions[0].dispose()
    subscriptions[1].dispose()
    point.x = 1
    received.expect([3, 4, 5])
    point.x = 2
    received.expect([3, 4, 5])
  }

  @Test("C7: Observers leave one after the other during a delivery", arguments: [false, true])
  func observersLeaveDuringADelivery(isReversed: Bool) {
    let point = Point()
    let received = Log<Int>()
    var subscriptions: [any Disposable] = []
    for number in 0..<1_000 {
      subscriptions.append(
        point.observe(\.x, options: .new).subscribe(onNext: { _ in
          received.append(number)
          guard number == 1 else { return }
          let leaving = subscriptions[1..<999]
          if isReversed { leaving.reversed().forEach { $0.dispose() } }
          leaving.forEach { $0.dispose() }
        }))
    }
    point.x = 1
    received.expect([0, 1, 999])
    point.x = 2
    received.expect([0, 999])
  }
}
