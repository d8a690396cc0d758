import Observation

/// What is read, written and appended to.
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

/// What is created.
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

/// Reads under observation. It tells of the next change only, so whoever wants to hear of every
/// change calls this again after each.
func track(_ read: () -> Int) {
  consume(withObservationTracking(read, onChange: { consume(1) }))
}
