import Keyline

extension Suite {
  /// Live views beside the same list computed anew after each change.
  static func views(isShort: Bool) -> [Row] {
    (isShort ? [100] : [100, 10_000, 100_000]).flatMap { count in
      filtered(count) + sorted(count) + [inserted(count), batched(count), limited(count)]
    }
  }

  private static func samples(_ count: Int) -> [Sample] {
    (0..<count).map { index in
      let sample = Sample()
      sample.value = index * 7919 % count
      return sample
    }
  }

  /// At 100,000 elements: at most a thousandth of the time.
  private static func bars(_ count: Int) -> [Bar] {
    count == 100_000 ? [.atMost(0.001, of: .plain)] : []
  }

  private static func filtered(_ count: Int) -> [Row] {
    [
      Row(
        "filtered view of \(count), one property changed", bars(count),
        columns: [
          Column(.keyline, operations: 64) {
            let array = ObservableArray(samples(count))
            let limit = count / 2
            let view = array.filtered { $0.value < limit }
            let subscription = view.changes.subscribe(onNext: { consume($0.count) })
            return {
              for index in 0..<64 {
                let sample = array[index * count / 64]
                sample.value = (sample.value + limit) % count
              }
              withExtendedLifetime((array, view, subscription)) {}
            }
          },
          Column(.plain, operations: 4) {
            let array = samples(count)
            let limit = count / 2
            return {
              for index in 0..<4 {
                let sample = array[index * count / 4]
                sample.value = (sample.value + limit) % count
                consume(array.filter { $0.value < limit }.count)
              }
            }
          },
        ])
    ]
  }

  private static func sorted(_ count: Int) -> [Row] {
    [
      Row(
        "sorted view of \(count), one property changed", bars(count),
        columns: [
          Column(.keyline, operations: 64) {
            let array = ObservableArray(samples(count))
            let view = array.sorted { $0.value < $1.value }
            let subscription = view.changes.subscribe(onNext: { consume($0.count) })
            return {
              for index in 0..<64 {
                let sample = array[index * count / 64]
                sample.value = (sample.value + count / 2) % count
              }
              withExtendedLifetime((array, view, subscription)) {}
            }
          },
          Column(.plain, operations: 1) {
            let array = samples(count)
            var index = 0
            return {
              index = (index + count / 64) % count
              array[index].value = (array[index].value + count / 2) % count
              consume(array.sorted { $0.value < $1.value }.count)
            }
          },
        ])
    ]
  }

  private static func inserted(_ count: Int) -> Row {
    Row(
      "filtered, sorted and mapped views of \(count), insert + remove in the middle",
      columns: [
        Column(.keyline, operations: 8) {
          let array = ObservableArray(samples(count))
          let view = array.filtered { $0.value >= 0 }.sorted { $0.value < $1.value }
            .mapped { [$0] }
          let subscription = view.changes.subscribe(onNext: { consume($0.count) })
          return {
            for _ in 0..<8 {
              array.insert(Sample(), at: count / 2)
              array.remove(at: count / 2)
            }
            withExtendedLifetime((array, view, subscription)) {}
          }
        },
        Column(.plain, operations: 1) {
          var array = samples(count)
          func compute() -> [[Sample]] {
            array.filter { $0.value >= 0 }.sorted { $0.value < $1.value }.map { [$0] }
          }
          return {
            array.insert(Sample(), at: count / 2)
            consume(compute().count)
            array.remove(at: count / 2)
            consume(compute().count)
          }
        },
      ])
  }

  private static func batched(_ count: Int) -> Row {
    Row(
      "filtered view of \(count), 1,000 edits in a batch",
      columns: [
        Column(.keyline, operations: 1) {
          let array = ObservableArray(samples(count))
          let view = array.filtered { $0.value % 2 == 0 }
          let subscription = view.changes.subscribe(onNext: { consume($0.count) })
          let added = samples(500)
          return {
            array.update { array in
              for sample in added { array.append(sample) }
              for _ in added { array.removeLast() }
            }
            withExtendedLifetime((array, view, subscription)) {}
          }
        },
        Column(.plain, operations: 1) {
          var array = samples(count)
          let added = samples(500)
          // A difference by hand, of the list before and after all edits.
          var shown = array.filter { $0.value % 2 == 0 }
          return {
            for sample in added { array.append(sample) }
            for _ in added { array.removeLast() }
            let now = array.filter { $0.value % 2 == 0 }
            consume(now.difference(from: shown, by: ===).count)
            shown = now
          }
        },
      ])
  }

  private static func limited(_ count: Int) -> Row {
    Row(
      "filtered view of \(count), a limit changed that all elements read",
      columns: [
        Column(.keyline, operations: 1) {
          let array = ObservableArray(samples(count))
          let limit = Sample()
          let view = array.filtered { $0.value < limit.value }
          let subscription = view.changes.subscribe(onNext: { consume($0.count) })
          return {
            limit.value = (limit.value + count / 2) % count
            withExtendedLifetime((array, view, subscription)) {}
          }
        },
        Column(.plain, operations: 1) {
          let array = samples(count)
          let limit = Sample()
          return {
            limit.value = (limit.value + count / 2) % count
            consume(array.filter { $0.value < limit.value }.count)
          }
        },
      ])
  }
}
