import Keyline
import KeylineTest
import OpenCombine

extension Suite {
  /// Operators that deliver on a scheduler, in virtual time and on the current thread.
  ///
  /// OpenCombine has no virtual time, so it is given ``OpenCombineVirtualTime``. RxSwift and
  /// ReactiveSwift, which have one, are not dependencies of this package. That queue does less than
  /// theirs: where 1.7 times the time of ReactiveSwift's was measured for `observe(on:)`, 4.4 times
  /// the time of this one is.
  static func schedulers() -> [Row] {
    [
      // One tick between two elements, ten until an element is due; advancing the clock is included.
      Row(
        "debounce, superseded, per element", .atMost(0.9, of: .openCombine, tolerating: 1),
        columns: debounced(everyTicks: 1)),
      // Each element is delivered before the next one comes.
      Row(
        "debounce, delivered, per element", .atMost(0.9, of: .openCombine, tolerating: 1),
        columns: debounced(everyTicks: 10)),
      Row(
        // 1.7 times the time of this queue is 0.65 of ReactiveSwift's.
        "observe(on:) virtual time, per element", .atMost(1, of: .openCombine, tolerating: 1.8),
        columns: [
          Column(.keyline) {
            let (subject, time) = (PublishSubject<Int>(), TestScheduler(initialClock: 0))
            _ = subject.observe(on: time).subscribe(onNext: { consume($0) })
            return {
              for element in 0..<256 {
                subject.onNext(element)
                time.advanceTo(time.clock + 1)
              }
            }
          },
          Column(.openCombine) {
            let (subject, time) = (PassthroughSubject<Int, Never>(), OpenCombineVirtualTime())
            let observer = subject.receive(on: time).sink { consume($0) }
            return {
              for element in 0..<256 {
                subject.send(element)
                time.advance(by: 1)
              }
              withExtendedLifetime(observer) {}
            }
          },
        ]),
      // For information: the budget is a ratio to RxSwift, and a number of allocations, which
      // `instructions` counts. OpenCombine's immediate scheduler has no queue: an element that is sent
      // during a delivery is delivered inside it.
      Row(
        "observe(on:) current thread, per element",
        columns: [
          Column(.keyline) {
            let subject = PublishSubject<Int>()
            _ = subject.observe(on: CurrentThreadScheduler.instance)
              .subscribe(onNext: { consume($0) })
            return { for element in 0..<256 { subject.onNext(element) } }
          },
          Column(.openCombine) {
            let subject = PassthroughSubject<Int, Never>()
            let observer = subject.receive(on: ImmediateScheduler.shared).sink { consume($0) }
            return {
              for element in 0..<256 { subject.send(element) }
              withExtendedLifetime(observer) {}
            }
          },
        ]),
    ]
  }

  /// One element every `ticks` ticks, through a `debounce` of ten.
  private static func debounced(everyTicks ticks: Int) -> [Column] {
    [
      Column(.keyline) {
        let (subject, time) = (PublishSubject<Int>(), TestScheduler(initialClock: 0))
        _ = subject.debounce(.seconds(10), scheduler: time).subscribe(onNext: { consume($0) })
        return {
          for element in 0..<256 {
            subject.onNext(element)
            time.advanceTo(time.clock + ticks)
          }
        }
      },
      Column(.openCombine) {
        let (subject, time) = (PassthroughSubject<Int, Never>(), OpenCombineVirtualTime())
        let observer = subject.debounce(for: 10, scheduler: time).sink { consume($0) }
        return {
          for element in 0..<256 {
            subject.send(element)
            time.advance(by: ticks)
          }
          withExtendedLifetime(observer) {}
        }
      },
    ]
  }
}
