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
  /// By name: what stands for state that Keyline does not store.
  private var named: [String: PropertyNode<Void>] = [:]
  private var lifetimes: (deallocating: Lifetime?, death: Lifetime?, deallocated: Lifetime?)
  private var hasEnded = false
  /// For objects that the standard library's Observation sees, too.
  @usableFromInline lazy var registrar = ObservationRegistrar()

  public init() {}

  /// For the user; ends first.
  var deallocating: Lifetime { made(&lifetimes.deallocating) }

  /// For what depends on the object: paths over it, chains, bindings, weak references to it.
  var death: Lifetime { made(&lifetimes.death) }

  /// For the user; ends last.
  var deallocated: Lifetime { made(&lifetimes.deallocated) }

  func adopt<Node: AnyBroadcaster>(_ node: Node) -> Node {
    nodes.append(node)
    return node
  }

  /// Completes everything that observes the object.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    lifetimes.deallocating?.end()
    for node in nodes { node.complete() }
    lifetimes.death?.end()
    lifetimes.deallocated?.end()
  }

  /// Says that state known as `key`, which Keyline does not store, is being read. To be called in the
  /// getter; whatever observes what is read then follows `didChange`.
  ///
  /// - Complexity: one relaxed atomic load, unless somebody is just about to observe.
  public func access(_ key: String, of object: AnyObject) {
    guard isTracking(), let reads = Tracker.reads else { return }
    let node = named[key] ?? adopt(PropertyNode<Void>(owner: object))
    named[key] = node
    reads.pointee.append(node)
  }

  /// Says that the state known as `key` is about to change.
  public func willChange(_ key: String) {
    var nothing: Void = ()
    _ = named[key]?.willSet(&nothing)
  }

  /// Says that the state known as `key` has changed: one emission for those who observe it.
  public func didChange(_ key: String) {
    // It is no property's own key path.
    named[key]?.didSet((), identify: { \PropertyRegistry.self })
  }

  /// The name under which `node` was made.
  func name(of node: AnyBroadcaster) -> String? { named.first { $0.value === node }?.key }

  /// Lifetimes are made when somebody first asks.
  private func made(_ lifetime: inout Lifetime?) -> Lifetime {
    let made = lifetime ?? Lifetime()
    if hasEnded { made.end() }
    lifetime = made
    return made
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
