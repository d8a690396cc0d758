import Keyline
import Observation

/// What makes sources and values derived from them, in the manner of one peer.
protocol Deriving {
  init()

  /// What reads a source, and what writes it.
  func source() -> (read: () -> Int, write: (Int) -> Void)

  /// What reads a value that `rule` computes, cached.
  func derived(_ rule: @escaping () -> Int) -> () -> Int

  /// Called after each write.
  func settle()
}

/// Keyline's derived properties.
final class KeylineDeriving: Deriving {
  final class Source: ReactiveObject { @Observed var value = 0 }

  final class Cell: ReactiveObject {
    let rule: () -> Int
    @Derived({ (self: Cell) in self.rule() }) var value: Int

    init(_ rule: @escaping () -> Int) { self.rule = rule }
  }

  func source() -> (read: () -> Int, write: (Int) -> Void) {
    let source = Source()
    return ({ source.value }, { source.value = $0 })
  }

  func derived(_ rule: @escaping () -> Int) -> () -> Int {
    let cell = Cell(rule)
    // Reads the value once: the first read creates the cache, recursively if needed.
    consume(cell.value)
    return { cell.value }
  }

  func settle() {}
}

/// Observation, with a cache by hand: outdated when anything that was read is about to change.
final class TrackedDeriving: Deriving {
  @Observable final class Source { var value = 0 }

  @Observable final class Cell {
    @ObservationIgnored let rule: () -> Int
    @ObservationIgnored private var cache: Int?

    init(_ rule: @escaping () -> Int) { self.rule = rule }

    var value: Int {
      access(keyPath: \.value)
      if let cache { return cache }
      // Proof of unsafe: the benchmarks run on one thread.
      nonisolated(unsafe) unowned(unsafe) let cell = self
      let result = withObservationTracking(rule) {
        cell.withMutation(keyPath: \.value) { cell.cache = nil }
      }
      cache = result
      return result
    }
  }

  func source() -> (read: () -> Int, write: (Int) -> Void) {
    let source = Source()
    return ({ source.value }, { source.value = $0 })
  }

  func derived(_ rule: @escaping () -> Int) -> () -> Int {
    let cell = Cell(rule)
    consume(cell.value)
    return { cell.value }
  }

  func settle() {}
}

/// Plain closures: every write evaluates all of them, in the order in which they were made.
final class PlainDeriving: Deriving {
  private final class Cell {
    var value = 0
  }

  private var updates: [() -> Void] = []

  func source() -> (read: () -> Int, write: (Int) -> Void) {
    let cell = Cell()
    return ({ cell.value }, { cell.value = $0 })
  }

  func derived(_ rule: @escaping () -> Int) -> () -> Int {
    let cell = Cell()
    updates.append { cell.value = rule() }
    return { cell.value }
  }

  func settle() { for update in updates { update() } }
}
