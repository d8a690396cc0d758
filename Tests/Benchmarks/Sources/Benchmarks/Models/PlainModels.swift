/// What is read, written and appended to.
final class PlainSample {
  var value = 0
  var name = longName
  var list: [Int] = []
}

/// What is created.
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

/// A string that does not fit into its own two words.
let longName = "a name of more than fifteen bytes"
