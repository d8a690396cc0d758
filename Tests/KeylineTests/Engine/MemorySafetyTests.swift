import Keyline
import KeylineTest
import TestSupport
import Testing

/// Memory safety of every program that compiles, and the end of observed objects.
@Suite struct MemorySafetyTests {
  // MARK: Wrappers copied and replaced

  final class Copier: ReactiveObject {
    @Observed var name = "a"
    @Observed var alias = "b"
    @Observed var parts: [String] = []
    @WeakObserved var friend: Copier?
    @WeakObserved var other: Copier?

    init(_ name: String = "a") { self.name = name }

    func adoptName(of other: Copier) { _name = other._name }
    func adoptParts(of other: Copier) { _parts = other._parts }
    func adoptFriend(of other: Copier) { _friend = other._friend }
    func adoptAlias() { _name = _alias }
    func adoptOther() { _friend = _other }
    func replaceName() { _name = Observed(wrappedValue: "x") }
    func replaceFriend(_ friend: Copier) { _friend = WeakObserved(wrappedValue: friend) }
    var label: String { "\(name)/\(alias)" }
    @Derived({ (self: Copier) in self.label }) var tag: String
  }

  @Test("A derived value follows a replaced wrapper once it is evaluated again")
  func whatIsDerivedFollowsAReplacedWrapperOnceItIsEvaluatedAgain() {
    let copy = Copier()
    #expect(copy.tag == "a/b")
    copy.replaceName()
    copy.alias = "c"
    #expect(copy.tag == "x/c")
    copy.name = "y"
    #expect(copy.tag == "y/c")
    copy.replaceName()
    copy.$tag.invalidate()
    #expect(copy.tag == "x/c")
    copy.name = "z"
    #expect(copy.tag == "z/c")
  }

  @Test("A wrapper is copied from an object that dies", arguments: [false, true])
  func aWrapperIsCopiedFromAnObjectThatDies(isObservedBefore: Bool) {
    let copy = Copier("copy")
    let (log, computed) = (Log<String>(), Log<String>())
    if isObservedBefore { copy.observe(\.name).subscribe().dispose() }
    do {
      let mortal = Copier("mortal")
      let names = Log<String>()
      names.follow(mortal.observe(\.name))
      mortal.observe(\.parts).subscribe().dispose()
      copy.adoptName(of: mortal)
      copy.adoptParts(of: mortal)
      // A set of the copy is none of the original.
      copy.name = "first"
      names.expect(["mortal"])
      mortal.name = "second"
      names.expect(["second"])
      #expect(copy.name == "first")
    }
    copy.name = "third"
    copy.parts.append("p")
    // New objects may reuse the storage of the dead object.
    let others = (0..<64).map { Copier("\($0)") }
    let otherNames = Log<String>()
    for other in others { otherNames.follow(other.observe(\.name, options: .new)) }
    copy.name = "fourth"
    otherNames.expect([])
    log.follow(copy.observe(\.name))
    computed.follow(copy.observe(\.label))
    copy.name = "fifth"
    log.expect(["fourth", "fifth"])
    computed.expect(["fourth/b", "fifth/b"])
    for other in others { other.name = "o" }
    #expect(otherNames.take().count == 64)
    #expect(log.take() == [] && copy.parts == ["p"])
  }

  @Test("A weak wrapper is copied from an object that dies")
  func aWeakWrapperIsCopiedFromAnObjectThatDies() {
    let copy = Copier()
    let log = Log<String?>()
    var friend: Copier? = Copier("friend")
    do {
      let mortal = Copier("mortal")
      mortal.observe(\.friend).subscribe().dispose()
      mortal.friend = friend
      copy.adoptFriend(of: mortal)
    }
    #expect(copy.friend === friend)
    log.follow(copy.observe(\.friend).map { $0?.name })
    friend = nil
    log.expect(["friend", nil])
    copy.friend = copy
    log.expect(["a"])
  }

  @Test("A wrapper is copied within an object") func aWrapperIsCopiedWithinAnObject() {
    let copier = Copier()
    let (names, aliases) = (Log<String>(), Log<String>())
    copier.observe(\.name).subscribe().dispose()
    aliases.follow(copier.observe(\.alias))
    copier.adoptAlias()
    copier.name = "n"
    #expect(copier.alias == "b")
    aliases.expect(["b"])
    names.follow(copier.observe(\.name))
    copier.alias = "c"
    copier.name = "m"
    aliases.expect(["c"])
    names.expect(["n", "m"])
    let (one, other) = (Copier("one"), Copier("other"))
    let friends = Log<String?>()
    copier.other = one
    copier.observe(\.other).subscribe().dispose()
    copier.adoptOther()
    friends.follow(copier.observe(\.friend).map { $0?.name })
    copier.other = nil
    copier.friend = other
    friends.expect(["one", "other"])
  }

  @Test("P8: A replaced wrapper is followed once it is observed again")
  func aReplacedWrapperIsFollowedOnceItIsObservedAgain() {
    let copier = Copier()
    let (before, after, labels) = (Log<String>(), Log<String>(), Log<String>())
    before.follow(copier.observe(\.name))
    copier.replaceName()
    copier.name = "y"
    #expect(copier.name == "y")
    _ = before.take()
    after.follow(copier.observe(\.name))
    labels.follow(copier.observe(\.label))
    copier.name = "z"
    after.expect(["y", "z"])
    labels.expect(["y/b", "z/b"])
    before.expect(["z"])
    let friend = Copier("friend")
    let friends = Log<String?>()
    copier.observe(\.friend).subscribe().dispose()
    copier.replaceFriend(friend)
    friends.follow(copier.observe(\.friend).map { $0?.name })
    copier.friend = nil
    friends.expect(["friend", nil])
  }

  @Test("A wrapper is replaced in a delivery") func aWrapperIsReplacedInADelivery() {
    let copier = Copier()
    let (log, later) = (Log<String>(), Log<String>())
    _ = copier.observe(\.name, options: .new).subscribe(onNext: { [unowned copier] _ in
      copier.replaceName()
    })
    log.follow(copier.observe(\.name, options: .new))
    copier.name = "y"
    log.expect(["y"])
    #expect(copier.name == "x")
    // Whether this set is delivered, which replaces the wrapper once more, is open: it is while any
    // thread evaluates something.
    copier.name = "z"
    later.follow(copier.observe(\.name))
    later.expect([copier.name])
  }

  // MARK: A registry made anew

  final class Forgetful: PropertyObservable {
    var properties: PropertyRegistry { PropertyRegistry() }
    @Observed var count = 1
    @Observed var list: [Int] = []
    @WeakObserved var friend: Forgetful?
    var doubled: Int { count * 2 }
  }

  @Test("A registry that is made anew is reported once")
  func aRegistryThatIsMadeAnewIsReportedOnce() throws {
    Reports.collect()
    let (object, other) = (Forgetful(), Forgetful())
    _ = object.observe(\.count).subscribe()
    _ = object.observe(\.doubled).subscribe()
    _ = object.observe(\.count, \.list).subscribe()
    _ = object.observeChanges(\.count, options: [.old, .new, .prior]).subscribe()
    _ = object.observeWeakly { $0.friend.count }.subscribe()
    _ = try object.observe(Int.self, "count").subscribe()
    object.validate(\.count) { _, _ in .valid }
    object.bind(\.count, to: other, \.count, mode: .twoWay)
    object.bind(\.count, to: other, \.count)
    object.bind(\.count, to: other, { $0.friend.count }, exclusive: true)
    object.friend = other
    object.count = 2
    object.count += 1
    object.list.append(1)
    try object.setValue(7, forKey: "count")
    #expect(object.count == 7 && object.list == [1] && object.doubled == 14)
    let reports = Reports.about("Forgetful").filter { $0.category == .misuse }
    do {
      #expect(reports.map(\.property) == ["properties"])
    }
    #expect(reports.count { $0.property == "properties" } == 1)
  }

  // MARK: Objects behind existentials

  protocol Titled: PropertyObservable { var title: String { get set } }
  final class Document: ReactiveObject, Titled { @Observed var title = "d" }

  final class Desk: ReactiveObject {
    @Observed var document: any Titled = Document()
    @Observed var spare: (any Titled)?
    @Observed var index = 0
    /// Not observed: a change of the drawer does not notify.
    var drawer: [any Titled] = []
    var chosen: (any Titled)? { drawer.indices.contains(index) ? drawer[index] : nil }
  }

  @Test(
    "The old value of an existential is not kept alive",
    arguments: [KeyValueObservingOptions.old, [.old, .new], [.old, .new, .prior, .initial]])
  func theOldValueOfAnExistentialIsNotKeptAlive(options: KeyValueObservingOptions) {
    let desk = Desk()
    weak var former: Document?
    weak var spare: Document?
    weak var chosen: Document?
    let bag = DisposeBag()
    do {
      let documents = [Document(), Document(), Document()]
      (former, spare, chosen) = (documents[0], documents[1], documents[2])
      desk.document = documents[0]
      desk.spare = documents[1]
      desk.drawer = [documents[2]]
      desk.observeChanges(\.document, options: options).subscribe().disposed(by: bag)
      desk.observeChanges(\.spare, options: options).subscribe().disposed(by: bag)
      desk.observeChanges(\.chosen, options: options).subscribe().disposed(by: bag)
      desk.observeChanges(options: options) { $0.spare }.subscribe().disposed(by: bag)
    }
    #expect(former != nil && spare != nil && chosen != nil)
    desk.drawer = []
    #expect(chosen == nil)
    desk.document = Document()
    #expect(former == nil)
    desk.spare = nil
    #expect(spare == nil)
    bag.insert(Disposables.create())
  }

  @Test("The old value of an existential is delivered while it lives")
  func theOldValueOfAnExistentialIsDeliveredWhileItLives() {
    let desk = Desk()
    let first = Document()
    desk.spare = first
    let log = Log<Bool>()
    log.follow(desk.observeChanges(\.spare).map { ($0.old ?? nil) === first })
    log.follow(
      desk.observeChanges { $0.spare }.map { (change: PropertyChange<any Titled>) in
        change.old === first
      })
    desk.spare = Document()
    log.expect([true, true])
  }

  // MARK: Weak properties

  @Test("The death of a weak object is the cause of its change")
  func theDeathOfAWeakObjectIsTheCauseOfItsChange() {
    let copier = Copier()
    let (byKeyPath, byChain) = (Log<ChangeCause>(), Log<ChangeCause>())
    byKeyPath.follow(copier.observeChanges(\.friend).map(\.cause))
    byChain.follow(copier.observeChanges { $0.friend }.map(\.cause))
    var friend: Copier? = Copier()
    copier.friend = friend
    friend = nil
    copier.friend = copier
    copier.friend = nil
    byKeyPath.expect([.set, .hopDied(0), .set, .set])
    byChain.expect([.set, .hopDied(0), .set, .set])
  }

  // MARK: Disposal on other threads

  final class Sum: ReactiveObject {
    @Observed var a = 0
    @Observed var b = 0
    var sum: Int { a + b }
  }

  @Test("Computed observations are disposed elsewhere while the owner writes")
  func computedObservationsAreDisposedElsewhereWhileTheOwnerWrites() {
    let tracker = LifetimeTracker()
    for _ in 0..<10 {
      let object = Sum()
      var negative = 0
      let subscriptions = (0..<1000).map { _ in
        let token = tracker.track()
        return object.observe(\.sum).subscribe(onNext: {
          if token.pass($0) < 0 { negative += 1 }
        })
      }
      #expect(tracker.alive == 1000)
      var number = 0
      whileDisposing(subscriptions) {
        number += 1
        object.a = number
        object.b += 1
      }
      object.a = -1_000_000
      object.b = 0
      #expect(negative == 0)
      #expect(tracker.alive == 0)
    }
  }

  // MARK: Nodes that end during their evaluation

  final class Shelf: ReactiveObject {
    final class Item: ReactiveObject {
      @Observed var name = ""
      weak var shelf: Shelf?
      var title: String {
        defer { shelf?.whenRead() }
        return name
      }

      init(_ name: String, on shelf: Shelf) {
        self.name = name
        self.shelf = shelf
      }
    }

    @Observed var number = 0
    @Observed var item: Item?
    var whenRead: () -> Void = {}
    var label: String { "\(number) \(item?.title ?? "") \(number)" }
    var half: Int { number / 2 }

    func followChain(_ log: Log<String>) -> any Disposable {
      observeWeakly { $0.item.title }.subscribe(onNext: { log.append($0 ?? "-") })
    }
    func followPath(_ log: Log<String>) -> any Disposable {
      observe(\.label).subscribe(onNext: { log.append($0) })
    }
    func followOptionalPath(_ log: Log<String>) -> any Disposable {
      observe(\.item?.title).subscribe(onNext: { log.append($0 ?? "-") })
    }
  }

  /// The object sweeps nodes that have ended whenever the list of its nodes is full.
  @Test(
    "A node that ends while it is evaluated is not swept before that",
    arguments: [Shelf.followChain, Shelf.followPath, Shelf.followOptionalPath])
  func aNodeThatEndsWhileItIsEvaluatedIsNotSweptBeforeThat(
    follow: @Sendable (Shelf) -> (Log<String>) -> any Disposable
  ) {
    let shelf = Shelf()
    shelf.item = Shelf.Item("a", on: shelf)
    let log = Log<String>()
    let subscription = follow(shelf)(log)
    #expect(log.take().count == 1)
    var others: [any Disposable] = []
    shelf.whenRead = { [unowned shelf] in
      shelf.whenRead = {}
      subscription.dispose()
      for _ in 0..<50 { others.append(shelf.observe(\.half).subscribe()) }
    }
    shelf.item = Shelf.Item("b", on: shelf)
    #expect(log.elements.isEmpty && others.count == 50)
    let again = follow(shelf)(log)
    shelf.item?.name = "c"
    #expect(log.elements.map { $0.filter(\.isLetter) } == ["b", "c"])
    again.dispose()
  }
}
