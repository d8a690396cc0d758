// Observing: events, observables, observers, disposables, subscription contexts, the scheduler
// protocols, and the machinery that serialises and delivers. Everything else in the module is built
// on this folder, which refers to no subject and no operator.

/// A sequence of values in time: the base of all sequences in Keyline.
///
/// Two abstractions carry the core. An ``Observable`` can *start* feeding an observer
/// (`run(_:in:)`). An ``AnyObserver`` receives the events: a pair of closures, `next` and `terminate`.
/// An operator is a function from the observer downstream to the observer upstream:
///
///     subscribe   ┌────────┐  run   ┌────────┐  run   ┌────────┐
///     ──────────▶ │ filter │ ─────▶ │  map   │ ─────▶ │ source │
///     ◀────────── │        │ ◀───── │        │ ◀───── │        │
///        next     └────────┘  next  └────────┘  next  └────────┘
///
/// A `SubscriptionContext` travels up with the observer. It belongs to one `subscribe` and holds the
/// state that each stage would otherwise store: the disposed flag, the teardown list, and the guard
/// that refuses events after termination.
///
/// ```swift
/// let subscription = Observable.of(1, 2, 3)
///   .map { $0 * 10 }
///   .subscribe(onNext: { print($0) })
/// ```
/// ```text
/// 10
/// 20
/// 30
/// ```
///
/// The laws of the core, tested for every operator under these numbers:
/// - C1: Grammar: `next* (error | completed)?` for every observer, whatever the source emits.
/// - C2: After `dispose()` returns on the thread that delivers, nothing more is delivered; from
///   another thread, at most the callback already running finishes.
/// - C3: No lock is held while foreign code runs.
/// - C4: Delivery is in subscription order.
/// - C5: Concurrent emissions into one subject, relay or multi-source operator are serialised: all
///   observers receive them in the same order.
/// - C6: Re-entrant emission is queued and delivered after the current element, to all observers;
///   what other sources of an operator emit meanwhile reaches the operator first.
/// - C7: Subscribing and disposing during delivery are defined: an observer that is added
///   takes part from the next element on, an observer that is disposed receives nothing more.
/// - C8: Termination and disposal release everything. If subscriptions are disposed together, all
///   have ended before the first is torn down: none receives an element that the disposal of
///   another emits.
/// - C9: An error without a handler reaches `Hooks.defaultErrorHandler`.
///
/// The contract between operators: **a call of `terminate` ends the context it came through,
/// synchronously.** An operator that delays, replaces or swallows a termination gives its upstream
/// a context of its own (`run(in:next:terminate:)`): `context.upstream()` if the output cannot continue
/// without this upstream, so that the death of a subject is forwarded, else `context.child()`.
///
/// - Isolation: an observable is confined to its isolation domain, like any class; `Element` need
///   not be `Sendable`.
/// - SeeAlso: ReactiveX [Observable](https://reactivex.io/documentation/observable.html).
public class Observable<Element>: ObservableType {
  @usableFromInline init() {}

  /// Starts feeding `observer`. Adds every resource that ends with the subscription to `context`.
  /// Abstract: the base implementation emits nothing.
  @usableFromInline package func run(
    _ observer: consuming AnyObserver<Element>, in context: SubscriptionContext
  ) {}

  package var inspectedName: String { "Observable" }
  package var inspection: [String] { [] }

  /// Whether `run(_:in:)` keeps C1 and C2 itself and subscribes to nothing, so that `subscribe` adds
  /// neither a guard nor a trampoline for synchronous sources.
  ///
  /// Such a source checks `isActive` before each element, and passes a termination to `context.finish`.
  var guardsObservers: Bool { false }

  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    subscribe(AnyObserver(observer), onDisposed: nil, at: nil)
  }

  public final func asObservable() -> Observable<Element> { self }

  /// Opens a subscription.
  final func subscribe(
    _ observer: consuming AnyObserver<Element>, onDisposed: (() -> Void)?, at call: CallSite?
  ) -> any Disposable {
    let context = SubscriptionContext(guardsObservers ? .guarded : .ordinary)
    if let call { Instrumentation.report(.called(context, call)) }
    if let onDisposed { context.add(ActionDisposable(onDisposed)) }
    if guardsObservers {
      run(observer, in: context)
    } else {
      let (next, terminate) = (observer.next, observer.terminate)
      let pass = { (element: Element) in if context.isActive { next(element) } }
      let guarded = AnyObserver(next: pass) { error in context.end { terminate(error) } }
      Trampoline.perform { run(guarded, in: context) }
    }
    return context
  }

  /// Feeds the two closures through `context`, which belongs to this upstream alone: it is torn
  /// down by the upstream's termination, before `terminate` is called, or by the operator that made
  /// it.
  @usableFromInline package final func run(
    in context: SubscriptionContext, next: @escaping (Element) -> Void,
    terminate: @escaping ((any Error)?) -> Void
  ) {
    run(AnyObserver(next: next, terminate: context.ending(before: terminate)), in: context)
  }
}

/// `Observable` under a name that does not collide with the standard library's protocol of the same
/// name: for files that import both Keyline and Observation.
public typealias KeylineObservable = Observable

/// An observable defined by a closure, and named after the function that makes it: sources, and
/// operators with state.
public class _Source<Element>: Observable<Element> {
  final let name: StaticString
  private let start: (__owned AnyObserver<Element>, SubscriptionContext) -> Void

  @usableFromInline package init(
    _ name: StaticString = #function,
    _ start: @escaping (__owned AnyObserver<Element>, SubscriptionContext) -> Void
  ) {
    self.name = name
    self.start = start
  }

  /// The source that `subscribe` feeds, possibly from several threads, until it disposes the result.
  convenience init(
    _ name: StaticString = #function,
    serializing subscribe: @escaping (AnyObserver<Element>) -> any Disposable
  ) {
    self.init(name) { observer, context in
      let input = SerializedObserver(observer, context)
      context.add(input)
      context.add(subscribe(AnyObserver(next: input.next, terminate: input.terminate)))
    }
  }

  override package final func run(
    _ observer: consuming AnyObserver<Element>, in context: SubscriptionContext
  ) {
    Instrumentation.report(.passed(ObjectIdentifier(context), name))
    start(observer, context)
  }
}

// How to write an operator, the simplest way first:
//
// - in terms of others: `map(…).switchLatest()`;
// - `accumulate`, when it emits at most one element for each, by a state of its own;
// - `lift`, when it is a function on observers; with `withNext` inside, when it handles elements
//   only;
// - `stage`, when a subscription has resources, or an upstream that may end before it does;
// - `serializedStage`, when there are several upstreams, or a timer: `upstreams.subscribe(to:…)`,
//   `RestartableTimer`.
//
// An operator stands in the file of its ReactiveX category, together with its public forms. In graphs
// and traces it has the name of the function that calls `lift`, `stage` or `serializedStage`. A body
// that several operators share takes the name as a parameter and passes it on.

extension ObservableType {
  /// The observable whose observers are turned into observers of this one by `transform`, called
  /// once per subscription.
  @inlinable package func lift<Result>(
    _ name: StaticString = #function,
    _ transform: @escaping (__owned AnyObserver<Result>) -> AnyObserver<Element>
  ) -> Observable<Result> {
    let upstream = asObservable()
    return _Source(name) { upstream.run(transform($0), in: $1) }
  }

  /// The results of `transform` that are not nil.
  ///
  /// - Parameters:
  ///   - initial: the state of a new subscription, which `transform` receives with each element and may
  ///     change.
  ///   - transform: an error thrown by it ends the output.
  @inlinable func accumulate<State, Result>(
    _ name: StaticString = #function, from initial: State,
    _ transform: @escaping (inout State, Element) throws -> Result?
  ) -> Observable<Result> {
    lift(name) { downstream in
      var state = initial
      return downstream.withNext { element in
        downstream.attempt {
          if let result = try transform(&state, element) { downstream.next(result) }
        }
      }
    }
  }

  /// An operator with state or resources of its own: `start` is called once per subscription,
  /// with the source, the observer and the context.
  @inlinable func stage<Result>(
    _ name: StaticString = #function,
    _ start:
      @escaping (Observable<Element>, __owned AnyObserver<Result>, SubscriptionContext) ->
      Void
  ) -> Observable<Result> {
    let source = asObservable()
    return _Source(name) { start(source, $0, $1) }
  }

  /// This observable under the name of the calling function, for a source that is made of operators.
  package func named(_ name: StaticString = #function) -> Observable<Element> {
    stage(name) { source, observer, context in
      context.seal()
      source.run(observer, in: context)
    }
  }

  /// An operator with several upstreams, or a timer: `start` is called once per subscription, with
  /// the source, the observer and the serializer of the upstreams. Synchronous upstreams take
  /// turns.
  func serializedStage<Result>(
    _ name: StaticString = #function,
    _ start: @escaping (Observable<Element>, AnyObserver<Result>, UpstreamSerializer) -> Void
  ) -> Observable<Result> {
    stage(name) { source, observer, context in
      Trampoline.perform { start(source, observer, UpstreamSerializer(context)) }
    }
  }
}
