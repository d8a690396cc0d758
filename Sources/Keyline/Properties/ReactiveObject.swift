// Properties: observable properties of plain objects. This folder contains the wrappers, the
// registry and its nodes, the paths behind `observe`, `observeChanges` and `values(of:)`, and the
// validation of sets. Chains stand in Chains, access by name in KeyValueCoding.

/// A class whose properties can be observed.
///
/// Inherit from ``ReactiveObject``. If the class has another superclass already, conform with one
/// line:
///
/// ```swift
/// final class Document: NSDocument, PropertyObservable {
///   let properties = PropertyRegistry()
///   @Observed var title = ""
/// }
/// ```
///
/// - Isolation: a conforming class is confined to its isolation domain, like any class; a
///   `@MainActor` class may conform, too. Observers run on the mutating thread.
public protocol PropertyObservable: AnyObject, ReactiveCompatible {
  /// The object's registry: the object makes it, and nothing else retains it.
  var properties: PropertyRegistry { get }

  /// The properties that are reached by name through their key paths: see ``RegisteredProperty``.
  /// Empty by default.
  static var registeredProperties: [RegisteredProperty] { get }
}

/// The base class of observable models.
///
/// ```swift
/// final class Person: ReactiveObject {
///   @Observed var name = "Ada"
///   @Observed var address: Address?
///   @WeakObserved var manager: Person?
///   var label: String { "\(name), \(address?.city ?? "—")" }
/// }
///
/// let person = Person()
/// _ = person.observe(\.name).subscribe(onNext: { print($0) })   // now, and after every set
/// _ = person.observe(\.label)                                   // follows name, address and city
/// _ = person.observeWeakly { $0.manager.address.city }          // Observable<String?>
/// person.name = "Bea"
/// ```
/// ```text
/// Ada
/// Bea
/// ```
///
/// Laws of property observation, tested under these numbers:
/// - P1. Observers of a stored property run after the store, synchronously, on the mutating thread,
///   in subscription order. Reading any property inside an observer gives the current value;
///   reading a property during its own in-place mutation traps, as in plain Swift. (The death of an
///   object behind a weak property is delivered at once or, if it happens off the thread of the
///   property's owner, with the next operation on the owner.)
/// - P2. Outside a batch, every set of a stored property is one emission, even of an equal value.
/// - P3. A set made while the same property is being delivered is stored at once and delivered
///   afterwards: each observer gets every value, in order. A feedback loop
///   (`Diagnostics.feedbackLimit` rounds, each caused by the one before) is stopped and reported,
///   and ends with a delivery of the stored value; values set during this last delivery are not
///   delivered.
/// - P4. Settling: computed values are evaluated from new values only. The scope is the outermost
///   set, in-place mutation or batch of observed properties on a thread, or the death of an object.
///   After the observers of stored properties have been called, computations that have read a
///   property that was set are evaluated and delivered, in the order of subscription, until none is
///   outdated.
/// - P5. Observing retains neither the object nor any hop. Exception: a subscription to the edits
///   or elements of a live view, or a binding of it, retains the view until its array dies, unless
///   `joined` made it. When the object dies the sequence completes; subscribing to it after that
///   completes at once.
/// - P6. A subscription may be disposed on any thread.
/// - P7. Delivering a value of a stored property uses, hashes or compares no key path, and
///   allocates nothing.
/// - P8. Copying or replacing a wrapper (`_name = …`), or making a ``PropertyRegistry`` anew, may end
///   observations, and never corrupts memory. Replacing a wrapper evaluates no derived
///   values: they follow the new one from their next evaluation on.
///
/// A stored property is observed directly if the object's own class declares it, or through a key
/// path of the class that declares it. Through a key path of a subclass, inherited and overridden
/// properties are evaluated like computed ones: observers receive the value that reading the key
/// path gives, after the observers of stored properties (P4). A set in a `deinit` is delivered like
/// any other; nothing is computed from a dying object.
///
/// - Complexity: an unobserved property costs one word; the object is registered when it is
///   first observed.
nonisolated open class ReactiveObject: ReactiveBase {
  /// Creates an object without observers.
  @inlinable public init() { super.init() }
}

/// The base class of observable models that belong to the main actor: like ``ReactiveObject``, with
/// an initialiser that is isolated to the main actor.
///
/// ```swift
/// final class Row: MainReactiveObject {
///   @Observed var title = ""
///   let formatter: Formatter
///   override init() {  // of the main actor, as everything in the class
///     formatter = Formatter()
///     super.init()
///   }
/// }
/// ```
///
/// - Isolation: the main actor. Models that belong to no actor, and models used on other threads,
///   inherit from ``ReactiveObject``; objects of both kinds can observe and bind each other.
///   `Sendable`, like any class of the main actor: any thread may refer to an object, and the compiler
///   refuses the use of its properties and key paths elsewhere. Methods that take names instead, such as
///   `value(forKey:)`, are inherited and not isolated: call them on the main actor.
// Proof of the conformance: the compiler confines the state of subclasses to the main actor. The state of
// the superclass is used by their accessors, by key paths to their properties, which can be written on the
// main actor only, and by the methods that take names, whose callers are on the main actor (see above).
@MainActor open class MainReactiveObject: ReactiveBase, Sendable {
  /// Creates an object without observers.
  @inlinable public init() { super.init() }
}

/// The common base of ``ReactiveObject`` and ``MainReactiveObject``. Inherit from one of these two.
nonisolated open class ReactiveBase: PropertyObservable, CustomReflectable {
  /// Nil until the object is first observed.
  final var registration: RegisteredObject?

  // The parameter allows `init()` of a subclass to be isolated.
  @usableFromInline init(_: Void = ()) {}

  public final var properties: PropertyRegistry { PropertyRegistry(of: registered) }

  /// The registered object, which is made when it is first needed.
  final var registered: RegisteredObject {
    let object = registration ?? RegisteredObject(self)
    registration = object
    return object
  }

  /// The properties that are reached by name through their key paths. Properties that superclasses
  /// register need not be repeated.
  open class var registeredProperties: [RegisteredProperty] { [] }

  /// Called by `value(forKey:)` and the methods for paths if there is no property named `key`. Override it
  /// to return a value for names that are known at run time only.
  ///
  /// - Errors: the base implementation throws `PropertyError.undefinedKey`.
  open func value(forUndefinedKey key: String) throws -> Any? { throw undefined(key) }

  /// Called by `setValue(_:forKey:)` and the method for paths if there is no property named `key`.
  ///
  /// - Errors: the base implementation throws `PropertyError.undefinedKey`.
  open func setValue(_ value: Any?, forUndefinedKey key: String) throws { throw undefined(key) }

  /// Called by `setValue(_:forKey:)` and the method for paths if the value is nil, but the property named
  /// `key` is of `type`, which is not optional. Override it to set another value.
  ///
  /// - Errors: the base implementation throws `PropertyError.typeMismatch`.
  open func setNilValue(forKey key: String, of type: Any.Type) throws {
    throw PropertyError.typeMismatch(key: key, expected: "\(type)", actual: "nil")
  }

  /// Makes state observable that Keyline does not store. Call it in the getter.
  ///
  /// ```swift
  /// final class File: ReactiveObject {
  ///   private let handle = Handle()
  ///   var size: Int {
  ///     access("size")
  ///     return handle.size
  ///   }
  ///   func append(_ data: [UInt8]) {
  ///     willChange("size")
  ///     handle.write(data)
  ///     didChange("size")
  ///   }
  /// }
  /// let file = File()
  /// _ = file.observe(\.size).subscribe(onNext: { print($0) })   // now, and after every append
  /// file.append([1, 2])
  /// ```
  /// ```text
  /// 0
  /// 2
  /// ```
  ///
  /// - Complexity: one load, unless a thread is evaluating.
  open func access(_ key: String) { RegisteredObject.access(key, of: registered) }

  /// Announces a change of state that is read with `access(_:)`, or of the stored property named `key`,
  /// to observers with `.prior`.
  open func willChange(_ key: String) { registration?.willChange(key) }

  /// Reports a change of state that is read with `access(_:)`: one emission for its observers. For a
  /// stored property, whose sets are reported by themselves, emits the current value once more.
  open func didChange(_ key: String) { registration?.didChange(key) }

  /// The properties by name with their values, both observable and plain ones; the properties of
  /// superclasses come first. Nothing is evaluated: a derived property shows the value computed
  /// last.
  open var customMirror: Mirror {
    // Generic, so that the mirror reflects the object's own class.
    func mirror<Object: ReactiveBase>(of type: Object.Type) -> Mirror {
      let children: [Mirror.Child] = inspectedProperties.filter { $0.kind != .state }
        .map { ($0.name, $0.value() ?? Optional<Any>.none as Any) }
      // Proof of the cast: the type is the object's own.
      return Mirror(cast(self, to: type), children: children, ancestorRepresentation: .suppressed)
    }
    return mirror(of: Self.self)
  }

  // Runs after the subclass's deinit body and before its stored properties are destroyed. Weak
  // references to self are nil already, and self must not escape.
  deinit { registration?.end() }
}

extension PropertyObservable {
  /// The error for a name without a property.
  func undefined(_ key: String) -> PropertyError {
    .undefinedKey(type: "\(type(of: self))", key: key)
  }

  /// The life of the object; one that has ended if the object cannot be observed.
  var life: ObjectLife { PropertyRegistry.contents(of: self) ?? .ended }

  /// Emits one element and completes when the object begins to die, on the thread that released the
  /// object last.
  ///
  /// - Timing: from the deinit of ``ReactiveObject`` (or of the registry, for other conformers):
  ///   after the deinit bodies of subclasses, before observers of the object's properties complete.
  /// - Lifetime: retains nothing. Weak references to the object are nil by then.
  public var deallocating: Observable<Void> { life.reached(.deallocating) }

  /// Emits one element and completes when the object has died and its observers have received
  /// completion.
  ///
  /// - Timing: the last thing ``ReactiveObject``'s deinit does. Swift destroys the stored
  ///   properties of subclasses right after it.
  /// - Lifetime: retains nothing. Weak references to the object are nil by then.
  public var deallocated: Observable<Void> { life.reached(.deallocated) }
}
