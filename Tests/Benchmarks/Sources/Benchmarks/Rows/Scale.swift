import Keyline

extension Suite {
  /// The same work at growing sizes. The cost of an operation must not grow with them.
  static func scale(isShort: Bool) -> [Series] {
    [
      Series(
        name: "observers of one property, per delivery", limit: 3,
        columns: [1, 10, 100, 1000, 10_000].map { count in
          let writes = max(1, 256 / count)
          return Column("\(count)", operations: writes * count) {
            let object = Sample()
            for _ in 0..<count { _ = object.observe(\.value).subscribe(onNext: { consume($0) }) }
            return { for value in 0..<writes { object.value = value } }
          }
        }),
      Series(
        name: "length of a chain, leaf write", limit: 3,
        columns: [1, 3, 10, 100].map { length in
          Column("\(length)", operations: 256) {
            let (root, leaf) = makeChain(of: length)
            let observer = root.observeWeakly { chain -> KeyPathChain<Link, Int> in
              guard length > 1 else { return chain.value }
              return (2..<length).reduce(chain.next) { path, _ in path.next }.value
            }.subscribe(onNext: { consume($0 ?? 0) })
            return {
              for value in 0..<256 { leaf.value = value }
              withExtendedLifetime((root, observer)) {}
            }
          }
        }),
      Series(
        name: "live observed objects, write to one", limit: 3,
        columns: populations(isShort: isShort).map { count in
          Column("\(count)", operations: 1024) {
            let objects = makeObserved(count)
            // As many objects as fit into the cache, evenly spread: the series measures a cost of
            // the library, such as a shared table or lock, and not the cost of memory.
            let stride = max(1, count / 64)
            let indices = Swift.stride(from: 0, to: count, by: stride).prefix(64)
            let written = indices.map { objects[$0] }
            return {
              for value in 0..<1024 { written[value % written.count].value = value }
              withExtendedLifetime(objects) {}
            }
          }
        }),
      Series(
        name: "live observed objects, create + observe", limit: 3,
        columns: populations(isShort: isShort).map { count in
          Column("\(count)", operations: 64) {
            let objects = makeObserved(count)
            return {
              for _ in 0..<64 { consume(makeObserved()) }
              withExtendedLifetime(objects) {}
            }
          }
        }),
      Series(
        name: "observers leaving in one go, each joining and leaving", limit: 3,
        columns: [100, 1000, 10_000].map { count in
          Column("\(count)", operations: count) {
            let subject = PublishSubject<Int>()
            return {
              let leaving = (0..<count).map { _ in subject.subscribe(onNext: { consume($0) }) }
              for subscription in leaving { subscription.dispose() }
              subject.onNext(1)
            }
          }
        }),
      // Ten thousand targets and what writes to them do not fit into the cache.
      Series(
        name: "bindings onto one source, per write", limit: 3,
        columns: [1, 10, 100, 1000, 10_000].map { count in
          let writes = max(1, 256 / count)
          return Column("\(count)", operations: writes * count) {
            let source = Sample()
            let targets = bound(to: source, count)
            return {
              for value in 0..<writes { source.value = value }
              withExtendedLifetime(targets) {}
            }
          }
        }),
      Series(
        // The same instructions per binding; from 1,000 objects on, each write waits for memory.
        name: "bindings in a row, per binding and write", limit: 3, tolerated: 7.5,
        columns: rowLengths(isShort: isShort).map { count in
          let writes = max(1, 256 / count)
          return Column("\(count)", operations: writes * count) {
            let objects = boundInRow(count)
            return {
              for value in 0..<writes { objects[0].value = value }
              withExtendedLifetime(objects) {}
            }
          }
        }),
      Series(
        name: "bindings ending in one go, each made and ended", limit: 3,
        columns: [100, 1000, 10_000].map { count in
          Column("\(count)", operations: count) {
            let source = Sample()
            return {
              // Their targets die, and each takes its binding with it.
              consume(bound(to: source, count).count)
              source.value = 1
            }
          }
        }),
      Series(
        name: "elements of an observed array, append + removeLast", limit: 3,
        columns: populations(isShort: isShort).map { count in
          Column("\(count)", operations: 256) {
            let array = ObservableArray(0..<count)
            let observer = array.changes.subscribe(onNext: { consume($0.count) })
            return {
              for value in 0..<256 {
                array.append(value)
                array.removeLast()
              }
              withExtendedLifetime(observer) {}
            }
          }
        }),
      Series(
        name: "sets made while a set is delivered", limit: 3,
        columns: [1, 10, 100, 1000, 10_000].map { count in
          let writes = max(1, 256 / count)
          return Column("\(count)", operations: writes * count) {
            let object = Sample()
            countDown(object)
            return { for _ in 0..<writes { object.value = count } }
          }
        }),
    ]
  }

  static func gauges(isShort: Bool) -> [Gauge] {
    let count = isShort ? 100_000 : 1_000_000
    return [
      Gauge(name: "plain object of ten properties", unit: "bytes", limit: nil) {
        bytesPerObject(of: count) { PlainTen() }
      },
      Gauge(name: "object of ten properties", unit: "bytes", limit: 224) {
        bytesPerObject(of: count) { Ten() }
      },
      Gauge(name: "one property of it observed, in addition", unit: "bytes", limit: nil) {
        guard let bare = bytesPerObject(of: count, make: { Sample() }),
          let observed = bytesPerObject(of: count, make: makeObserved)
        else { return nil }
        return observed - bare
      },
      Gauge(name: "one more observer of a property", unit: "bytes", limit: nil) {
        let object = Sample()
        return bytesPerObject(of: count) {
          object.observe(\.value).subscribe(onNext: { consume($0) }) as AnyObject
        }
      },
      Gauge(name: "bytes kept per update through a path of 10", unit: "bytes", limit: 0) {
        let (root, leaf) = makeChain(of: 10)
        let observer = root.observeWeakly { chain -> KeyPathChain<Link, Int> in
          (2..<10).reduce(chain.next) { path, _ in path.next }.value
        }.subscribe(onNext: { consume($0 ?? 0) })
        for value in 0..<1000 { leaf.value = value }
        guard let before = residentBytes() else { return nil }
        for value in 0..<100_000 { leaf.value = value }
        guard let after = residentBytes() else { return nil }
        return withExtendedLifetime((root, observer)) { Double(after - before) / 100_000 }
      },
      Gauge(name: "stack for 10,000 sets inside a set", unit: "bytes", limit: 0) {
        var addresses: [Int] = []
        let object = Sample()
        countDown(object) { addresses.append(stackAddress()) }
        object.value = 3
        // The first call comes from the set itself; the others, from its queue.
        addresses.removeAll(keepingCapacity: true)
        object.value = 10_000
        addresses.removeFirst()
        return Double((addresses.max() ?? 0) - (addresses.min() ?? 0))
      },
    ]
  }

  private static func populations(isShort: Bool) -> [Int] {
    isShort ? [1, 100, 10_000] : [1, 1000, 1_000_000]
  }

  /// How many bindings pass a value on in a row.
  private static func rowLengths(isShort: Bool) -> [Int] {
    isShort ? [1, 100, 10_000] : [1, 10, 100, 1000, 10_000, 100_000]
  }
}

@inline(never)
func makeObserved() -> Sample {
  let object = Sample()
  _ = object.observe(\.value).subscribe(onNext: { consume($0) })
  return object
}

/// `count` objects, a property of each bound to `source`.
private func bound(to source: Sample, _ count: Int) -> [Sample] {
  (0..<count).map { _ in
    let target = Sample()
    source.bind(\.value, to: target, \.value)
    return target
  }
}

/// `count` bindings in a row, each from the target of the one before it.
private func boundInRow(_ count: Int) -> [Sample] {
  let objects = (0...count).map { _ in Sample() }
  for (source, target) in zip(objects, objects.dropFirst()) { bindValues(source, target) }
  return objects
}

/// Not inlined, because a key path literal that the optimiser moves out of a loop is evaluated on
/// every write, at some ten times the cost.
@inline(never)
private func bindValues(_ source: Sample, _ target: Sample) {
  source.bind(\.value, to: target, \.value)
}

private func makeObserved(_ count: Int) -> [Sample] { (0..<count).map { _ in makeObserved() } }

/// `length` hops from the root to a leaf's value.
private func makeChain(of length: Int) -> (root: Link, leaf: Link) {
  let root = Link()
  var leaf = root
  for _ in 1..<length {
    let next = Link()
    leaf.next = next
    leaf = next
  }
  return (root, leaf)
}

/// Has every set of a value above 0 make another one, from inside the observer.
private func countDown(_ object: Sample, _ note: @escaping () -> Void = {}) {
  _ = object.observe(\.value, options: .new).subscribe(onNext: { [unowned object] value in
    note()
    if value > 0 { object.value = value - 1 }
  })
}

func bytesPerObject(of count: Int, make: () -> AnyObject) -> Double? {
  var objects: [AnyObject] = []
  objects.reserveCapacity(count)
  guard let before = residentBytes() else { return nil }
  for _ in 0..<count { objects.append(make()) }
  guard let after = residentBytes() else { return nil }
  return withExtendedLifetime(objects) { Double(after - before) / Double(count) }
}
