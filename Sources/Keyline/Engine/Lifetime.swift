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
  let life = ObjectLife()

  /// A lifetime that ends when it is released.
  public init() {}

  /// Emits one element and completes when the owner dies, on the thread that released the owner
  /// last.
  ///
  /// By then, weak references to the owner are nil. A subscription made after the owner's death
  /// receives the element and the completion at once. To subscribe that late, retain this
  /// observable, not the lifetime.
  public var ended: Observable<Void> { life.reached(.dead) }

  deinit {
    let transaction = Transaction.current
    transaction.perform {
      for watch in life.becomeUnreachable(in: transaction) { watch.deliver(in: transaction) }
      life.reach(.dead)
    }
  }
}

/// A class that announces the death of its objects.
public protocol LifetimeProviding: AnyObject {
  /// The lifetime that the object owns.
  var lifetime: Lifetime { get }
}
