import Keyline

// The models of the trace tests.

final class Bill: ReactiveObject {
  @Observed var net = 100
  @Observed var rate = 20
  @Derived({ (self: Bill) in self.net * self.rate / 100 }) var tax: Int
  @Derived({ (self: Bill) in self.net + self.tax }) var total: Int
  @Derived({ (self: Bill) in self.tax > 50 ? "dear" : "cheap" }) var verdict: String
  var label: String { "\(net) + \(rate) %" }
}

final class Purse: ReactiveObject {
  @Observed var balance = 10
  @Observed var limit = 100
}

final class Memo: ReactiveObject {
  @Observed var text = ""
}

final class Worker: ReactiveObject {
  @Observed var name: String
  @Observed var desk: Desk?
  @WeakObserved var chief: Worker?

  init(_ name: String) { self.name = name }
}

final class Desk: ReactiveObject {
  @Observed var room = 1
}

struct Overdrawn: Error {}
