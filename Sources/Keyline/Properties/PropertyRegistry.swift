import Observation

/// What one object knows of its observed properties, and the hook on its death.
///
///     object ──▶ registry ──▶ nodes (one per property observed so far) ──▶ observers
///        └── @Observed wrapper ──▶ its node, unretained
///
/// - Isolation: confined, with its object.
public final class PropertyRegistry {
  /// In the order in which the properties were first observed.
  private var nodes: [AnyBroadcaster] = []
  private var lifetimes: (deallocating: Lifetime?, death: Lifetime?, deallocated: Lifetime?)
  private var hasEnded = false
  /// For objects that the standard library's Observation sees, too.
  @usableFromInline
  lazy var registrar = ObservationRegistrar()

  public init() {}

  /// For the user; ends first.
  var deallocating: Lifetime { made(&lifetimes.deallocating) }

  /// For what depends on the object: paths over it, chains, bindings, weak references to it.
  var death: Lifetime { made(&lifetimes.death) }

  /// For the user; ends last.
  var deallocated: Lifetime { made(&lifetimes.deallocated) }

  func adopt(_ node: AnyBroadcaster) { nodes.append(node) }

  /// Completes everything that observes the object.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    lifetimes.deallocating?.end()
    for node in nodes { node.complete() }
    lifetimes.death?.end()
    lifetimes.deallocated?.end()
  }

  /// Lifetimes are made when somebody first asks.
  private func made(_ lifetime: inout Lifetime?) -> Lifetime {
    if let lifetime { return lifetime }
    let new = Lifetime()
    if hasEnded { new.end() }
    lifetime = new
    return new
  }

  deinit { end() }
}

extension Lifetime {
  /// The lifetime of any object that has one; nil for others.
  static func of(_ object: AnyObject) -> Lifetime? {
    (object as? any PropertyObservable)?.properties.death
      ?? (object as? any LifetimeProviding)?.lifetime
  }
}
