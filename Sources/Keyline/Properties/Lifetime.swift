import KeylineCore

/// An object's death as an observable: owned by the object, it ends when the object dies.
///
/// Give any class a lifetime, and weak hops of a chain notice when one of its objects dies:
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
/// - Lifetime: only the owner should retain it; the observable `ended` does not.
/// - SeeAlso: ReactiveSwift's `Lifetime`.
public final class Lifetime {
  private let broadcaster = EngineBroadcaster<Void>()

  /// A lifetime that ends when it is released.
  public init() {}

  /// Emits one element and completes when the owner dies, on the thread that released it last.
  ///
  /// Weak references to the owner are nil by then. Subscribing after its death does the same at
  /// once: retain the observable, not the lifetime.
  public var ended: Observable<Void> {
    Source { [broadcaster] observer, context in
      Lifetime.whenEnded(broadcaster, in: EngineContext(of: context)) { _ in
        observer.next(())
        observer.terminate(nil)
      }
    }
  }

  /// Calls `terminate` with nil at the end, unless `context` has ended before.
  func whenEnded(in context: EngineContext, _ terminate: @escaping ((any Error)?) -> Void) {
    Lifetime.whenEnded(broadcaster, in: context, terminate)
  }

  /// Calls `body` with each subscription that the end concerns, unless another thread is subscribing.
  func forEachDependent(_ body: (EngineContext) -> Void) {
    guard broadcaster.serializer.enter() else { return }
    broadcaster.forEachMember { body($0.subscription) }
    broadcaster.leave()
  }

  /// The subscriptions that the end concerns, for inspection.
  var dependents: [EngineContext] { broadcaster.contexts }

  private static func whenEnded(
    _ broadcaster: EngineBroadcaster<Void>, in context: EngineContext,
    _ terminate: @escaping ((any Error)?) -> Void
  ) {
    // Made here, where its type is known: the broadcaster would have to look up its metadata.
    let observer = AnyObserver<Void>(next: { _ in }, terminate: terminate)
    context.withMember(of: .passUnretained(broadcaster), observer) {
      broadcaster.subscribe($0, after: {})
    }
  }

  /// Ends the lifetime before its owner releases it. A second call does nothing.
  func end() { broadcaster.terminate(nil) }

  deinit { end() }
}

/// A class that announces the death of its objects.
public protocol LifetimeProviding: AnyObject {
  /// The lifetime the object owns.
  var lifetime: Lifetime { get }
}
