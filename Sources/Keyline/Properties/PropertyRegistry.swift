import Observation

/// The observed properties of one object, and the hook on its death (P5).
///
/// - Lifetime: made and retained by the object, and by nothing else. For a class that conforms to
///   ``PropertyObservable`` without inheriting from ``ReactiveObject``, its end is the object's.
/// - Isolation: confined, with its object.
public final class PropertyRegistry {
  let contents = RegisteredObject()

  /// A registry without nodes: the `properties` of one object, for as long as that lives.
  public init() {}

  /// The registry of `owner`; nil if nothing of the object can be observed, which is reported: it returns
  /// another registry each time, or one that belongs to another object.
  @usableFromInline static func contents(of owner: some PropertyObservable) -> RegisteredObject? {
    let registry = owner.properties
    guard registry.contents.register(owner) else {
      report("it returns the registry of another object", of: owner)
      return nil
    }
    // The registry of a base class is made once.
    if owner is ReactiveBase || registry === owner.properties { return registry.contents }
    report("it returns another registry each time", of: owner)
    return nil
  }

  fileprivate static func report(_ message: String, of owner: some PropertyObservable) {
    Diagnostics.report(
      .misuse, "\(message): nothing of the object can be observed", of: type(of: owner),
      property: "properties", once: "\(type(of: owner)).properties \(message)")
  }

  /// For objects that the standard library's Observation observes, too.
  @usableFromInline var registrar: ObservationRegistrar { contents.registrar }

  /// For what depends on the object: weak references to it, bindings.
  var death: Lifetime { contents.death }

  /// Completes everything that observes the object.
  func end() { contents.end() }

  /// Reports the read of state known as `key`, which Keyline does not store. To be called in the
  /// getter; whatever observes what is read then follows `didChange`.
  ///
  /// - Complexity: one load, unless something is being evaluated.
  public func access(_ key: String, of object: AnyObject) {
    guard isTracking() else { return }
    let transaction = Transaction.current
    guard transaction.isEvaluating, contents.register(object) else { return }
    contents.use(in: transaction)
    transaction.didRead(contents.makeNode(named: key))
  }

  /// Announces a change of the state known as `key`.
  public func willChange(_ key: String) {
    guard Transaction.areAnnouncementsWanted, let node = contents.node(named: key) else { return }
    let transaction = Transaction.current
    transaction.perform { transaction.announce(node) }
  }

  /// Reports a change of the state known as `key`: one emission for its observers.
  public func didChange(_ key: String) {
    contents.node(named: key)?.changed(to: (), from: nil)
  }

  deinit { contents.end() }
}

extension Node {
  /// Reports that the node of a living object has ended: its registry has been exchanged.
  final func reportExchange(of owner: some PropertyObservable, at place: UInt) {
    guard hasEnded, self.place == place, identity == address(of: owner) else { return }
    PropertyRegistry.report("it returned another registry before", of: owner)
  }
}

extension Lifetime {
  /// The lifetime of any object that has one; nil for others.
  static func of(_ object: AnyObject) -> Lifetime? {
    (object as? any PropertyObservable)?.properties.death
      ?? (object as? any LifetimeProviding)?.lifetime
  }
}
