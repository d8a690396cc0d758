import Foundation
import Keyline

extension NSObject: ReactiveCompatible {}

#if !canImport(Darwin)
  // Elsewhere it is a class of its own.
  extension NotificationCenter: ReactiveCompatible {}
#endif

extension Reactive where Base: NotificationCenter {
  /// The notifications called `name` that `object` posts.
  ///
  /// - Timing: synchronous, on the thread that posts; those of several threads one after the other.
  /// - Lifetime: the center observes for as long as the subscription lasts. `object` is not retained.
  ///   Never ends by itself. Unlike RxCocoa's, it says nothing once `object` has died.
  /// - Parameters:
  ///   - name: nil for notifications of every name.
  ///   - object: nil for notifications of every object.
  public func notification(
    _ name: Notification.Name?, object: AnyObject? = nil
  ) -> Observable<Notification> {
    let (center, isOfOne) = (base, object != nil)
    return Observable.create { [weak object] observer in
      // The name of an object that has died would stand for all of them.
      if isOfOne, object == nil { return Disposables.create() }
      // Proof: a subject takes elements from any thread, and puts them in one order.
      nonisolated(unsafe) let posted = PublishSubject<Notification>()
      let subscription = posted.subscribe(observer)
      // Proof: the token is there to be handed back, once.
      nonisolated(unsafe) let token = center.addObserver(
        forName: name, object: object, queue: nil, using: { posted.onNext($0) })
      return Disposables.create {
        center.removeObserver(token)
        subscription.dispose()
      }
    }
  }
}
