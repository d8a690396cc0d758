import Foundation
import Keyline

extension ObservableConvertibleType {
  /// This sequence for code that waits for it: for tests.
  ///
  /// ```swift
  /// let names = try service.names().toBlocking(timeout: .seconds(5)).toArray()
  /// ```
  ///
  /// - Parameter timeout: how long each call waits; nil for ever.
  public func toBlocking(timeout: Duration? = nil) -> BlockingObservable<Element> {
    BlockingObservable(source: asObservable(), timeout: timeout)
  }
}

/// A sequence that is waited for. Each call subscribes, and has ended the subscription when it
/// returns.
///
/// - Timing: the calling thread sleeps until the sequence has ended; the main thread serves its run
///   loop meanwhile, so that what comes through the main queue arrives. A source that emits inside
///   `subscribe` for ever is not timed out. Waiting inside a callback for what the same thread has yet
///   to emit waits for ever.
/// - Errors: `RxError.timeout` when the sequence took too long.
public struct BlockingObservable<Element> {
  fileprivate let source: Observable<Element>
  fileprivate let timeout: Duration?

  /// All elements.
  ///
  /// - Throws: the sequence's error.
  public func toArray() throws -> [Element] { try elements(of: source) }

  /// The first element, or nil if there is none. What follows is not waited for.
  ///
  /// - Throws: the sequence's error.
  public func first() throws -> Element? { try elements(of: source.take(1)).first }

  /// The last element, or nil if there is none.
  ///
  /// - Throws: the sequence's error.
  public func last() throws -> Element? { try elements(of: source).last }

  /// The only element.
  ///
  /// - Throws: `RxError.noElements`, `RxError.moreThanOneElement`, or the sequence's error.
  public func single() throws -> Element { try single { _ in true } }

  /// The only element that satisfies `predicate`.
  ///
  /// - Throws: `RxError.noElements`, `RxError.moreThanOneElement`, the sequence's error, or that of
  ///   `predicate`.
  public func single(_ predicate: @escaping (Element) throws -> Bool) throws -> Element {
    let matches = try elements(of: source.filter(predicate).take(2))
    guard let match = matches.first else { throw RxError.noElements }
    guard matches.count == 1 else { throw RxError.moreThanOneElement }
    return match
  }

  /// All elements, and how the sequence ended.
  public func materialize() -> MaterializedSequenceResult<Element> { result(of: source) }

  private func elements(of source: Observable<Element>) throws -> [Element] {
    switch result(of: source) {
    case .completed(let elements): return elements
    case .failed(_, let error): throw error
    }
  }

  private func result(of source: Observable<Element>) -> MaterializedSequenceResult<Element> {
    // Thirty years stand for ever: on Linux a condition overflows at dates that are far.
    let seconds = min(timeout.map { $0 / .seconds(1) } ?? .infinity, 1e9)
    let deadline = Date(timeIntervalSinceNow: seconds)
    let gate = Gate<Element>()
    let subscription = source.subscribe { gate.take($0) }
    defer { subscription.dispose() }
    let events = gate.wait(until: deadline)
    let elements = events.compactMap(\.element)
    if let end = events.last, end.isCompleted { return .completed(elements: elements) }
    return .failed(elements: elements, error: events.last?.error ?? RxError.timeout)
  }
}

/// How a sequence that was waited for ended.
public enum MaterializedSequenceResult<Element> {
  /// It completed after these elements.
  case completed(elements: [Element])
  /// It failed, or was not waited for any longer, after these elements.
  case failed(elements: [Element], error: any Error)
}

extension MaterializedSequenceResult: Sendable where Element: Sendable {}

/// Where one thread waits for what others bring.
private final class Gate<Element>: @unchecked Sendable {
  // Proof of @unchecked: touched under the condition's lock only.
  private var events: [Event<Element>] = []
  private let condition = NSCondition()
  private var isOpen: Bool { events.last?.isStopEvent ?? false }

  func take(_ event: Event<Element>) {
    condition.withLock {
      events.append(event)
      if isOpen { condition.signal() }
    }
    // Wakes the main thread's run loop, should it be that which waits.
    if event.isStopEvent { DispatchQueue.main.async {} }
  }

  /// What has come by then, or by the termination.
  func wait(until deadline: Date) -> [Event<Element>] {
    if Thread.isMainThread {
      while !condition.withLock({ isOpen }), Date() < deadline {
        _ = RunLoop.main.run(mode: .default, before: deadline)
      }
    }
    return condition.withLock {
      while !isOpen, condition.wait(until: deadline) {}
      return events
    }
  }
}
