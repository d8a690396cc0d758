import Foundation
import Keyline

extension ObservableConvertibleType where Element: Sendable {
  /// This sequence for tests that block until it terminates. Its elements may come from another thread: map
  /// an object to a value first.
  ///
  /// ```swift
  /// let names = try service.names().toBlocking(timeout: .seconds(5)).toArray()
  /// ```
  ///
  /// - Parameter timeout: how long each call waits; nil for without limit.
  public func toBlocking(timeout: Duration? = nil) -> BlockingObservable<Element> {
    BlockingObservable(source: asObservable(), timeout: timeout)
  }

  /// `toBlocking(timeout:)` with a number of seconds.
  // Proof of the attribute: without it, `nil` would be ambiguous.
  @_disfavoredOverload
  public func toBlocking(timeout: Double?) -> BlockingObservable<Element> {
    toBlocking(timeout: timeout.map { Duration.seconds($0) })
  }
}

/// A sequence whose calls block until it terminates. Each call subscribes, and disposes the
/// subscription before it returns.
///
/// - Timing: each call subscribes on the calling thread. This sleeps then until the sequence terminates;
///   the main thread runs its run loop meanwhile, so that the main queue is served. The time begins before
///   the subscription; a source that blocks or emits inside `subscribe` is not interrupted, and an end that
///   it reaches there counts, however late. A callback that waits for an element of its own thread never
///   returns.
/// - Errors: `RxError.timeout` when the sequence has not terminated in time, also if elements have arrived.
public struct BlockingObservable<Element> {
  fileprivate let source: Observable<Element>
  fileprivate let timeout: Duration?

  /// All elements.
  ///
  /// - Throws: the sequence's error.
  public func toArray() throws -> [Element] { try elements(of: source) }

  /// The first element, or nil if there is none. Later elements are not waited for.
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
  /// - Throws: `RxError.noElements`, `RxError.moreThanOneElement`, or the error of the sequence or of
  ///   `predicate`.
  public func single(_ predicate: @escaping (Element) throws -> Bool) throws -> Element {
    let matches = try elements(of: source.filter(predicate).take(2))
    guard let match = matches.first else { throw RxError.noElements }
    guard matches.count == 1 else { throw RxError.moreThanOneElement }
    return match
  }

  /// All elements, and how the sequence terminated.
  public func materialize() -> MaterializedSequenceResult<Element> { result(of: source) }

  private func elements(of source: Observable<Element>) throws -> [Element] {
    switch result(of: source) {
    case .completed(let elements): return elements
    case .failed(_, let error): throw error
    }
  }

  private func result(of source: Observable<Element>) -> MaterializedSequenceResult<Element> {
    // At most thirty years: times in nanoseconds overflow.
    let seconds = min(timeout.map { $0 / .seconds(1) } ?? .infinity, 1e9)
    let deadline = Date(timeIntervalSinceNow: seconds)
    let received = Protected<[Event<Element>]>([])
    let termination = DispatchSemaphore(value: 0)
    let subscription = source.subscribe { event in
      received.withLock { $0.append(event) }
      guard event.isStopEvent else { return }
      termination.signal()
      // Wakes the main thread's run loop, in case the main thread waits.
      DispatchQueue.main.async {}
    }
    defer { subscription.dispose() }
    if Thread.isMainThread {
      while termination.wait(timeout: .now()) == .timedOut, Date() < deadline {
        _ = RunLoop.main.run(mode: .default, before: deadline)
      }
    } else {
      _ = termination.wait(timeout: .now() + deadline.timeIntervalSinceNow)
    }
    let events = received.withLock { $0 }
    let elements = events.compactMap(\.element)
    if let end = events.last, end.isCompleted { return .completed(elements: elements) }
    return .failed(elements: elements, error: events.last?.error ?? RxError.timeout)
  }
}

/// How a blocking sequence terminated.
public enum MaterializedSequenceResult<Element> {
  /// It completed after these elements.
  case completed(elements: [Element])
  /// It failed, or timed out, after these elements.
  case failed(elements: [Element], error: any Error)
}

extension MaterializedSequenceResult: Sendable where Element: Sendable {}
