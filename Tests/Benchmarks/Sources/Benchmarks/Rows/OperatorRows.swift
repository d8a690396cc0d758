import Keyline
import OpenCombine

extension Suite {
  /// Operators between a subject and one observer; the first in a pair, pumping and creating.
  static func operators() -> [Row] {
    [
      Row(
        "6 x (map, filter), per element", .atMost(0.6, of: .openCombine),
        columns: [
          Column(.keyline) {
            let subject = PublishSubject<Int>()
            _ = subject.observeSixStages()
            return { for element in 0..<256 { subject.onNext(element) } }
          },
          Column(.openCombine) {
            let subject = PassthroughSubject<Int, Never>()
            let observer = subject.observeSixStages()
            return {
              for element in 0..<256 { subject.send(element) }
              withExtendedLifetime(observer) {}
            }
          },
        ]),
      // 89 atomic operations, and 28 allocations.
      Row(
        "6 x (map, filter), build + subscribe + 1",
        columns: [
          Column(.keyline) {
            {
              for element in 0..<256 {
                let subject = PublishSubject<Int>()
                let observer = subject.observeSixStages()
                subject.onNext(element)
                observer.dispose()
              }
            }
          },
          Column(.openCombine) {
            {
              for element in 0..<256 {
                let subject = PassthroughSubject<Int, Never>()
                let observer = subject.observeSixStages()
                subject.send(element)
                observer.cancel()
              }
            }
          },
        ]),
      // An inner subscription for each element: its context, `just` itself and three closures.
      Row(
        "flatMapLatest(just), per element", .atMost(0.6, of: .openCombine),
        columns: [
          Column(.keyline) {
            let subject = PublishSubject<Int>()
            _ = subject.flatMapLatest { Observable.just($0) }.subscribe(onNext: { consume($0) })
            return { for element in 0..<256 { subject.onNext(element) } }
          },
          Column(.openCombine) {
            let subject = PassthroughSubject<Int, Never>()
            let observer = subject.map { Just($0) }.switchToLatest().sink { consume($0) }
            return {
              for element in 0..<256 { subject.send(element) }
              withExtendedLifetime(observer) {}
            }
          },
        ]),
      Row(
        "flatMap(just), per element",
        columns: [
          Column(.keyline) {
            let subject = PublishSubject<Int>()
            _ = subject.flatMap { Observable.just($0) }.subscribe(onNext: { consume($0) })
            return { for element in 0..<256 { subject.onNext(element) } }
          },
          Column(.openCombine) {
            let subject = PassthroughSubject<Int, Never>()
            let observer = subject.flatMap { Just($0) }.sink { consume($0) }
            return {
              for element in 0..<256 { subject.send(element) }
              withExtendedLifetime(observer) {}
            }
          },
        ]),
      Row(
        "flatMapLatest(subject), per element", .atMost(0.9, of: .openCombine),
        columns: [
          Column(.keyline) {
            let (subject, inner) = (PublishSubject<Int>(), BehaviorSubject(value: 0))
            _ = subject.flatMapLatest { _ in inner }.subscribe(onNext: { consume($0) })
            return { for element in 0..<256 { subject.onNext(element) } }
          },
          Column(.openCombine) {
            let subject = PassthroughSubject<Int, Never>()
            let inner = CurrentValueSubject<Int, Never>(0)
            let observer = subject.map { _ in inner }.switchToLatest().sink { consume($0) }
            return {
              for element in 0..<256 { subject.send(element) }
              withExtendedLifetime(observer) {}
            }
          },
        ]),
      Row(
        "flatMap(two elements), per element",
        columns: [
          Column(.keyline) {
            let subject = PublishSubject<Int>()
            _ = subject.flatMap { Observable.of($0, $0) }.subscribe(onNext: { consume($0) })
            return { for element in 0..<256 { subject.onNext(element) } }
          },
          Column(.openCombine) {
            let subject = PassthroughSubject<Int, Never>()
            let observer = subject.flatMap { [$0, $0].publisher }.sink { consume($0) }
            return {
              for element in 0..<256 { subject.send(element) }
              withExtendedLifetime(observer) {}
            }
          },
        ]),
      // OpenCombine has no `CombineLatest`: measured by an element of its subject.
      Row(
        "combineLatest of 2, per element", .atMost(0.6, of: .subjectToOneObserver),
        columns: [
          // Every element of either source makes one of the result.
          Column(.keyline, operations: 512) {
            let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
            _ = Observable.combineLatest(first, second)
              .subscribe(onNext: { consume($0 &+ $1) })
            return {
              for element in 0..<256 {
                first.onNext(element)
                second.onNext(element)
              }
            }
          }
        ]),
      // OpenCombine has no `Merge`.
      Row(
        "merge of 2, per element", .atMost(0.6, of: .subjectToOneObserver),
        columns: [
          Column(.keyline, operations: 512) {
            let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
            _ = Observable.merge(first, second).subscribe(onNext: { consume($0) })
            return {
              for element in 0..<256 {
                first.onNext(element)
                second.onNext(element)
              }
            }
          }
        ]),
      Row(
        "zip of 2, per pair", .atMost(0.6, of: .openCombine),
        columns: [
          Column(.keyline) {
            let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
            _ = Observable.zip(first, second).subscribe(onNext: { consume($0 &+ $1) })
            return {
              for element in 0..<256 {
                first.onNext(element)
                second.onNext(element)
              }
            }
          },
          Column(.openCombine) {
            let first = PassthroughSubject<Int, Never>()
            let second = PassthroughSubject<Int, Never>()
            let observer = first.zip(second).sink { consume($0 &+ $1) }
            return {
              for element in 0..<256 {
                first.send(element)
                second.send(element)
              }
              withExtendedLifetime(observer) {}
            }
          },
        ]),
      Row(
        "distinctUntilChanged, per element", .atMost(0.6, of: .openCombine),
        columns: [
          Column(.keyline) {
            let subject = PublishSubject<Int>()
            _ = subject.distinctUntilChanged().subscribe(onNext: { consume($0) })
            return { for element in 0..<256 { subject.onNext(element) } }
          },
          Column(.openCombine) {
            let subject = PassthroughSubject<Int, Never>()
            let observer = subject.removeDuplicates().sink { consume($0) }
            return {
              for element in 0..<256 { subject.send(element) }
              withExtendedLifetime(observer) {}
            }
          },
        ]),
      Row(
        "scan, per element", .atMost(0.6, of: .openCombine),
        columns: [
          Column(.keyline) {
            let subject = PublishSubject<Int>()
            _ = subject.scan(0) { $0 &+ $1 }.subscribe(onNext: { consume($0) })
            return { for element in 0..<256 { subject.onNext(element) } }
          },
          Column(.openCombine) {
            let subject = PassthroughSubject<Int, Never>()
            let observer = subject.scan(0) { $0 &+ $1 }.sink { consume($0) }
            return {
              for element in 0..<256 { subject.send(element) }
              withExtendedLifetime(observer) {}
            }
          },
        ]),
      Row(
        "range, per element",
        columns: [
          Column(.keyline, operations: 4096) {
            let numbers = Observable.range(start: 0, count: 4096)
            return { _ = numbers.subscribe(onNext: { consume($0) }) }
          }
        ]),
      Row(
        "share -> 3, per element", .atMost(0.6, of: .openCombine),
        columns: [
          Column(.keyline) {
            let subject = PublishSubject<Int>()
            let shared = subject.share()
            for _ in 0..<3 { _ = shared.subscribe(onNext: { consume($0) }) }
            return { for element in 0..<256 { subject.onNext(element) } }
          },
          Column(.openCombine) {
            let subject = PassthroughSubject<Int, Never>()
            let shared = subject.share()
            let observers = (0..<3).map { _ in shared.sink { consume($0) } }
            return {
              for element in 0..<256 { subject.send(element) }
              withExtendedLifetime(observers) {}
            }
          },
        ]),
      // OpenCombine's `share` replays nothing; with a subject that does, it is the same in two calls.
      Row(
        "share(replay: 1) -> 3, per element", .atMost(0.9, of: .openCombine),
        columns: [
          Column(.keyline) {
            let subject = PublishSubject<Int>()
            let shared = subject.share(replay: 1)
            for _ in 0..<3 { _ = shared.subscribe(onNext: { consume($0) }) }
            return { for element in 0..<256 { subject.onNext(element) } }
          },
          Column(.openCombine) {
            let subject = PassthroughSubject<Int, Never>()
            let shared = subject.multicast(subject: CurrentValueSubject(0)).autoconnect()
            let observers = (0..<3).map { _ in shared.sink { consume($0) } }
            return {
              for element in 0..<256 { subject.send(element) }
              withExtendedLifetime(observers) {}
            }
          },
        ]),
    ]
  }
}

extension PublishSubject<Int> {
  fileprivate func observeSixStages() -> any Disposable {
    let two = map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &+ 1 }.filter { $0 >= 0 }
    let four = two.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &+ 1 }.filter { $0 >= 0 }
    let six = four.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &+ 1 }.filter { $0 >= 0 }
    return six.subscribe(onNext: { consume($0) })
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
