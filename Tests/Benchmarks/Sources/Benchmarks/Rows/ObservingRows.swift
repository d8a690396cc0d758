import Keyline
import OpenCombine

extension Suite {
  /// Properties with observers, and a property bound to another.
  static func observing() -> [Row] {
    [
      // Two atomic operations begin and end a delivery, because an observer may be disposed on any
      // thread. They take more than half of the time on machines where each costs seven
      // nanoseconds.
      Row(
        "property write, 1 observer", .atMost(0.5, of: .openCombine),
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
        "property write, 10 observers", .atMost(0.5, of: .openCombine),
        columns: observed(by: 10)),
      Row(
        "stored property, subscribe + dispose", .atMost(0.7, of: .openCombine),
        columns: [
          Column(.keyline) {
            let object = Sample()
            _ = object.observe(\.value).subscribe(onNext: { consume($0) })
            return {
              for _ in 0..<256 {
                object.observe(\.value).subscribe(onNext: { consume($0) }).dispose()
              }
            }
          },
          Column(.openCombine) {
            let object = SubjectSample()
            let observer = object.value.sink { consume($0) }
            return {
              for _ in 0..<256 { object.value.sink { consume($0) }.cancel() }
              withExtendedLifetime(observer) {}
            }
          },
          Column(.published) {
            let object = PublishedSample()
            let observer = object.$value.sink { consume($0) }
            return {
              for _ in 0..<256 { object.$value.sink { consume($0) }.cancel() }
              withExtendedLifetime(observer) {}
            }
          },
        ]),
      Row(
        "fresh object with its first observer",
        columns: [
          Column(.keyline) {
            { for _ in 0..<256 { consume(makeObserved()) } }
          },
          Column(.openCombine) {
            {
              for _ in 0..<256 {
                let object = SubjectSample()
                let observer = object.value.sink { consume($0) }
                withExtendedLifetime((object, observer)) {}
              }
            }
          },
          Column(.published) {
            {
              for _ in 0..<256 {
                let object = PublishedSample()
                let observer = object.$value.sink { consume($0) }
                withExtendedLifetime((object, observer)) {}
              }
            }
          },
        ]),
      // Two more atomic operations than that write: the weak target's retain and release.
      Row(
        "bind a to b, per write", .atMost(0.5, of: .openCombine),
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
      // A row for binding to values that change in place of objects that stay: a cell, a form.
      Row(
        "bind + unbind", .atMost(1, of: .openCombine, tolerating: 1.2),
        columns: [
          Column(.keyline) {
            let (source, target) = (Sample(), Sample())
            let observer = source.observe(\.value).subscribe(onNext: { consume($0) })
            return {
              for _ in 0..<256 { source.bind(\.value, to: target, \.value).dispose() }
              withExtendedLifetime(observer) {}
            }
          },
          Column(.openCombine) {
            let (source, target) = (SubjectSample(), SubjectSample())
            let observer = source.value.sink { consume($0) }
            return {
              for _ in 0..<256 {
                source.value.sink { [weak target] in target?.value.value = $0 }.cancel()
              }
              withExtendedLifetime((target, observer)) {}
            }
          },
        ]),
      Row(
        "two-way bind + unbind", .atMost(1, of: .openCombine, tolerating: 1.7),
        columns: [
          Column(.keyline) {
            let (source, target) = (Sample(), Sample())
            return {
              for _ in 0..<256 {
                source.bind(\.value, to: target, \.name, mode: .twoWay, converter: .decimal)
                  .dispose()
              }
            }
          },
          Column(.openCombine) {
            let (source, target) = (SubjectSample(), SubjectSample())
            return { for _ in 0..<256 { for end in bind(source, target) { end.cancel() } } }
          },
        ]),
      Row(
        "two-way bind with a converter, per write",
        .atMost(0.8, of: .openCombine, tolerating: 0.95),
        columns: [
          Column(.keyline) {
            let (source, target) = (Sample(), Sample())
            source.bind(\.value, to: target, \.name, mode: .twoWay, converter: .decimal)
            return {
              for value in 0..<256 { source.value = value }
              withExtendedLifetime(target) {}
            }
          },
          Column(.openCombine) {
            let (source, target) = (SubjectSample(), SubjectSample())
            let ends = bind(source, target)
            return {
              for value in 0..<256 { source.value.value = value }
              withExtendedLifetime((target, ends)) {}
            }
          },
        ]),
    ]
  }

  /// Keeps a number and its text in agreement.
  private static func bind(_ source: SubjectSample, _ target: SubjectSample) -> [AnyCancellable] {
    [
      source.value.sink { [weak target] in
        let text = $0.description
        if let target, target.name.value != text { target.name.value = text }
      },
      target.name.sink { [weak source] in
        guard let source, let value = Int($0) else { return }
        if source.value.value != value { source.value.value = value }
      },
    ]
  }

  /// How often the properties at the ends of a two-way binding are evaluated, both computed: the
  /// two together, and the source alone.
  static func bindingGauges() -> [Gauge] {
    ["source", "target"].flatMap { end in
      let name = "two-way bind of computed ends, \(end) set"
      let count = {
        evaluationsPerWrite { source, target, value in
          if end == "source" { source.value = value } else { target.value = value.description }
        }
      }
      return [
        Gauge(name: name, unit: "evaluations per write", limit: nil) { count().both },
        Gauge(name: "\(name): source alone", unit: "evaluations per write", limit: nil) {
          count().source
        },
      ]
    }
  }

  /// The bytes of an object with one observer, in Keyline and in its peers.
  static func observedGauges(isShort: Bool) -> [Gauge] {
    let figures = BytesPerObserved(count: isShort ? 50_000 : 200_000)
    let peers: [Peer] = [.openCombine, .published, .observation]
    let bytes = ([.keyline] + peers).map { peer in
      Gauge(name: "object with an observer, \(peer.rawValue)", unit: "bytes", limit: nil) {
        figures.of(peer)
      }
    }
    let ratio = Gauge(
      name: "object with an observer", unit: "× the leanest peer", limit: 1, tolerated: 1.4
    ) {
      guard let keyline = figures.of(.keyline), let leanest = peers.compactMap(figures.of).min()
      else { return nil }
      return keyline / leanest
    }
    return bytes + [ratio]
  }

  private static func evaluationsPerWrite(
    _ write: (Counted<Int>, Counted<String>, Int) -> Void
  ) -> (source: Double, both: Double) {
    let (source, target) = (Counted(0), Counted(""))
    source.bind(\.value, to: target, \.value, mode: .twoWay, converter: .decimal)
    // The first write may find less prepared than the others do.
    write(source, target, 1)
    let former = (source: source.evaluations, both: source.evaluations + target.evaluations)
    for value in 2...101 { write(source, target, value) }
    let both = source.evaluations + target.evaluations - former.both
    return (Double(source.evaluations - former.source) / 100, Double(both) / 100)
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

/// The bytes of an object with one observer, measured once for each peer: a second measurement finds
/// memory that is left from the first.
private final class BytesPerObserved {
  private let count: Int
  private var figures: [Peer: Double] = [:]

  init(count: Int) { self.count = count }

  /// - Returns: nil where the platform cannot tell, and for a peer without observers.
  func of(_ peer: Peer) -> Double? {
    if figures[peer] == nil { figures[peer] = measure(peer) }
    return figures[peer]
  }

  private func measure(_ peer: Peer) -> Double? {
    var observers: [AnyCancellable] = []
    observers.reserveCapacity(count)
    defer { withExtendedLifetime(observers) {} }
    switch peer {
    case .keyline: return bytesPerObject(of: count, make: makeObserved)
    case .openCombine:
      return bytesPerObject(of: count) {
        let object = SubjectSample()
        observers.append(object.value.sink { consume($0) })
        return object
      }
    case .published:
      return bytesPerObject(of: count) {
        let object = PublishedSample()
        observers.append(object.$value.sink { consume($0) })
        return object
      }
    case .observation:
      return bytesPerObject(of: count) {
        let object = TrackedSample()
        track { object.value }
        return object
      }
    case .plain: return nil
    }
  }
}
