import Keyline

/// The object that the rows read, write and append to.
final class Sample: ReactiveObject {
  @Observed var value = 0
  @Observed var name = longName
  @Observed var list: [Int] = []
}

/// Two properties and one computed from them.
final class Pair: ReactiveObject {
  @Observed var first = 0
  @Observed var second = 0
  var sum: Int { first &+ second }
}

/// A computed property that counts how often it is evaluated.
final class Counted<Value>: ReactiveObject {
  @Observed private var stored: Value
  private(set) var evaluations = 0

  init(_ value: Value) { _stored = Observed(wrappedValue: value) }

  var value: Value {
    get {
      evaluations += 1
      return stored
    }
    set { stored = newValue }
  }
}

/// The object that the rows create.
final class Ten: ReactiveObject {
  @Observed var count = 0
  @Observed var total = 0
  @Observed var index = 0
  @Observed var ratio = 0.0
  @Observed var isOn = false
  @Observed var title = ""
  @Observed var detail = ""
  @Observed var note: String?
  @Observed var tags: [String] = []
  @Observed var parent: Ten?
}

/// The hops of a chain.
final class Root: ReactiveObject {
  @Observed var middle: Middle? = Middle()

  /// `middle?.leaf?.value`, now and whenever one of the three changes.
  func observeChain() -> any Disposable {
    observeWeakly { $0.middle.leaf.value }.subscribe(onNext: { consume($0 ?? 0) })
  }
}

final class Middle: ReactiveObject {
  @Observed var leaf: Leaf? = Leaf()
}

final class Leaf: ReactiveObject {
  @Observed var value = 0
}

/// One hop of a chain of any length.
final class Link: ReactiveObject {
  @Observed var next: Link?
  @Observed var value = 0
}

/// Two properties and one derived from them.
final class DerivedPair: ReactiveObject {
  @Observed var first = 0
  @Observed var second = 0
  @Derived({ (self: DerivedPair) in self.first &+ self.second }) var sum: Int
}
