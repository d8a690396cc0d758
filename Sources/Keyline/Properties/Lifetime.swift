/// The death of an object as an observable. The object owns the lifetime, which ends when the
/// object dies.
///
/// A class with a lifetime lets weak hops of a chain notice when one of its objects dies:
///
/// ```swift
/// final class Document: LifetimeProviding {
///   let lifetime = Lifetime()
/// }
/// var document: Document? = Document()
/// _ = document?.lifetime.ended.subscribe(onCompleted: { print("closed") })
/// document = nil
/// ```
/// ```text
/// closed
/// ```
///
/// - Lifetime: only the owner should retain the lifetime; the observable `ended` does not retain
///   it.
/// - SeeAlso: ReactiveSwift's `Lifetime`.
public final class Lifetime {
  private let broadcaster = Broadcaster<Void>()
  /// The watches of the weak properties that refer to the owner. Used on any thread.
  private let watches = Protected<WatchList>(WatchList())

  private struct WatchList {
    var watches: [ReferentWatch] = []
    /// How many watches were active at the last count; at least 4.
    var count = 4
  }

  /// A lifetime that ends when it is released.
  public init() {}

  /// Emits one element and completes when the owner dies, on the thread that released the owner
  /// last.
  ///
  /// By then, weak references to the owner are nil. A subscription made after the owner's death
  /// receives the element and the completion at once. To subscribe that late, retain this
  /// observable, not the lifetime.
  public var ended: Observable<Void> {
    let end = broadcaster
    return Observable.create { observer in
      let context = SubscriptionContext()
      let terminate = { (_: (any Error)?) in
        observer.onNext(())
        observer.onCompleted()
      }
      end.subscribe(AnyObserver(next: { _ in }, terminate: terminate), in: context)
      return context
    }
    .named()
  }

  /// Calls `action` at the end of the lifetime, unless `context` has ended before.
  func whenEnded(in context: SubscriptionContext, _ action: @escaping () -> Void) {
    broadcaster.subscribe(AnyObserver(next: { _ in }, terminate: { _ in action() }), in: context)
  }

  /// The subscriptions that wait for the end of the lifetime, for inspection.
  var contexts: [SubscriptionContext] { broadcaster.contexts }

  func add(_ watch: ReferentWatch) {
    let released = watches.withLock { list in
      list.watches.append(watch)
      guard list.watches.count > 2 * list.count else { return [] as [ReferentWatch] }
      let cancelled = list.watches.filter(\.isCancelled)
      list.watches.removeAll(where: \.isCancelled)
      list.count = max(4, list.watches.count)
      return cancelled
    }
    withExtendedLifetime(released) {}
  }

  /// Marks the computed nodes that depend on weak properties that refer to the owner.
  ///
  /// - Returns: the watches whose properties change in this transaction.
  func takeWatches(in transaction: Transaction) -> [ReferentWatch] {
    watches.exchange(WatchList()).watches.filter { $0.referentIsDying(in: transaction) }
  }

  /// Ends the lifetime before its owner releases it. Later calls do nothing.
  func end() {
    let transaction = Transaction.current
    transaction.perform {
      for watch in takeWatches(in: transaction) { watch.deliver(in: transaction) }
      broadcaster.terminate(nil)
    }
  }

  deinit { end() }
}

/// A class that announces the death of its objects.
public protocol LifetimeProviding: AnyObject {
  /// The lifetime that the object owns.
  var lifetime: Lifetime { get }
}
