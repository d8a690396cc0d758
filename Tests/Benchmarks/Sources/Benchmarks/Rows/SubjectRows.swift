import Keyline
import OpenCombine

extension Bar.Reference {
  /// OpenCombine's own figure for the simplest workload: the measure where it lacks the operator.
  static let subjectToOneObserver = Bar.Reference.row("subject -> 1 observer", .openCombine)
}

extension Suite {
  /// Subjects without operators: pumping, then creating.
  static func subjects() -> [Row] {
    [
      Row(
        "subject -> 1 observer", .atMost(0.18, of: .openCombine),
        columns: observed(by: 1)),
      Row(
        "subject -> 10 observers", .atMost(0.1, of: .openCombine),
        columns: observed(by: 10)),
      Row(
        "subject: create, subscribe, emit, dispose", .atMost(0.2, of: .openCombine),
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
    ]
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
