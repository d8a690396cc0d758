import Observation

/// The object that the rows read, write and append to.
@Observable
final class TrackedSample {
  var value = 0
  var name = longName
  var list: [Int] = []
}

/// Two properties and one computed from them.
@Observable
final class TrackedPair {
  var first = 0
  var second = 0
  var sum: Int { first &+ second }
}

/// The object that the rows create.
@Observable
final class TrackedTen {
  var count = 0
  var total = 0
  var index = 0
  var ratio = 0.0
  var isOn = false
  var title = ""
  var detail = ""
  var note: String?
  var tags: [String] = []
  var parent: TrackedTen?
}

/// The hops of a chain.
@Observable
final class TrackedRoot {
  var middle: TrackedMiddle? = TrackedMiddle()
}

@Observable
final class TrackedMiddle {
  var leaf: TrackedLeaf? = TrackedLeaf()
}

@Observable
final class TrackedLeaf {
  var value = 0
}

/// Reads under observation. The callback runs for the next change only: to observe every change,
/// this function is called again after each.
func track(_ read: () -> Int) {
  consume(withObservationTracking(read, onChange: { consume(1) }))
}
