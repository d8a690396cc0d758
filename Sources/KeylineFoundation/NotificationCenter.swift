import Foundation
import Keyline

extension NSObject: ReactiveCompatible {}

#if !canImport(Darwin) && compiler(>=6.3)
  // It does not inherit from NSObject any more.
  extension NotificationCenter: ReactiveCompatible {}
#endif

extension Reactive where Base: NotificationCenter {
  /// The notifications called `name` that `object` posts.
  ///
  /// - Timing: synchronous, on the thread that posts; notifications of several threads are serialised.
  /// - Lifetime: the center observes for as long as the subscription lasts. `object` is not
  ///   retained. Never completes. Unlike RxCocoa's, it emits nothing after the death of `object`.
  /// - Parameters:
  ///   - name: nil for notifications of every name.
  ///   - object: nil for notifications of every object.
  public func notification(
    _ name: Notification.Name?, object: AnyObject? = nil
  ) -> Observable<Notification> {
    let isOfOneObject = object != nil
    return Observable.create { [base, weak object] observer in
      // Observing nil, in place of an object that has died, would mean all objects; and a new object may
      // have its address. Proof: a weak reference may be read on any thread.
      nonisolated(unsafe) let isWanted = { [weak object] in !isOfOneObject || object != nil }
      guard isWanted() else { return Disposables.create() }
      // Proof: a subject accepts elements from any thread, and serialises them.
      nonisolated(unsafe) let posted = PublishSubject<Notification>()
      _ = posted.subscribe(observer)
      // Proof: the token is only passed back, once.
      nonisolated(unsafe) let token = base.addObserver(
        forName: name, object: object, queue: nil, using: { if isWanted() { posted.onNext($0) } })
      return Disposables.create { base.removeObserver(token) }
    }
  }
}
