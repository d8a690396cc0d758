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
///   @Observed var title = ""
/// }
/// ```
///
/// - Note: this is a separate wrapper, because the compiler looks for one accessor in each wrapper.
///   The accessor of ``Observed`` therefore costs other classes nothing for this feature.
/// - Note: the property is reached by name only if it is registered (``RegisteredProperty``).
/// - Timing: Observation is notified before the store, as usual there; all other observers are
///   notified as with ``Observed``.
/// - Complexity: every access makes one key path, as with `@Observable`.
@propertyWrapper public struct ObservationBridged<Value> {
  @usableFromInline var property: Observed<Value>

  /// A property with an initial value.
  @inlinable public init(wrappedValue: Value) { property = Observed(wrappedValue: wrappedValue) }

  @available(*, unavailable, message: "@ObservationBridged needs PropertyObservable and Observable")
  public var wrappedValue: Value {
    get { property.value }
    set { property.value = newValue }
  }

  @inlinable
  public static subscript<Owner: PropertyObservable & Observation.Observable>(
    _enclosingInstance owner: Owner, wrapped property: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    get {
      if !isUntrackedInRule() { owner.properties.registrar.access(owner, keyPath: property) }
      if isTracking() {
        trackRead(of: owner, stableAddress(of: &owner[keyPath: storage].property)) { property }
      }
      return owner[keyPath: storage].property.value
    }
    _modify {
      let registrar = owner.properties.registrar
      registrar.willSet(owner, keyPath: property)
      defer { registrar.didSet(owner, keyPath: property) }
      let mutation = Mutation(of: owner, stableAddress(of: &owner[keyPath: storage].property))
      defer { mutation?.end() }
      yield &owner[keyPath: storage].property.value
    }
  }
}

extension ObservationBridged: OuterStorage {
  static var inner: Any.Type { Observed<Value>.self }
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
