// Properties: observable properties of plain objects. The wrappers, the registry and its nodes, the
// paths behind `observe`, `observeChanges` and `values(of:)`, and what a set has to pass. Chains
// are in Chains, access by name in KeyValueCoding.

/// A class whose properties can be observed.
///
/// Inherit from ``ReactiveObject``, or, where the superclass is taken, conform with one line:
///
/// ```swift
/// final class Document: NSDocument, PropertyObservable {
///   let properties = PropertyRegistry()
///   @Observed var title = ""
/// }
/// ```
///
/// - Isolation: a conforming class is confined to its isolation domain, like any class; it may be a
///   `@MainActor` class. Observers run on the thread that mutates.
public protocol PropertyObservable: AnyObject, ReactiveCompatible {
  /// The object's registry: made by the object, and retained by nothing else.
  var properties: PropertyRegistry { get }

  /// What is reached by name through its key path: see ``RegisteredProperty``. Empty by default.
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
///   in subscription order. Reading any property inside an observer gives the current value; one
///   that is being mutated in place meanwhile traps, as in plain Swift. (The death of what a weak
///   property refers to is delivered where it dies; on another thread than the object's own, with the
///   next operation on the object.)
/// - P2. Every set of a stored property is one emission; equal values are not swallowed.
/// - P3. A set made while the same property is being delivered is stored at once and delivered
///   afterwards: each observer gets every value, in order. A feedback loop
///   (`Diagnostics.feedbackLimit` rounds, each caused by the one before) is stopped and reported,
///   and ends with a delivery of the value that is stored; what is set during that one is not
///   delivered.
/// - P4. Settling: what is computed is evaluated on stored states only. The outermost set, in-place
///   mutation or batch of observed properties on a thread, or the death of an object, is the scope;
///   when observers of stored properties have been called, each computation that has read something
///   set meanwhile is evaluated once and delivered once, in the order of subscription, until nothing
///   is outdated.
/// - P5. Observing retains neither the object nor any hop. When the object dies the sequence
///   completes; subscribing to it after that completes at once.
/// - P6. A subscription may be disposed on any thread.
/// - P7. No key path is used, hashed or compared per delivered value of a stored property, and
///   nothing is allocated.
/// - P8. A wrapper that is copied or replaced, and a registry that is made anew, cost a program its
///   observers at most, never its memory. What has been derived from a replaced property follows it
///   again once it is evaluated for another reason.
///
/// A stored property is observed as such where the object's own class declares it. Inherited and
/// overridden ones are evaluated like computed ones: observers receive what reading the key path gives. A
/// set in a `deinit` is delivered as any other; nothing is computed from a dying object.
///
/// - Complexity: an unobserved property costs one word; the registry is made when the object is
///   first observed.
nonisolated open class ReactiveObject: ReactiveBase {
  /// Makes an object that nothing observes.
  @inlinable public init() { super.init() }
}

/// The base class of observable models that belong to the main actor: ``ReactiveObject`` with an
/// initialiser that does, too.
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
/// - Isolation: the main actor's. Models that belong to no actor, and everything that is used on other
///   threads, inherit from ``ReactiveObject``; both kinds observe and bind each other.
@MainActor open class MainReactiveObject: ReactiveBase {
  /// Makes an object that nothing observes.
  @inlinable public init() { super.init() }
}

/// What ``ReactiveObject`` and ``MainReactiveObject`` have in common; classes inherit from one of these.
nonisolated open class ReactiveBase: PropertyObservable, CustomReflectable {
  /// Nil until the object is first observed.
  @usableFromInline final private(set) var registry: PropertyRegistry?

  // With a parameter, so that `init()` of a subclass may be isolated.
  @usableFromInline init(_: Void = ()) {}

  public final var properties: PropertyRegistry {
    if let registry { return registry }
    let made = PropertyRegistry()
    registry = made
    return made
  }

  /// Properties to be reached by name through their key paths. What superclasses register need not
  /// be repeated.
  open class var registeredProperties: [RegisteredProperty] { [] }

  /// Makes state observable that Keyline does not store: to be called in the getter.
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
  open func access(_ key: String) {
    // An evaluation on another thread is no reason to make a registry here.
    if isTracking(), Transaction.current.isEvaluating { properties.access(key, of: self) }
  }

  /// Announces a change of state read with `access(_:)`, to observers with `.prior`.
  open func willChange(_ key: String) { registry?.willChange(key) }

  /// Reports a change of state read with `access(_:)`: one emission for its observers.
  open func didChange(_ key: String) { registry?.didChange(key) }

  /// The properties by name with their values, observable ones and others; those of superclasses
  /// first. Nothing is evaluated for it: a derived value is the one that was computed last.
  open var customMirror: Mirror {
    // Opened, so that the mirror is that of the object's own class.
    func mirror<Object>(of type: Object.Type) -> Mirror? {
      (self as? Object).map {
        Mirror($0, children: mirroredProperties, ancestorRepresentation: .suppressed)
      }
    }
    return _openExistential(Self.dynamicType(of: self), do: mirror)
      ?? Mirror(self, children: mirroredProperties)
  }

  /// The object's own class. Not inlined: the optimiser would open the static type in its place.
  @inline(never) private static func dynamicType(of object: AnyObject) -> Any.Type {
    Swift.type(of: object)
  }

  // Runs after the subclass's deinit body and before its stored properties are destroyed; weak
  // references to self are nil already, and self must not escape.
  deinit { registry?.end() }
}

extension PropertyObservable {
  /// Emits one element and completes when the object begins to die, on the thread that released it
  /// last.
  ///
  /// - Timing: from the deinit of ``ReactiveObject`` (or of the registry, for other conformers):
  ///   after the deinit bodies of subclasses, before observers of the object's properties complete.
  /// - Lifetime: retains nothing. Weak references to the object are nil by then.
  public var deallocating: Observable<Void> { properties.contents.deallocating.ended }

  /// Emits one element and completes when the object has died and its observers have received
  /// completion.
  ///
  /// - Timing: the last thing ``ReactiveObject``'s deinit does. Swift destroys the stored
  ///   properties of subclasses right after it.
  /// - Lifetime: retains nothing. Weak references to the object are nil by then.
  public var deallocated: Observable<Void> { properties.contents.deallocated.ended }
}
