import KeylineCore
import Synchronization

/// The observers of a property: a broadcaster that counts what waits, and stops feedback loops
/// (P3).
final class PropertyObservers<Value>: EngineBroadcaster<Value> {
  /// Values that were set during a delivery. Atomic: the referent of a weak property may die on
  /// another thread, which then delivers that death and what the owner sets meanwhile.
  private let waiting = Atomic<UInt32>(0)
  /// Proof of unowned(unsafe): the node retains its observers, and delivers through them itself.
  private unowned(unsafe) let node: PropertyNode<Value>
  /// Made when a value has to wait.
  private lazy var loop = FeedbackLoop<Value>()

  init(of node: PropertyNode<Value>) { self.node = node }

  override var owner: AnyObject? { node }

  var isDelivering: Bool { !serializer.isIdle }

  var isDeliveringChange: Bool { isDelivering && !isJoining || isOvertaken }

  var isOvertaken: Bool { waitingCount > 0 }

  var waitingCount: Int { Int(waiting.load(ordering: .relaxed)) }

  @inline(__always) func deliverStored(_ value: Value) {
    guard serializer.enter() else {
      waiting.wrappingAdd(1, ordering: .relaxed)
      return send { self.deliverQueued(value) }
    }
    deliver(value)
    leave()
  }

  /// As `deliverStored(_:)`, recorded if the thread is.
  @inline(never) func deliverRecorded(_ value: Value) {
    guard let trace = TraceRecorder.ofThread else { return deliverStored(value) }
    guard serializer.enter() else {
      if let entry = trace.last, entry.subject == trace.name(of: node) { entry.text += ", queued" }
      return deliverStored(value)
    }
    deliver(value, recordedBy: trace)
    leave()
  }

  /// Delivers `value` to all observers, each in an entry of `trace`, if there is one.
  func deliver(_ value: Value, recordedBy trace: TraceRecorder?) {
    guard let trace, node.owner != nil else { return deliver(value) }
    let text = trace.describe(value)
    let name = trace.name(of: node)
    let change = trace.change(of: ObjectIdentifier(node))
    deliver(value) { number, context, delivery in
      let observer =
        trace.name(of: context, observing: name)
        ?? "observer \(number) of \(name)"
      trace.deliver(text, of: name, to: observer, cause: change, delivery)
    }
  }

  override func deliverQueued(_ value: Value) {
    let count = Int(waiting.wrappingSubtract(1, ordering: .relaxed).oldValue)
    let loop = loop
    defer { if !isOvertaken { loop.end() } }
    isRedelivering = true
    defer { isRedelivering = false }
    if loop.counter.admits(waiting: count) {
      deliver(value, recordedBy: .ofThread)
    } else {
      // The last value that waits is the one stored; what is set during its delivery is not
      // delivered.
      let isLast = count == 1 && !loop.isStopped
      if isLast {
        loop.isStopped = true
        reportFeedback()
        deliver(loop.recovery?() ?? value, recordedBy: .ofThread)
        if isOvertaken { return }
      }
    }
    if node.holdsObject, isOvertaken { loop.overtaken = Optionals.reference(in: value) }
  }

  func recover(with value: @escaping () -> Value) { loop.recovery = value }

  private func reportFeedback() {
    Diagnostics.report(
      .feedbackLoop,
      "each of \(Diagnostics.feedbackLimit) deliveries in a row has set the property again; "
        + "delivery stops with the value stored",
      type: "\(type(of: node.object))", property: node.name)
  }
}

/// What is known while values wait that were set during a delivery.
private final class FeedbackLoop<Value> {
  var recovery: (() -> Value)?
  var counter = FeedbackCounter()
  /// Whether it has been stopped.
  var isStopped = false
  /// The object delivered last, while another one waits: retained until that has been delivered.
  var overtaken: AnyObject?

  /// Nothing waits any more.
  func end() {
    counter = FeedbackCounter()
    isStopped = false
    overtaken = nil
  }
}
