import Foundation
import KeylineCore
import TestSupport

/// Everything that one subscription has received. Its closures may be called, and released, on any
/// thread.
///
/// Checked with each event: nothing follows the completion (C1) or, on the domain's thread, the
/// return of `dispose()` (C2), and values arrive on the domain's thread (P1).
final class ThreadRecord: Sendable {
  /// A value as a number: the number that was set, or the identity of a part; nil for nil.
  typealias Value = Int?

  private struct State {
    var values: [Value] = []
    var completions = 0
    var disposals = 0
    var isClosed = false
    var faults: [String] = []
    weak var token: Token?
  }

  /// Captured by the closures of the subscription.
  private final class Token: Sendable {}

  let name: String
  private let state = Guarded(State())
  private let thread = ObjectIdentifier(Thread.current)
  /// Whether values may arrive elsewhere: the nil of a chain whose root dies there, and the end of an
  /// object's life.
  private let arrivesAnywhere: Bool

  init(_ name: String, arrivesAnywhere: Bool = false) {
    self.name = name
    self.arrivesAnywhere = arrivesAnywhere
  }

  var values: [Value] { state.withLock { $0.values } }
  var completions: Int { state.withLock { $0.completions } }
  var disposals: Int { state.withLock { $0.disposals } }
  var faults: [String] { state.withLock { $0.faults } }

  /// Whether the closures of the subscription have been released.
  var isReleased: Bool { state.withLock { $0.token } == nil }

  // MARK: Recording

  /// Subscribes to `source`.
  ///
  /// - Parameters:
  ///   - value: the value that is recorded for an element; runs on the thread of the element.
  ///   - then: called after a value has been recorded on the domain's thread.
  func follow<Element>(
    _ source: Observable<Element>, then: @escaping () -> Void = {},
    _ value: @escaping (Element) -> Value
  ) -> any Disposable {
    let token = Token()
    state.withLock { $0.token = token }
    return source.subscribe(
      onNext: { [self] element in
        withExtendedLifetime(token) { receive(value(element), then) }
      },
      onError: { [self] in fault("received the error \($0)") },
      onCompleted: { [self] in complete() },
      onDisposed: { [self] in state.withLock { $0.disposals += 1 } })
  }

  private func receive(_ value: Value, _ then: () -> Void) {
    let isHere = ObjectIdentifier(Thread.current) == thread
    state.withLock { state in
      state.values.append(value)
      if state.completions > 0 { state.faults.append("C1: \(value as Any) after the completion") }
      if isHere, state.isClosed { state.faults.append("C2: \(value as Any) after dispose()") }
      if !isHere, !arrivesAnywhere {
        state.faults.append("P1: \(value as Any) on another thread")
      }
    }
    if isHere { then() }
  }

  private func complete() {
    let isHere = ObjectIdentifier(Thread.current) == thread
    state.withLock { state in
      state.completions += 1
      if state.completions > 1 { state.faults.append("C1: completed twice") }
      if isHere, state.isClosed { state.faults.append("C2: completed after dispose()") }
    }
  }

  func fault(_ message: String) { state.withLock { $0.faults.append(message) } }

  /// Called on the domain's thread, after `dispose()` has returned there.
  func close() { state.withLock { $0.isClosed = true } }
}

/// A value that observers have to receive.
struct Expected: Equatable {
  let value: ThreadRecord.Value
  /// Whether observers may be left out: the value was set in a batch, or the object that it stands
  /// for has died.
  var isOptional = false
}

extension [ThreadRecord.Value] {
  /// Whether these values can be the result of receiving `expected` in order.
  ///
  /// - Parameter isComplete: whether all of them have been received that are not optional; otherwise
  ///   these values are a prefix.
  func follow(_ expected: [Expected], isComplete: Bool) -> Bool {
    // All positions that are possible after the values so far.
    var positions: Set<Int> = [0]
    for value in self {
      positions = positions.reduce(into: []) { next, start in
        for index in start..<expected.count {
          if expected[index].value == value { next.insert(index + 1) }
          if !expected[index].isOptional { break }
        }
      }
    }
    return isComplete
      ? positions.contains { expected[$0...].allSatisfy(\.isOptional) } : !positions.isEmpty
  }
}
