import Keyline

// The questions that graphs, traces and descriptions ask the engine. Nothing here evaluates a rule of
// the program.

extension Node {
  /// The computed nodes that have read this node, in the order of subscription.
  var readers: [Node] {
    dependents.filter(\.isInUse).map(\.reader).sorted { $0.settles(before: $1) }
  }

  /// Whether the node has a computed value that is not up to date.
  var isOutdated: Bool { mayBeStale && inspectedValue != nil }
}

extension SubscriptionContext {
  /// The nodes observed by this subscription and by its inner subscriptions.
  var observedNodes: [Node] {
    parts.flatMap { part in
      (part as? Observer).map { [$0.node] } ?? (part as? SubscriptionContext)?.observedNodes ?? []
    }
  }
}

extension BindingMode {
  /// The arrow between the two ends; the source stands on its left.
  var arrow: String { self == .twoWay ? " ⇄ " : " → " }
}
