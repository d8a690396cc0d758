import Keyline
import TestSupport
import Testing

private protocol Named: AnyObject {
  var name: String { get }
}

private class Pal: ReactiveObject, Hashable, Named {
  @Observed var name = "Ada"

  static func == (left: Pal, right: Pal) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A class that cannot be observed.
private final class Plain: Hashable {
  static func == (left: Plain, right: Plain) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Optional where Wrapped == Pal? {
  fileprivate var flattened: Pal? { self ?? nil }
}

extension Optional where Wrapped == (any Named)? {
  fileprivate var title: String { self.flatMap { $0?.name } ?? "nobody" }
}

/// An optional of an optional object: nil at any level leads nowhere, and the levels stay distinct
/// where the value itself is read.
@Suite struct NestedOptionalTests {
  private final class Row: ReactiveObject {
    @Observed var friend: Pal?? = .some(nil)
    @Observed var third: Pal??? = .some(.some(nil))
    @Observed var named: (any Named)?? = .some(nil)
    @Observed var plain: Plain?? = .some(nil)
    @Observed var title = ""
    @WeakObserved var pal: Pal?
    @Derived({ (self: Row) in self.friend }) var derived: Pal??
    @Derived({ (self: Row) in self.named }) var derivedName: (any Named)??
  }

  private let row = Row()
  private let pal = Pal()

  @Test("A member of an optional of an optional object is nil while there is no object")
  func aMemberOfAnOptionalOfAnOptionalObjectIsNilWhileThereIsNoObject() {
    let (hashes, thirds, plains) = (Log<Int?>(), Log<Int?>(), Log<Int?>())
    let (names, derived, derivedNames) = (Log<String?>(), Log<Int?>(), Log<String?>())
    hashes.follow(row.observeWeakly { $0.friend.hashValue })
    thirds.follow(row.observeWeakly { $0.third.hashValue })
    plains.follow(row.observeWeakly { $0.plain.hashValue })
    names.follow(row.observeWeakly { $0.named.title })
    derived.follow(row.observeWeakly { $0.derived.hashValue })
    derivedNames.follow(row.observeWeakly { $0.derivedName.title })
    let plain = Plain()
    for isOuter in [false, true] {
      (row.friend, row.third, row.plain, row.named) = (pal, pal, plain, pal)
      if isOuter {
        (row.friend, row.third, row.plain, row.named) = (nil, nil, nil, nil)
      } else {
        row.friend = .some(nil)
        row.third = .some(nil)
        row.plain = .some(nil)
        row.named = .some(nil)
      }
    }
    let hash = Optional(Optional(pal)).hashValue
    hashes.expect([nil, hash, nil, hash, nil])
    derived.expect([nil, hash, nil, hash, nil])
    let third = Optional(Optional(Optional(pal))).hashValue
    thirds.expect([nil, third, nil, third, nil])
    let plainHash = Optional(Optional(plain)).hashValue
    plains.expect([nil, plainHash, nil, plainHash, nil])
    names.expect([nil, "Ada", nil, "Ada", nil])
    derivedNames.expect([nil, "Ada", nil, "Ada", nil])
  }

  @Test("A chain leads through an optional of an optional object, also by name")
  func aChainLeadsThroughAnOptionalOfAnOptionalObjectAlsoByName() throws {
    Reports.collect()
    let (names, named) = (Log<String?>(), Log<String?>())
    names.follow(row.observeWeakly { $0.friend.flattened.name })
    named.follow(try row.observeWeakly(String.self, "friend.name"))
    #expect(try row.value(forKeyPath: "friend.name") == nil)
    #expect(throws: PropertyError.self) {
      try row.value(forKeyPath: "friend.name", as: String.self)
    }
    row.friend = pal
    pal.name = "Bob"
    #expect(try row.value(forKeyPath: "friend.name") as? String == "Bob")
    row.friend = .some(nil)
    pal.name = "Eve"
    row.friend = nil
    row.friend = pal
    names.expect([nil, "Ada", "Bob", nil, "Eve"])
    named.expect([nil, "Ada", "Bob", nil, "Eve"])
    #expect(Reports.about("\(Optional<Pal>.self)").isEmpty)
  }

  @Test("The levels of an optional of an optional object stay distinct")
  func theLevelsOfAnOptionalOfAnOptionalObjectStayDistinct() throws {
    func level(_ value: Pal??) -> Int { value.map { $0 == nil ? 1 : 2 } ?? 0 }
    let (values, derived, changes, sets) = (Log<Int>(), Log<Int>(), Log<[Int]>(), Log<ChangeSet>())
    values.follow(row.observe(\.friend).map(level))
    derived.follow(row.observe(\.derived).map(level))
    changes.follow(
      row.observeChanges(\.derived).map { change in [change.old, change.new].map { level($0!) } })
    sets.follow(row.observeChangeSets())
    row.friend = pal
    row.friend = nil
    row.friend = .some(nil)
    values.expect([1, 2, 0, 1])
    derived.expect([1, 2, 0, 1])
    changes.expect([[1, 2], [2, 0], [0, 1]])
    // D31: another nil is another value.
    batchUpdates {
      row.friend = pal
      row.friend = nil
    }
    batchUpdates {
      row.friend = pal
      row.friend = .some(nil)
      row.friend = nil
    }
    #expect(values.take() == [0] && derived.take() == [0])
    try row.setValue(pal, forKey: "friend")
    #expect(level(row.friend) == 2 && level(row.derived) == 2)
    #expect(try level(row.value(forKey: "friend", as: Pal??.self)) == 2)
  }

  @Test("An end of a binding leads through an optional of an optional object")
  func anEndOfABindingLeadsThroughAnOptionalOfAnOptionalObject() {
    let target = Row()
    row.bind({ $0.friend.flattened.name }, to: target, \.title, whenBroken: .value("nobody"))
    row.bind(\.title, to: target, { $0.friend.flattened.name })
    #expect(target.title == "nobody")
    row.friend = pal
    #expect(target.title == "Ada")
    target.friend = Pal()
    row.title = "Bob"
    #expect(target.friend.flattened?.name == "Bob")
    row.friend = nil
    target.friend = nil
    #expect(target.title == "nobody")
    row.friend = pal
    row.friend = .some(nil)
    target.friend = .some(nil)
    row.title = "Eve"
    #expect(target.title == "nobody")
  }

  @Test("A weak hop leads to an object whose property is an optional of an optional")
  func aWeakHopLeadsToAnObjectWhosePropertyIsAnOptionalOfAnOptional() {
    final class Holder: Pal {
      @Observed var friend: Pal??
    }
    let root = Row()
    let hashes = Log<Int?>()
    var holder: Holder? = Holder()
    root.pal = holder
    hashes.follow(holder!.observeWeakly { $0.friend.hashValue })
    holder?.friend = pal
    holder?.friend = .some(nil)
    holder = nil
    #expect(root.pal == nil)
    #expect(hashes.take() == [nil, Optional(Optional(pal)).hashValue, nil] && hashes.isCompleted)
  }
}
