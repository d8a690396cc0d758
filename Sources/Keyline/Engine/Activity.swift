// The activities that the engine reports to the instrumentation port, for traces and the check of threads.

/// An activity of a thread. It causes everything that the thread does until the activity ends.
package enum Activity {
  /// A node gets another value; the former value is nil if it is not known.
  case set(Node, from: Any?, to: Any, isEqual: () -> Bool)
  /// The object that a weak property refers to has died.
  case referentDied(Node)
  /// A rule validates a value before it is stored.
  case validate(Node, Any)
  case batch
  /// Marked nodes are brought up to date.
  case settle
  /// A computed node is evaluated.
  case evaluate(Node)
  /// A value is passed to an observer; `place` is the observer's position among all observers,
  /// counted from 1.
  case deliver(Node, Any, to: SubscriptionContext, place: Int)
  /// The observers with `.prior` are called.
  case announce(Node)
  /// An observer joins, and receives this first value.
  case subscribe(Node, SubscriptionContext, Any)
  /// A binding writes a value to a property, given by its node if the node is known, by the
  /// property's owner, and by the type of the value.
  case write(Any, to: () -> Node?, of: AnyObject, Any.Type)
  /// A converter has returned nil, or thrown.
  case decline(Any, (any Error)?)
  /// An object dies; its address and its class.
  case death(UInt, AnyClass)
}

/// An event during an activity. It causes nothing itself.
package enum Occurrence {
  /// A node has been checked, and none of its dependencies has changed.
  case skip(Node)
  /// The value being set waits for a delivery under way.
  case queue(Node)
  /// The rule refuses the value, or has replaced it.
  case refuse(any Error)
  case coerce(Any)
  /// A property has its value from before the batch again.
  case restore(Node, Any)
  /// An observer leaves.
  case dispose(Node)
  /// The observers receive completion.
  case complete(Node)
}

extension Instrumentation {
  /// Reports that this thread begins an activity.
  @inline(__always) static func enter(_ activity: @autoclosure () -> Activity) {
    report(.entered(activity()))
  }

  /// Reports that the activity begun last has ended.
  @inline(__always) static func leave() { report(.left) }

  @inline(__always) static func note(_ occurrence: @autoclosure () -> Occurrence) {
    report(.noted(occurrence()))
  }
}
