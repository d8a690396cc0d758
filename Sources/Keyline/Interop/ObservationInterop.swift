import Observation
import Synchronization

// Interop: the standard library's Observation, in both directions. Its protocol is
// `Observation.Observable`; in this module, `Observable` is Keyline's class.

/// ``Observed`` for classes that also conform to `Observation.Observable`: it also notifies
/// `withObservationTracking` and `Observations`, and through them SwiftUI.
///
/// ```swift
/// final class Note: ReactiveObject, Observation.Observable {
///   typealias Observed = ObservationBridged
///   typealias WeakObserved = WeakObservationBridged
///   @Observed var title = ""
///   @WeakObserved var parent: Note?
/// }
/// ```
///
/// - Note: this is a separate wrapper, because the compiler looks for one accessor in each wrapper.
///   The accessor of ``Observed`` therefore costs other classes nothing for this feature.
/// - Timing: Observation is notified like any observer of the property, after a set, or at the end of
///   the batch. The edits of an observable collection in the property count as changes of it. Reads by
///   name are not registered.
/// - Complexity: the first read subscribes to the property, unless an observer or a rule makes that read.
@propertyWrapper public struct ObservationBridged<Value>: Bridged {
  @usableFromInline var value: Value
  @usableFromInline var node: PropertyNode<Value>?
  @usableFromInline var reads: DerivedSupplement?

  /// A property with an initial value.
  @inlinable public init(wrappedValue: Value) { value = wrappedValue }

  @available(*, unavailable, message: "this wrapper needs PropertyObservable and Observable")
  public var wrappedValue: Value {
    get { value }
    set { value = newValue }
  }

  @available(*, unavailable, message: "this wrapper needs PropertyObservable and Observable")
  public var projectedValue: PropertySequence<Value> { fatalError("unavailable") }

  @inlinable
  public static subscript<Owner: PropertyObservable & Observation.Observable>(
    _enclosingInstance owner: Owner, wrapped property: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    get { read(of: owner, property, storage) }
    set { write(newValue, to: owner, stableAddress(of: &owner[keyPath: storage])) }
    _modify {
      let mutation = Mutation(of: owner, stableAddress(of: &owner[keyPath: storage]))
      defer { mutation?.end() }
      yield &owner[keyPath: storage].value
    }
  }

  /// `$name`: the current value, and the value after every set.
  public static subscript<Owner: PropertyObservable>(
    _enclosingInstance owner: Owner, projected property: KeyPath<Owner, PropertySequence<Value>>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> PropertySequence<Value> { sequence(of: owner, storage) }
}

/// ``WeakObserved`` for classes that also conform to `Observation.Observable`, which is notified of each
/// set, and of the death of the referenced object.
///
/// - SeeAlso: ``ObservationBridged``.
@propertyWrapper public struct WeakObservationBridged<Object: AnyObject>: Bridged, WeakStorage {
  @usableFromInline weak var value: Object?
  @usableFromInline var node: PropertyNode<Object?>?
  @usableFromInline var reads: DerivedSupplement?

  /// A property that weakly refers to `wrappedValue`.
  @inlinable public init(wrappedValue: Object? = nil) { value = wrappedValue }

  @available(*, unavailable, message: "this wrapper needs PropertyObservable and Observable")
  public var wrappedValue: Object? {
    get { value }
    set { value = newValue }
  }

  @available(*, unavailable, message: "this wrapper needs PropertyObservable and Observable")
  public var projectedValue: PropertySequence<Object?> { fatalError("unavailable") }

  @inlinable
  public static subscript<Owner: PropertyObservable & Observation.Observable>(
    _enclosingInstance owner: Owner, wrapped property: ReferenceWritableKeyPath<Owner, Object?>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Object? {
    get { read(of: owner, property, storage) }
    set { write(newValue, to: owner, stableAddress(of: &owner[keyPath: storage])) }
  }

  /// `$name`: the current value, and the value after every set.
  public static subscript<Owner: PropertyObservable>(
    _enclosingInstance owner: Owner, projected property: KeyPath<Owner, PropertySequence<Object?>>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> PropertySequence<Object?> { sequence(of: owner, storage) }
}

/// The storage of a property whose reads are registered with Observation.
@usableFromInline protocol Bridged: PropertyStorage {
  /// Nil before the first read.
  var reads: DerivedSupplement? { get set }
}

extension Bridged {
  /// The value. A read is registered with Observation, unless an evaluation makes it.
  @inlinable static func read<Owner: PropertyObservable>(
    of owner: Owner, _ property: KeyPath<Owner, Value>,
    _ storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    let place = stableAddress(of: &owner[keyPath: storage])
    if !isInEvaluation() { (place.pointee.reads ?? follow(owner, storage)).access() }
    if isTracking() { trackRead(of: owner, place) { property } }
    return place.pointee.value
  }

  /// From now on, notifies Observation of changes of the property, and of the contents of a collection.
  @usableFromInline static func follow<Owner: PropertyObservable>(
    _ owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> DerivedSupplement {
    let reads = DerivedSupplement()
    owner[keyPath: storage].reads = reads
    guard Value.self is any ObservedCollection.Type else {
      _ = sequence(of: owner, storage).subscribe(onNext: { _ in reads.notify() })
      return reads
    }
    func track(_ collection: some ObservedCollection) { collection.edited?.track() }
    let contents = PropertyPath<Void>(read: { root in
      // Proof of the cast: the path is used with this object only.
      let owner = cast(root, to: Owner.self)
      let value = read(owner, at: stableAddress(of: &owner[keyPath: storage]))
      if let collection = value as? any ObservedCollection { track(collection) }
    })
    _ = owner.observation(of: contents, .new).subscribe(onNext: reads.notify)
    return reads
  }
}

extension Observable {
  /// Emits the value of `expression`, at first and whenever a property that it reads changes. The
  /// properties may belong to `@Observable` classes, to Keyline's classes, or to both.
  ///
  /// ```swift
  /// let text = Keyline.Observable.tracking { "\(account.name): \(cart.items.count)" }
  /// ```
  ///
  /// - Timing: a change of a Keyline property is emitted synchronously after the store. Observation
  ///   announces changes only before the store: such a change is emitted when the actor has
  ///   finished the job that made it, together with the other changes of that job.
  /// - Errors: outside an actor, the end of the job cannot be determined. A change that Observation
  ///   announces there is reported as `misuse`, and emitted together with the next Keyline change.
  /// - Lifetime: retains `expression` while subscribed to; never completes.
  /// - Complexity: one evaluation per emission.
  /// - Parameters:
  ///   - isolation: the actor that the expression and the subscription are confined to; by default
  ///     the calling one.
  ///   - expression: evaluated for each subscription, and again for each emission.
  public static func tracking(
    isolation: (any Actor)? = #isolation, _ expression: @escaping () -> Element
  ) -> Observable<Element> {
    _Source { observer, context in
      let tracked = TrackedExpression(expression, isolation)
      context.add(Disposables.create { _ = tracked.forget() })
      tracked.observe(\.value).run(observer, in: context)
    }
  }
}

/// The expression as a computed property, which Keyline can observe.
private final class TrackedExpression<Value>: ReactiveObject, @unchecked Sendable {
  // Proof of @unchecked: used on its isolation domain; `forget` and `willChange`, which may come
  // from elsewhere, use the atomic, the registrar and constants only.
  private let expression: () -> Value
  private weak var isolation: (any Actor)?
  private let reads = DerivedSupplement()
  /// Incremented by each evaluation, and by the end.
  private let generation = Atomic<Int>(0)

  init(_ expression: @escaping () -> Value, _ isolation: (any Actor)?) {
    self.expression = expression
    self.isolation = isolation
  }

  var value: Value {
    let current = forget()
    return withObservationTracking {
      reads.access()
      access("expression")
      return expression()
    } onChange: { [weak self] in
      self?.willChange(since: current)
    }
  }

  /// Ends the tracking by Observation. Observation has no call for this, but stops tracking at the
  /// first change of a tracked property. The expression tracks itself, and announces a change of
  /// itself here.
  func forget() -> Int {
    defer { reads.notify() }
    return generation.add(1, ordering: .sequentiallyConsistent).newValue
  }

  private func willChange(since evaluation: Int) {
    guard evaluation == generation.load(ordering: .sequentiallyConsistent) else { return }
    guard let isolation else {
      return Diagnostics.report(
        .misuse, "tracking needs an actor to follow objects of Observation", type: "\(Value.self)")
    }
    // Waiting for the actor must not retain an expression that has been disposed in the meantime.
    Task { [weak self] in
      await Self.run({ [weak self] in self?.didChange("expression") }, on: isolation)
    }
  }

  private static func run(_ work: @Sendable () -> Void, on _: isolated any Actor) async { work() }
}
