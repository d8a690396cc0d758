import Keyline
import OpenCombine

extension Suite {
  /// Operators between a subject and one observer; the first in a pair, pumping and creating.
  static func operators() -> [Row] {
    [
      Row(
        "6 x (map, filter), per element", .atMost(0.5, of: .openCombine),
        columns: [
          Column(.openCombine) {
            let subject = PassthroughSubject<Int, Never>()
            let observer = subject.observeSixStages()
            return {
              for element in 0..<256 { subject.send(element) }
              withExtendedLifetime(observer) {}
            }
          }
        ]),
      Row(
        "6 x (map, filter), build + subscribe + 1", .atMost(20, of: .subjectToOneObserver),
        columns: [
          Column(.openCombine) {
            {
              for element in 0..<256 {
                let subject = PassthroughSubject<Int, Never>()
                let observer = subject.observeSixStages()
                subject.send(element)
                observer.cancel()
              }
            }
          }
        ]),
      Row(
        "flatMapLatest(just), per element", .atMost(0.33, of: .openCombine),
        columns: [
          Column(.openCombine) {
            let subject = PassthroughSubject<Int, Never>()
            let observer = subject.map { Just($0) }.switchToLatest().sink { consume($0) }
            return {
              for element in 0..<256 { subject.send(element) }
              withExtendedLifetime(observer) {}
            }
          }
        ]),
      Row(
        "combineLatest of 2, per element", .atMost(1.2, of: .subjectToOneObserver),
        columns: []),
      Row(
        "distinctUntilChanged, per element", .atMost(0.15, of: .openCombine),
        columns: [
          Column(.openCombine) {
            let subject = PassthroughSubject<Int, Never>()
            let observer = subject.removeDuplicates().sink { consume($0) }
            return {
              for element in 0..<256 { subject.send(element) }
              withExtendedLifetime(observer) {}
            }
          }
        ]),
      Row(
        "share(replay: 1) -> 3, per element", .atMost(1.5, of: .subjectToOneObserver),
        columns: []),
    ]
  }
}

// In steps, because the type checker gives up on twelve operators in one expression.
extension PassthroughSubject<Int, Never> {
  fileprivate func observeSixStages() -> AnyCancellable {
    let two = map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &+ 1 }.filter { $0 >= 0 }
    let four = two.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &+ 1 }.filter { $0 >= 0 }
    let six = four.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &+ 1 }.filter { $0 >= 0 }
    return six.sink { consume($0) }
  }
}
