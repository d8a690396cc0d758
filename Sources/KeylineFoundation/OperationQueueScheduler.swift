import Foundation
import Keyline

/// Runs actions on an operation queue, as many actions at a time as the queue allows.
///
/// - Isolation: `Sendable`. Operators schedule one action at a time, so that delivery stays in
///   order.
public final class OperationQueueScheduler: ImmediateSchedulerType, Sendable {
  /// Where actions run.
  public let operationQueue: OperationQueue
  /// The priority of the actions among the operations of the queue.
  public let queuePriority: Operation.QueuePriority

  /// A scheduler of `operationQueue`, whose operations have the priority `queuePriority`.
  public init(operationQueue: OperationQueue, queuePriority: Operation.QueuePriority = .normal) {
    self.operationQueue = operationQueue
    self.queuePriority = queuePriority
  }

  public func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    let scheduled = ScheduledAction { action(state) }
    let operation = BlockOperation(block: scheduled.invoke)
    operation.queuePriority = queuePriority
    operationQueue.addOperation(operation)
    return scheduled
  }
}
