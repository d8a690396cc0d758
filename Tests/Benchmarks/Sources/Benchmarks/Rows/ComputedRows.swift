import Keyline
import OpenCombine

extension Suite {
  /// Properties computed from others.
  static func computed() -> [Row] {
    [
      // The two are written in turns, and every write stores another value than the one before:
      // Observation emits nothing for an equal value. OpenCombine's columns are `combineLatest` by
      // hand, with its glitches.
      Row(
        "computed path over two properties, per write",
        .atMost(0.9, of: .openCombine, tolerating: 1.25),
        columns: [
          Column(.keyline) {
            let pair = Pair()
            _ = pair.observe(\.sum).subscribe(onNext: { consume($0) })
            return {
              for value in 0..<128 {
                pair.first = value
                pair.second = value
              }
            }
          },
          Column(.openCombine) {
            let pair = SubjectPair()
            let observer = pair.observeSum()
            return {
              for value in 0..<128 {
                pair.first.value = value
                pair.second.value = value
              }
              withExtendedLifetime(observer) {}
            }
          },
          Column(.published) {
            let pair = PublishedPair()
            let observer = pair.observeSum()
            return {
              for value in 0..<128 {
                pair.first = value
                pair.second = value
              }
              withExtendedLifetime(observer) {}
            }
          },
          Column(.observation) {
            let pair = TrackedPair()
            return {
              for value in 0..<128 {
                pair.first = value
                track { pair.sum }
                pair.second = value
                track { pair.sum }
              }
            }
          },
          Column(.plain) {
            let pair = PlainPair()
            pair.observers.append { consume($0) }
            return {
              for value in 0..<128 {
                pair.first = value
                pair.second = value
              }
            }
          },
        ])
    ]
  }
}
