import Keyline
import OpenCombine

/// A graph of derived values: a write to its source, a read of its results, and the number of
/// derived values between the two.
private struct Graph {
  let write: (Int) -> Void
  let read: () -> Int
  let nodes: Int
}

/// The shapes of the public benchmarks of signal libraries.
private enum Shape {
  static func deep(_ length: Int) -> (any Deriving) -> Graph {
    { peer in
      let source = peer.source()
      var last = source.read
      for _ in 0..<length {
        let former = last
        last = peer.derived { former() &+ 1 }
      }
      return Graph(write: source.write, read: last, nodes: length)
    }
  }

  static func broad(_ width: Int) -> (any Deriving) -> Graph {
    { peer in
      let source = peer.source()
      let ends = (0..<width).map { index in
        let middle = peer.derived { source.read() &+ index }
        return peer.derived { middle() &+ 1 }
      }
      return Graph(
        write: source.write, read: { ends.reduce(0) { $0 &+ $1() } }, nodes: 2 * width)
    }
  }

  static func diamond(_ width: Int) -> (any Deriving) -> Graph {
    { peer in
      let source = peer.source()
      let sides = (0..<width).map { _ in peer.derived { source.read() &+ 1 } }
      let sum = peer.derived { sides.reduce(0) { $0 &+ $1() } }
      return Graph(write: source.write, read: sum, nodes: width + 1)
    }
  }

  static func triangle(_ width: Int) -> (any Deriving) -> Graph {
    { peer in
      let source = peer.source()
      var all = [source.read]
      for _ in 0..<width {
        let former = all[all.count - 1]
        all.append(peer.derived { former() &+ 1 })
      }
      let members = all
      let sum = peer.derived { members.reduce(0) { $0 &+ $1() } }
      return Graph(write: source.write, read: sum, nodes: width + 1)
    }
  }

  /// Many sources meet in one value, from which each takes its own again.
  static func mux(_ width: Int) -> (any Deriving) -> Graph {
    { peer in
      let sources = (0..<width).map { _ in peer.source() }
      let sum = peer.derived { sources.reduce(0) { $0 &+ $1.read() } }
      let ends = (0..<width).map { index in peer.derived { sum() &+ index } }
      return Graph(
        write: { sources[$0 % width].write($0) }, read: { ends.reduce(0) { $0 &+ $1() } },
        nodes: width + 1)
    }
  }

  /// A value that never changes cuts the rest off.
  static func avoidable(_ peer: any Deriving) -> Graph {
    let source = peer.source()
    let first = peer.derived { source.read() }
    let constant = peer.derived { first() & 0 }
    let second = peer.derived { constant() &+ 1 }
    let third = peer.derived { second() &+ 2 }
    let last = peer.derived { third() &+ 3 }
    return Graph(write: source.write, read: last, nodes: 5)
  }

  /// The dependencies of a value change with every write.
  static func unstable(_ peer: any Deriving) -> Graph {
    let source = peer.source()
    let double = peer.derived { source.read() &* 2 }
    let inverse = peer.derived { 0 &- source.read() }
    let current = peer.derived {
      (0..<20).reduce(0) { sum, _ in sum &+ (source.read() & 1 == 0 ? inverse() : double()) }
    }
    return Graph(write: source.write, read: current, nodes: 3)
  }

  /// One value reads another thirty times.
  static func repeated(_ peer: any Deriving) -> Graph {
    let source = peer.source()
    let first = peer.derived { source.read() &+ 1 }
    let sum = peer.derived { (0..<30).reduce(0) { sum, _ in sum &+ first() } }
    return Graph(write: source.write, read: sum, nodes: 2)
  }

  static func cellx(_ layers: Int) -> (any Deriving) -> Graph {
    { peer in
      let sources = (0..<4).map { _ in peer.source() }
      var layer = sources.map(\.read)
      for _ in 0..<layers {
        let former = layer
        layer = [
          peer.derived { former[1]() }, peer.derived { former[0]() &- former[2]() },
          peer.derived { former[1]() &+ former[3]() }, peer.derived { former[2]() },
        ]
      }
      let last = layer
      return Graph(
        write: { value in for source in sources { source.write(value) } },
        read: { last.reduce(0) { $0 &+ $1() } }, nodes: 4 * layers)
    }
  }
}

extension Column {
  /// Writes and reads `shape`, per node and write.
  fileprivate init(
    _ peer: Peer, _ deriving: any Deriving.Type, writes: Int = 16,
    _ shape: @escaping (any Deriving) -> Graph
  ) {
    let nodes = shape(PlainDeriving()).nodes
    self.init(peer, operations: writes * nodes) {
      let peer = deriving.init()
      let graph = shape(peer)
      var start = 0
      return {
        start &+= writes
        for value in 0..<writes {
          graph.write(start &+ value)
          peer.settle()
          consume(graph.read())
        }
        withExtendedLifetime(peer) {}
      }
    }
  }
}

extension Row {
  /// A shape in Keyline and with plain closures, and with Observation if it can run it in time.
  fileprivate static func shape(
    _ name: String, _ bars: Bar..., withObservation: Bool = true,
    of shape: @escaping (any Deriving) -> Graph
  ) -> Row {
    var columns = [
      Column(.keyline, KeylineDeriving.self, shape), Column(.plain, PlainDeriving.self, shape),
    ]
    if withObservation {
      columns.append(Column(.observation, TrackedDeriving.self, writes: 2, shape))
    }
    return Row("derived: \(name), per node", bars, columns: columns)
  }
}

extension Bar.Reference {
  /// The shape that costs Observation least per node, of those with a value that reads several.
  fileprivate static let diamond = Bar.Reference.row("derived: diamond 5, per node", .observation)
}

extension Suite {
  /// Derived values, and batches.
  static func derived() -> [Row] {
    let count = 1024
    return [
      // Loads that wait for each other, of the object and of its slot: a thousand of both are more
      // than the first cache holds.
      Row(
        "derived: read, clean", .atMost(0.12, of: .observation, tolerating: 0.3),
        columns: [
          Column(.keyline, operations: count) {
            let pairs = (0..<count).map { _ in DerivedPair() }
            return { consume(pairs.reduce(0) { $0 &+ $1.sum }) }
          },
          Column(.observation, operations: count) {
            let cells = (0..<count).map { index in TrackedDeriving.Cell { index } }
            return { consume(cells.reduce(0) { $0 &+ $1.value }) }
          },
          Column(.plain, operations: count) {
            let objects = (0..<count).map { _ in PlainSample() }
            return { consume(objects.reduce(0) { $0 &+ $1.value }) }
          },
        ]),
      Row(
        "derived: write, read by one that is outdated",
        columns: [
          Column(.keyline) {
            let pair = DerivedPair()
            consume(pair.sum)
            return { for value in 0..<256 { pair.first = value } }
          }
        ]),
      .shape(
        "write + read of one", .atMost(0.15, of: .observation, tolerating: 0.3), of: Shape.deep(1)),
      .shape("deep 50", .atMost(0.15, of: .observation), of: Shape.deep(50)),
      .shape("deep 1000", withObservation: false, of: Shape.deep(1000)),
      // Half of its nodes are read from outside, each in a check of its own.
      .shape("broad 50", .atMost(0.15, of: .observation, tolerating: 0.25), of: Shape.broad(50)),
      .shape("diamond 5", .atMost(0.3, of: .observation), of: Shape.diamond(5)),
      .shape(
        "triangle 10", .atMost(0.15, of: .observation), of: Shape.triangle(10)),
      .shape("mux 100", .atMost(0.15, of: .observation), of: Shape.mux(100)),
      .shape("avoidable", of: Shape.avoidable),
      // The two count nodes; the time goes into reads: 14 for each node of the first, whose
      // dependencies also change with each write, and 15 for each node of the second.
      .shape("unstable", .atMost(0.15, of: .observation, tolerating: 0.35), of: Shape.unstable),
      .shape("repeated 30", .atMost(0.15, of: .observation, tolerating: 0.3), of: Shape.repeated),
      // Observation takes more than a second per write here: it registers a nested read with the
      // inner and the outer reader, and so 4,000 values with each other. The bar refers to a small
      // shape instead.
      .shape(
        "cellx 1000", .atMost(0.15, of: .diamond, tolerating: 0.28), withObservation: false,
        of: Shape.cellx(1000)),
      // Each is marked, evaluated, compared and delivered by itself.
      Row(
        "derived: 1 -> 1000 observed, per derived",
        columns: [
          Column(.keyline, operations: 1000) {
            let source = KeylineDeriving.Source()
            let cells = (0..<1000).map { index in KeylineDeriving.Cell { source.value &+ index } }
            for cell in cells { _ = cell.observe(\.value).subscribe(onNext: { consume($0) }) }
            var value = 0
            return {
              value += 1
              source.value = value
              withExtendedLifetime(cells) {}
            }
          }
        ]),
      // OpenCombine emits five times per write, four of them mixes of old and new.
      Row(
        "derived: diamond 5, observed, per write", .aim(1, of: .openCombine),
        columns: [
          Column(.keyline) {
            let peer = KeylineDeriving()
            let source = peer.source()
            let sides = (0..<5).map { _ in peer.derived { source.read() &+ 1 } }
            let sum = KeylineDeriving.Cell { sides.reduce(0) { $0 &+ $1() } }
            _ = sum.observe(\.value).subscribe(onNext: { consume($0) })
            return {
              for value in 0..<256 { source.write(value) }
              withExtendedLifetime(sum) {}
            }
          },
          Column(.openCombine) {
            let source = CurrentValueSubject<Int, Never>(0)
            // What a `combineLatest` does, which OpenCombine does not have.
            var latest = [Int](repeating: 0, count: 5)
            let observer = latest.indices.map { index in
              source.map { $0 &+ 1 }.sink { value in
                latest[index] = value
                consume(latest.reduce(0, &+))
              }
            }
            return {
              for value in 0..<256 { source.value = value }
              withExtendedLifetime(observer) {}
            }
          },
        ]),
      Row(
        "batch: empty",
        columns: [Column(.keyline) { { for _ in 0..<256 { batchUpdates {} } } }]),
      Row(
        "batch: 1000 sets of 10 observed properties, per set",
        .atMost(2, of: .observedWrites(of: 10)),
        columns: [
          Column(.keyline, operations: 1000) {
            let objects = observedSamples(10)
            var value = 0
            return {
              value += 100
              batchUpdates {
                for round in 0..<100 {
                  for object in objects { object.value = value + round }
                }
              }
            }
          }
        ]),
      Row(
        "batch: one set of each of 1000 observed properties, per set",
        .atMost(2, of: .observedWrites(of: 1000)),
        columns: [
          Column(.keyline, operations: 1000) {
            let objects = observedSamples(1000)
            var value = 0
            return {
              value += 1
              batchUpdates { for object in objects { object.value = value } }
            }
          }
        ]),
      Row(
        "1000 sets of 10 observed properties, per set",
        columns: [
          Column(.keyline, operations: 1000) {
            let objects = observedSamples(10)
            var value = 0
            return {
              value += 100
              for round in 0..<100 {
                for object in objects { object.value = value + round }
              }
            }
          }
        ]),
      Row(
        "1000 sets of 1000 observed properties, per set",
        columns: [
          Column(.keyline, operations: 1000) {
            let objects = observedSamples(1000)
            var value = 0
            return {
              value += 1
              for object in objects { object.value = value }
            }
          }
        ]),
    ]
  }

  private static func observedSamples(_ count: Int) -> [Sample] {
    let objects = (0..<count).map { _ in Sample() }
    for object in objects { _ = object.observe(\.value).subscribe(onNext: { consume($0) }) }
    return objects
  }

  /// Rows of derived values, of growing length.
  static func derivedScale(isShort: Bool) -> [Series] {
    [
      Series(
        // The same instructions per node; 10,000 nodes are several megabytes, beyond the second cache.
        name: "derived: depth, write + read per node", limit: 3,
        columns: [10, 100, 1000, isShort ? 3000 : 10_000].map { length in
          Column("\(length)", operations: length) {
            let graph = Shape.deep(length)(KeylineDeriving())
            var value = 0
            return {
              value += 1
              graph.write(value)
              consume(graph.read())
            }
          }
        })
    ]
  }
}

extension Suite {
  /// What derived properties take.
  static func derivedGauges(isShort: Bool) -> [Gauge] {
    let count = isShort ? 2_000 : 50_000
    return [
      Gauge(name: "derived: unread", unit: "bytes", limit: 32, tolerated: 34) {
        guard let without = bytesPerObject(of: count, make: { Pair() }),
          let with = bytesPerObject(of: count, make: { DerivedPair() })
        else { return nil }
        return with - without
      }
    ]
  }
}

extension Bar.Reference {
  /// The same sets without a batch.
  fileprivate static func observedWrites(of count: Int) -> Bar.Reference {
    .row("1000 sets of \(count) observed properties, per set", .keyline)
  }
}
