/// The object that the rows read, write and append to.
final class PlainSample {
  var value = 0
  var name = longName
  var list: [Int] = []
}

/// The object that the rows create.
final class PlainTen {
  var count = 0
  var total = 0
  var index = 0
  var ratio = 0.0
  var isOn = false
  var title = ""
  var detail = ""
  var note: String?
  var tags: [String] = []
  var parent: PlainTen?
}

/// A property that tells closures when it is set: what people write without a library.
final class PlainSource {
  var value = 0 {
    didSet { for observer in observers { observer(value) } }
  }
  var observers: [(Int) -> Void] = []
}

/// Two properties and one computed from them, which is passed to closures when either is set.
final class PlainPair {
  var first = 0 { didSet { notify() } }
  var second = 0 { didSet { notify() } }
  var sum: Int { first &+ second }
  var observers: [(Int) -> Void] = []

  private func notify() { for observer in observers { observer(sum) } }
}

/// A string that does not fit into its own two words.
let longName = "a name of more than fifteen bytes"
