import Keyline
import KeylineTest

extension Suite {
  /// The collections that the library keeps, at growing sizes: no operation is quadratic.
  static func collections(isShort: Bool) -> [Series] {
    let counts = isShort ? [10, 100, 1000] : [100, 1000, 10_000, 100_000]
    return [
      // A queue ordered by time: the cost grows with the logarithm of the length, and with the
      // cache misses of long queues.
      Series(
        name: "virtual time, per action", limit: 4,
        columns: [200, 2000, 20_000].map { count in
          Column("\(count)", operations: count) {
            {
              let scheduler = TestScheduler(initialClock: 0)
              for index in 0..<count {
                scheduler.scheduleAt(1 + index * 7919 % count) { consume(index) }
              }
              scheduler.start()
            }
          }
        }),
      Series(
        name: "CompositeDisposable of many, insert + remove", limit: 3,
        columns: counts.map { count in
          Column("\(count)", operations: 64) {
            let group = CompositeDisposable()
            for _ in 0..<count { _ = group.insert(Disposables.create()) }
            return {
              for _ in 0..<64 {
                if let key = group.insert(Disposables.create()) { group.remove(for: key) }
              }
            }
          }
        }),
      Series(
        name: "groupBy, per element of a group of its own", limit: 3,
        columns: counts.map { count in
          Column("\(count)", operations: count) {
            {
              let subject = PublishSubject<Int>()
              let subscription = subject.groupBy(keySelector: { $0 })
                .subscribe(onNext: { consume($0.key) })
              for key in 0..<count { subject.onNext(key) }
              subscription.dispose()
            }
          }
        }),
      Series(
        name: "window of ten, per element", limit: 3,
        columns: counts.map { count in
          Column("\(count)", operations: count) {
            {
              let subject = PublishSubject<Int>()
              let scheduler = TestScheduler(initialClock: 0)
              let subscription =
                subject
                .window(timeSpan: .seconds(1000), count: 10, scheduler: scheduler)
                .subscribe(onNext: { _ = $0.subscribe(onNext: { consume($0) }) })
              for value in 0..<count { subject.onNext(value) }
              subscription.dispose()
            }
          }
        }),
      Series(
        name: "take(1) of a property with many observers", limit: 3,
        columns: counts.map { count in
          Column("\(count)", operations: 64) {
            let object = Sample()
            for _ in 0..<count { _ = object.observe(\.value).subscribe(onNext: { consume($0) }) }
            return {
              for _ in 0..<64 {
                _ = object.observe(\.value).take(1).subscribe(onNext: { consume($0) })
              }
            }
          }
        }),
      Series(
        name: "observeElements, change of one of many", limit: 3,
        columns: counts.map { count in
          Column("\(count)", operations: 256) {
            let array = ObservableArray((0..<count).map { _ in Sample() })
            let subscription = array.observeElements(\.value)
              .subscribe(onNext: { consume($0.value) })
            // As many as fit into the cache.
            let written = stride(from: 0, to: count, by: max(1, count / 64)).prefix(64)
              .map { array[$0] }
            return {
              for value in 0..<256 { written[value % written.count].value = value }
              withExtendedLifetime(subscription) {}
            }
          }
        }),
      Series(
        name: "observeElements, append + removeLast of many", limit: 3,
        columns: counts.map { count in
          Column("\(count)", operations: 64) {
            let array = ObservableArray((0..<count).map { _ in Sample() })
            let subscription = array.observeElements(\.value)
              .subscribe(onNext: { consume($0.value) })
            return {
              for _ in 0..<64 {
                array.append(Sample())
                array.removeLast()
              }
              withExtendedLifetime(subscription) {}
            }
          }
        }),
    ]
  }

  /// An observable array beside a standard array.
  static func arrays(isShort: Bool) -> [Row] {
    let count = isShort ? 10_000 : 1_000_000
    return [
      Row(
        "middle of an observed array of \(count), insert + remove",
        columns: [
          Column(.keyline, operations: 8) {
            let array = ObservableArray(0..<count)
            let subscription = array.changes.subscribe(onNext: { consume($0.count) })
            return {
              for value in 0..<8 {
                array.insert(value, at: count / 2)
                array.remove(at: count / 2)
              }
              withExtendedLifetime(subscription) {}
            }
          },
          Column(.plain, operations: 8) {
            var array = Array(0..<count)
            return {
              for value in 0..<8 {
                array.insert(value, at: count / 2)
                array.remove(at: count / 2)
              }
              consume(array.count)
            }
          },
        ])
    ]
  }
}
