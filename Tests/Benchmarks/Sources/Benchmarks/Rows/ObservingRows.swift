import Keyline
import OpenCombine

extension Suite {
  /// Properties that somebody observes, and one bound to another.
  static func observing() -> [Row] {
    [
      Row(
        "property write, 1 observer", .atMost(0.2, of: .openCombine),
        columns: observed(by: 1) + [
          Column(.observation) {
            let object = TrackedSample()
            return {
              for value in 0..<256 {
                object.value = value
                track { object.value }
              }
            }
          }
        ]),
      Row(
        "property write, 10 observers", .atMost(0.15, of: .openCombine),
        columns: observed(by: 10)),
      Row(
        "bind a to b, per write", .atMost(0.15, of: .openCombine),
        columns: [
          Column(.keyline) {
            let (source, target) = (Sample(), Sample())
            source.bind(\.value, to: target, \.value)
            return {
              for value in 0..<256 { source.value = value }
              withExtendedLifetime(target) {}
            }
          },
          Column(.openCombine) {
            let (source, target) = (SubjectSample(), SubjectSample())
            let binding = source.value.sink { [weak target] in target?.value.value = $0 }
            return {
              for value in 0..<256 { source.value.value = value }
              withExtendedLifetime((target, binding)) {}
            }
          },
          Column(.published) {
            let (source, target) = (PublishedSample(), PublishedSample())
            source.$value.assign(to: &target.$value)
            return {
              for value in 0..<256 { source.value = value }
              withExtendedLifetime(target) {}
            }
          },
          Column(.observation) {
            let (source, target) = (TrackedSample(), TrackedSample())
            return {
              for value in 0..<256 {
                source.value = value
                track {
                  target.value = source.value
                  return 0
                }
              }
            }
          },
          Column(.plain) {
            let (source, target) = (PlainSource(), PlainSource())
            source.observers.append { [weak target] in target?.value = $0 }
            return {
              for value in 0..<256 { source.value = value }
              withExtendedLifetime(target) {}
            }
          },
        ]),
    ]
  }

  /// Writes to a property of one object with `count` observers.
  private static func observed(by count: Int) -> [Column] {
    [
      Column(.keyline) {
        let object = Sample()
        for _ in 0..<count { _ = object.observe(\.value).subscribe(onNext: { consume($0) }) }
        return { for value in 0..<256 { object.value = value } }
      },
      Column(.openCombine) {
        let object = SubjectSample()
        let observers = (0..<count).map { _ in object.value.sink { consume($0) } }
        return {
          for value in 0..<256 { object.value.value = value }
          withExtendedLifetime(observers) {}
        }
      },
      Column(.published) {
        let object = PublishedSample()
        let observers = (0..<count).map { _ in object.$value.sink { consume($0) } }
        return {
          for value in 0..<256 { object.value = value }
          withExtendedLifetime(observers) {}
        }
      },
      Column(.plain) {
        let object = PlainSource()
        for _ in 0..<count { object.observers.append { consume($0) } }
        return { for value in 0..<256 { object.value = value } }
      },
    ]
  }
}
