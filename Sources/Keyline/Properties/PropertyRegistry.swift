/// What one object knows of its observed properties, and the hook on its death.
///
///     object ──▶ registry ──▶ nodes (one per property observed so far) ──▶ observers
///        └── @Observed wrapper ──▶ its node, unretained
///
/// - Isolation: confined, with its object.
public final class PropertyRegistry {
  /// In the order in which the properties were first observed.
  private var nodes: [any PropertyNodeType] = []
  private var hasEnded = false

  /// Ends first.
  private(set) lazy var deallocating = Lifetime()
  /// Ends last.
  private(set) lazy var deallocated = Lifetime()

  public init() {}

  func adopt(_ node: any PropertyNodeType) { nodes.append(node) }

  /// Completes everything that observes the object.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    deallocating.end()
    for node in nodes { node.terminate() }
    deallocated.end()
  }

  deinit { end() }
}

extension Lifetime {
  /// The end of any object that announces it; nil for others.
  static func end(of object: AnyObject) -> Observable<Void>? {
    if let observable = object as? any PropertyObservable {
      return observable.properties.deallocating.ended
    }
    return (object as? any LifetimeProviding)?.lifetime.ended
  }
}
