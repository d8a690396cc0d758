import Keyline
import OpenCombine
import Synchronization

extension Bar.Reference {
  /// OpenCombine's own figure for the simplest workload: the measure where it lacks the operator.
  static let subjectToOneObserver = Bar.Reference.row("subject -> 1 observer", .openCombine)
}

extension Suite {
  /// Subjects without operators: pumping, then creating.
  static func subjects() -> [Row] {
    [
      Row(
        "subject -> 1 observer", .atMost(0.6, of: .openCombine),
        columns: observed(by: 1)),
      Row(
        "subject -> 10 observers", .atMost(0.6, of: .openCombine),
        columns: observed(by: 10)),
      // 26 atomic operations, and three allocations.
      Row(
        "subject: create, subscribe, emit, dispose", .atMost(0.6, of: .openCombine),
        columns: [
          Column(.keyline) {
            {
              for element in 0..<256 {
                let subject = PublishSubject<Int>()
                let observer = subject.subscribe(onNext: { consume($0) })
                subject.onNext(element)
                observer.dispose()
              }
            }
          },
          Column(.openCombine) {
            {
              for element in 0..<256 {
                let subject = PassthroughSubject<Int, Never>()
                let observer = subject.sink { consume($0) }
                subject.send(element)
                observer.cancel()
              }
            }
          },
        ]),
      Row(
        "subject, subscribe + dispose",
        columns: [
          Column(.keyline) {
            let subject = PublishSubject<Int>()
            return {
              for _ in 0..<256 { subject.subscribe(onNext: { consume($0) }).dispose() }
            }
          },
          Column(.openCombine) {
            let subject = PassthroughSubject<Int, Never>()
            return {
              for _ in 0..<256 { subject.sink { consume($0) }.cancel() }
            }
          },
        ]),
      // Objects enough that no value stays in a register.
      Row(
        "BehaviorRelay, read", .atMost(0.9, of: .openCombine, tolerating: 1),
        columns: [
          Column(.keyline, operations: 64) {
            let relays = (0..<64).map { BehaviorRelay(value: $0) }
            return { consume(relays.reduce(0) { $0 &+ $1.value }) }
          },
          currentValueRead,
        ]),
      Row(
        "BehaviorRelay, write, unobserved", .atMost(1, of: .openCombine, tolerating: 1.3),
        columns: [
          Column(.keyline) {
            let relay = BehaviorRelay(value: 0)
            return { for element in 0..<256 { relay.accept(element) } }
          },
          Column(.openCombine) {
            let subject = CurrentValueSubject<Int, Never>(0)
            return { for element in 0..<256 { subject.send(element) } }
          },
        ]),
      Row(
        "BehaviorSubject, value()", .atMost(1, of: .openCombine),
        columns: [
          Column(.keyline, operations: 64) {
            let subjects = (0..<64).map { BehaviorSubject(value: $0) }
            return { consume(subjects.reduce(0) { $0 &+ ((try? $1.value()) ?? 0) }) }
          },
          currentValueRead,
        ]),
      // A lower bound for the cheapest rows: each delivery, and each retained reference, begins and
      // ends with one atomic operation. Machines differ by a factor of two.
      Row(
        "two atomic operations, without contention",
        columns: [
          Column(.plain) {
            let number = Number()
            return {
              for _ in 0..<256 {
                number.value.wrappingAdd(1, ordering: .sequentiallyConsistent)
                number.value.wrappingSubtract(1, ordering: .sequentiallyConsistent)
              }
            }
          }
        ]),
    ]
  }

  private final class Number: Sendable { let value = Atomic<Int>(0) }

  private static var currentValueRead: Column {
    Column(.openCombine, operations: 64) {
      let subjects = (0..<64).map { CurrentValueSubject<Int, Never>($0) }
      return { consume(subjects.reduce(0) { $0 &+ $1.value }) }
    }
  }

  private static func observed(by count: Int) -> [Column] {
    [
      Column(.keyline) {
        let subject = PublishSubject<Int>()
        for _ in 0..<count { _ = subject.subscribe(onNext: { consume($0) }) }
        return { for element in 0..<256 { subject.onNext(element) } }
      },
      Column(.openCombine) {
        let subject = PassthroughSubject<Int, Never>()
        let observers = (0..<count).map { _ in subject.sink { consume($0) } }
        return {
          for element in 0..<256 { subject.send(element) }
          withExtendedLifetime(observers) {}
        }
      },
    ]
  }
}
