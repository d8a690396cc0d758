import Keyline
import TestSupport
import Testing

/// Values by name of existential types, and rules on properties that are mutated in place
///.
@Suite struct SettlingValueTests {
  protocol Titled: PropertyObservable { var title: String { get } }
  final class Page: ReactiveObject, Titled { @Observed var title = "page" }

  final class Drawer: ReactiveObject {
    @Observed var object: AnyObject = Page()
    @Observed var maybeObject: AnyObject?
    @Observed var titled: any Titled = Page()
    @Observed var maybeTitled: (any Titled)?
    @Observed var page: Page? = Page()
    @Observed var anything: Any = 1
    @Observed var maybeAnything: Any?
  }

  @Test("Nil is no object", arguments: ["object", "titled"])
  func nilIsNoObject(key: String) {
    let drawer = Drawer()
    let (object, titled) = (drawer.object, drawer.titled)
    let changes = Log<Void>()
    changes.follow(drawer.observe(\.object, options: .new).map { _ in })
    changes.follow(drawer.observe(\.titled, options: .new).map { _ in })
    do {
      #expect { try drawer.setValue(nil, forKey: key) } throws: { Self.isMismatch($0, of: key) }
      #expect(drawer.object === object && drawer.titled === titled)
      #expect(changes.elements.isEmpty)
    }
  }

  @Test(
    "A number is no object", arguments: ["object", "maybeObject", "titled", "maybeTitled", "page"],
    [false, true])
  func aNumberIsNoObject(key: String, isObserved: Bool) {
    let drawer = Drawer()
    let (object, titled, page) = (drawer.object, drawer.titled, drawer.page)
    let changes = Log<Void>()
    if isObserved {
      changes.follow(drawer.observe(\.object, options: .new).map { _ in })
      changes.follow(drawer.observe(\.maybeObject, options: .new).map { _ in })
      changes.follow(drawer.observe(\.titled, options: .new).map { _ in })
      changes.follow(drawer.observe(\.maybeTitled, options: .new).map { _ in })
    }
    do {
      #expect { try drawer.setValue(4, forKey: key) } throws: { Self.isMismatch($0, of: key) }
      #expect { try drawer.setValue("text", forKey: key) } throws: { Self.isMismatch($0, of: key) }
      #expect(drawer.object === object && drawer.titled === titled && drawer.page === page)
      #expect(drawer.maybeObject == nil && drawer.maybeTitled == nil)
      #expect(changes.elements.isEmpty)
    }
  }

  @Test("Objects and nil go where they belong") func objectsAndNilGoWhereTheyBelong() throws {
    let (drawer, page) = (Drawer(), Page())
    for key in ["object", "maybeObject", "titled", "maybeTitled", "page"] {
      try drawer.setValue(page, forKey: key)
    }
    #expect(drawer.object === page && drawer.maybeObject === page && drawer.page === page)
    #expect(drawer.titled === page && drawer.maybeTitled === page)
    for key in ["maybeObject", "maybeTitled", "page"] { try drawer.setValue(nil, forKey: key) }
    #expect(drawer.maybeObject == nil && drawer.maybeTitled == nil && drawer.page == nil)
    // An object of another class is neither a Page nor Titled.
    for key in ["titled", "maybeTitled", "page"] {
      #expect { try drawer.setValue(Drawer(), forKey: key) } throws: {
        Self.isMismatch($0, of: key)
      }
    }
  }

  @Test("Anything takes any value but nil") func anythingTakesAnyValueButNil() throws {
    let (drawer, page) = (Drawer(), Page())
    try drawer.setValue(4, forKey: "anything")
    #expect(drawer.anything as? Int == 4)
    try drawer.setValue(page, forKey: "anything")
    #expect(drawer.anything as? Page === page)
    do {
      #expect { try drawer.setValue(nil, forKey: "anything") } throws: {
        Self.isMismatch($0, of: "anything")
      }
      #expect(drawer.anything as? Page === page)
    }
    try drawer.setValue("text", forKey: "maybeAnything")
    #expect(drawer.maybeAnything as? String == "text")
    try drawer.setValue(nil, forKey: "maybeAnything")
    #expect(drawer.maybeAnything == nil)
  }

  private static func isMismatch(_ error: any Error, of key: String) -> Bool {
    if case PropertyError.typeMismatch(key, _, _) = error { true } else { false }
  }

  // MARK: Rules

  final class Range: ReactiveObject {
    @Observed var n = 5
    @Observed var limit = 10
    @Observed var list = [1, 2]
    var doubled: Int { n * 2 }
  }

  struct TooLarge: Error {}

  @Test("A rule and observers see the stored value while a value is mutated in place")
  func aRuleAndObserversSeeWhatIsStoredWhileAValueIsMutatedInPlace() {
    let range = Range()
    var asked: [[Int]] = []
    let (values, doubled, priors) = (Log<Int>(), Log<Int>(), Log<[Int]>())
    let rule = range.validate(\.n) { range, value in
      asked.append([range.n, value])
      return value > range.limit ? .rejected(TooLarge()) : .valid
    }
    values.follow(range.observe(\.n, options: .new))
    doubled.follow(range.observe(\.doubled, options: .new))
    priors.follow(
      range.observeChanges(\.n, options: [.old, .prior]).filter(\.isPrior)
        .map { [unowned range] in [$0.old ?? -1, range.n] })
    asked = []
    range.n += 20
    #expect(range.n == 5)
    #expect(asked == [[5, 25]])
    #expect(values.take().allSatisfy { $0 == 5 } && doubled.take().allSatisfy { $0 == 10 })
    priors.expect([])
    range.n += 3
    #expect(range.n == 8)
    #expect(asked.dropFirst().first == [5, 8])
    #expect(values.take() == [8] && doubled.take() == [16])
    priors.expect([[5, 5]])
    rule.dispose()
    range.n += 20
    #expect(range.n == 28)
  }

  @Test("A rule coerces a value that is mutated in place") func aRuleCoercesWhatIsMutatedInPlace() {
    let range = Range()
    let values = Log<Int>()
    range.validate(\.n) { range, value in
      value > range.limit ? .coerced(range.limit) : .valid
    }
    values.follow(range.observe(\.n, options: .new))
    range.n += 20
    #expect(range.n == 10)
    values.expect([10])
    range.limit = 7
    #expect(range.n == 7)
    values.expect([7])
  }

  @Test("A rule rejects an element that is appended in place")
  func aRuleRejectsAnElementThatIsAppendedInPlace() {
    let range = Range()
    var stored: [[Int]] = []
    let lists = Log<[Int]>()
    range.validate(\.list) { range, list in
      stored.append(range.list)
      return list.count > 2 ? .rejected(TooLarge()) : .valid
    }
    lists.follow(range.observe(\.list, options: .new))
    stored = []
    range.list.append(3)
    #expect(range.list == [1, 2] && stored == [[1, 2]])
    lists.expect([])
    range.list[0] = 9
    lists.expect([[9, 2]])
  }
}
