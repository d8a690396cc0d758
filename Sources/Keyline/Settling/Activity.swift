// What the engine reports to the port, for traces.

/// What a thread does with nodes and objects, and what causes the rest until it ends.
package enum Activity {
  /// A node has another value; the former one is nil if it is not known.
  case set(Node, from: Any?, to: Any, isEqual: () -> Bool)
  /// The object has died that a weak property refers to.
  case referentDied(Node)
  /// A rule is asked about a value that is to be stored.
  case validate(Node, Any)
  case batch
  /// What is marked is brought up to date.
  case settle
  /// A computed node is evaluated.
  case evaluate(Node)
  /// A value is passed to an observer, whose place among all is given, from 1 on.
  case deliver(Node, Any, to: SubscriptionContext, place: Int)
  /// An observer joins; the value is the first that it receives.
  case subscribe(Node, SubscriptionContext, Any)
  /// A binding sets the property at its end, which is given, or its owner with the type of the value.
  case write(Any, to: () -> Node?, of: AnyObject, Any.Type)
  /// A converter has returned nil, or thrown.
  case decline(Any, (any Error)?)
  /// An object is dying: its address, and its class.
  case death(UInt, AnyClass)
}

/// What happens to nodes meanwhile, and causes nothing.
package enum Occurrence {
  /// A node has been checked, and nothing that it has read has changed.
  case skip(Node)
  /// The value being set waits for the delivery of another one.
  case queue(Node)
  /// The rule that is asked refuses the value, or has made another one of it.
  case refuse(any Error)
  case coerce(Any)
  /// A property is back at its value before the batch.
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
