/// The observed properties of one object, and the hook for its death (P5).
///
/// - Lifetime: the object makes the registry, and nothing else retains it. In a class that conforms
///   to ``PropertyObservable`` without inheriting from ``ReactiveObject``, the registry's deinit
///   marks the death of the object.
/// - Isolation: confined, like its object.
public final class PropertyRegistry {
  /// Nil until the object is observed.
  package private(set) var contents: RegisteredObject?

  /// Whether the object stores the registry. An object of a base class has a deinit of its own.
  private var isStored = true

  /// An empty registry: the `properties` of one object, for the object's whole life.
  public init() {}

  /// A registry of an object of a base class, made for one call.
  init(of object: RegisteredObject) {
    contents = object
    isStored = false
  }

  /// The contents of the registry of `owner`. Returns nil, and reports it, if `owner` cannot be
  /// observed because it returns a different registry each time, or the registry of another object.
  @usableFromInline static func contents(of owner: some PropertyObservable) -> RegisteredObject? {
    if let owner = owner as? ReactiveBase { return owner.registered }
    let registry = owner.properties
    guard let contents = registry.contents(for: owner) else {
      report("it returns the registry of another object", of: owner)
      return nil
    }
    if registry === owner.properties { return contents }
    report("it returns another registry each time", of: owner)
    return nil
  }

  /// - Returns: nil if the registry belongs to another object, or to one that has died.
  func contents(for object: AnyObject) -> RegisteredObject? {
    let found = contents ?? RegisteredObject(object)
    contents = found
    return found.identity == address(of: object) && found.type == type(of: object) && found.isAlive
      ? found : nil
  }

  fileprivate static func report(_ message: String, of owner: some PropertyObservable) {
    Diagnostics.report(
      .misuse, "\(message): nothing of the object can be observed", of: type(of: owner),
      property: "properties", once: "\(type(of: owner)).properties \(message)")
  }

  /// Reports a read of the state named `key`, which Keyline does not store. Call it in the getter:
  /// every observer of that getter then follows `didChange`.
  ///
  /// - Complexity: one load, unless something is being evaluated.
  public func access(_ key: String, of object: AnyObject) {
    RegisteredObject.access(key, of: contents(for: object))
  }

  /// Announces a change of the state, or of the stored property, named `key`.
  public func willChange(_ key: String) { contents?.willChange(key) }

  /// Reports a change of the state, or of the stored property, named `key`: one emission for its
  /// observers.
  public func didChange(_ key: String) { contents?.didChange(key) }

  deinit { if isStored { contents?.end() } }
}

extension Node {
  /// Whether this is the node of the wrapper at `place`, and its object is alive. If not, the wrapper
  /// is a copy, or has been replaced. Reports a node that has ended although its object is alive:
  /// the object's registry has been replaced.
  final func isValid(
    for owner: some PropertyObservable, at place: UInt, _ property: () -> AnyKeyPath?
  ) -> Bool {
    if isNode(at: place) {
      keyPath = keyPath ?? property()
      return true
    }
    if hasEnded, self.place == place, identity == address(of: owner) {
      PropertyRegistry.report("it returned another registry before", of: owner)
    }
    return false
  }
}

extension RegisteredObject {
  /// The registered object of `object`, if one has been made already.
  package static func existing(of object: any PropertyObservable) -> RegisteredObject? {
    if let base = object as? ReactiveBase { base.registration } else { object.properties.contents }
  }

  /// The registered object of any object; nil if the object cannot be observed.
  static func of(_ object: AnyObject) -> RegisteredObject? {
    (object as? any PropertyObservable).flatMap { PropertyRegistry.contents(of: $0) }
  }

  /// The life of `object`; nil if its death cannot be observed.
  static func life(of object: AnyObject) -> ObjectLife? {
    of(object) ?? (object as? any LifetimeProviding)?.lifetime.life
  }
}
