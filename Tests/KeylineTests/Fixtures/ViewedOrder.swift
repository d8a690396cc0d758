import Keyline

/// An element of live views, which may follow its total and its friend.
final class ViewedOrder: ReactiveObject {
  @Observed var total: Int
  @WeakObserved var friend: ViewedOrder?
  init(_ total: Int) {
    self.total = total
    super.init()
  }
}
