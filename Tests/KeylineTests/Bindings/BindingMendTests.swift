import Keyline
import KeylineTest
import TestSupport
import Testing

/// Convergence of bindings whose ends are members of values, scheduled, or behind existentials.
@Suite struct BindingMendTests {
  struct Texts: Equatable {
    var c = "0"
    var f = "32"
  }

  final class Weather: ReactiveObject {
    @Observed var texts = Texts()
    @Observed var trigger = 0
  }

  final class Form: ReactiveObject {
    @Observed var celsius = ""
    @Observed var fahrenheit = ""
  }

  let weather = Weather()
  let form = Form()

  @Test("A set of a sibling member is no news") func aSetOfASiblingMemberIsNoNews() {
    let log = Log<String>()
    weather.bind(\.texts.c, to: form, \.celsius, mode: .twoWay)
    log.follow(form.observe(\.celsius, options: .new))
    weather.texts.f = "50"
    #expect(log.take() == [])
    form.celsius = "7"
    #expect(weather.texts == Texts(c: "7", f: "50"))
    #expect(log.take() == ["7"])
    weather.texts.f = "60"
    weather.texts.c = "8"
    #expect(log.take() == ["8"])
    #expect(form.celsius == "8" && weather.texts.f == "60")
  }

  /// In one outermost set: the member is outdated, and has not been evaluated, when the form is
  /// set.
  @Test("The users set is kept when a sibling is set first", arguments: [false, true])
  func theUsersSetIsKeptWhenASiblingIsSetFirst(isConnectedFirst: Bool) {
    let connect = { [weather, form] in
      _ = weather.bind(\.texts.c, to: form, \.celsius, mode: .twoWay)
    }
    if isConnectedFirst { connect() }
    _ = weather.observe(\.trigger, options: .new).subscribe(onNext: { [weather, form] trigger in
      weather.texts.f = "f\(trigger)"
      form.celsius = "c\(trigger)"
    })
    if !isConnectedFirst { connect() }
    weather.trigger = 1
    #expect(form.celsius == "c1")
    #expect(weather.texts == Texts(c: "c1", f: "f1"))
    weather.trigger = 2
    #expect(form.celsius == "c2")
    #expect(weather.texts == Texts(c: "c2", f: "f2"))
  }

  @Test("Two fields of a form are bound to two members of one struct")
  func twoFieldsOfAFormAreBoundToTwoMembersOfOneStruct() {
    weather.bind(\.texts.c, to: form, \.celsius, mode: .twoWay)
    weather.bind(\.texts.f, to: form, \.fahrenheit, mode: .twoWay)
    let (celsius, fahrenheit) = (Log<String>(), Log<String>())
    celsius.follow(form.observe(\.celsius, options: .new))
    fahrenheit.follow(form.observe(\.fahrenheit, options: .new))
    form.celsius = "1"
    form.fahrenheit = "2"
    form.celsius = "3"
    #expect(celsius.take() == ["1", "3"] && fahrenheit.take() == ["2"])
    #expect(weather.texts == Texts(c: "3", f: "2"))
    weather.texts = Texts(c: "4", f: "5")
    #expect(celsius.take() == ["4"] && fahrenheit.take() == ["5"])
    // Both fields inside one set.
    _ = weather.observe(\.trigger, options: .new).subscribe(onNext: { [form] _ in
      form.fahrenheit = "6"
      form.celsius = "7"
    })
    weather.trigger = 1
    #expect(celsius.take() == ["7"] && fahrenheit.take() == ["6"])
    #expect(weather.texts == Texts(c: "7", f: "6"))
  }

  /// A field that an observer derives from the other, as a converter of units does.
  @Test("A field that follows the other in a delivery is kept")
  func aFieldThatFollowsTheOtherInADeliveryIsKept() {
    weather.bind(\.texts.c, to: form, \.celsius, mode: .twoWay)
    weather.bind(\.texts.f, to: form, \.fahrenheit, mode: .twoWay)
    _ = form.observe(\.celsius, options: .new).subscribe(onNext: { [unowned form] in
      form.fahrenheit = "f(\($0))"
    })
    form.celsius = "1"
    #expect((form.celsius, form.fahrenheit) == ("1", "f(1)"))
    #expect(weather.texts == Texts(c: "1", f: "f(1)"))
    weather.texts.c = "2"
    #expect((form.celsius, form.fahrenheit) == ("2", "f(2)"))
    #expect(weather.texts == Texts(c: "2", f: "f(2)"))
  }

  struct Item: Equatable {
    var id: Int
    var name: String
    static func == (one: Item, other: Item) -> Bool { one.id == other.id }
  }

  final class Slot: ReactiveObject {
    @Observed var item = Item(id: 1, name: "a")
  }

  @Test(
    "Equal values that are not the same are passed on", arguments: [BindingMode.oneWay, .twoWay])
  func equalValuesThatAreNotTheSameArePassedOn(mode: BindingMode) {
    let (one, other) = (Slot(), Slot())
    one.item.name = "b"
    one.bind(\.item, to: other, \.item, mode: mode)
    #expect(other.item.name == "b")
    one.item = Item(id: 1, name: "c")
    #expect(other.item.name == "c")
    one.item.name = "d"
    #expect(other.item.name == "d")
    other.item.name = "e"
    #expect(one.item.name == (mode == .twoWay ? "e" : "d"))
  }

  // MARK: Scheduled

  final class Leaf: ReactiveObject {
    @Observed var text: String
    init(_ text: String) { self.text = text }
  }

  final class Root: ReactiveObject { @Observed var hop: Leaf? = Leaf("a") }

  enum Edit: CaseIterable { case none, form, firstLeaf, lastLeaf }

  /// The edit is made after the replacements, before anything is delivered.
  @Test(
    "A scheduled binding over a replaced object agrees at the end", arguments: Edit.allCases,
    [false, true])
  func aScheduledBindingOverAReplacedObjectAgreesAtTheEnd(edit: Edit, isBefore: Bool) {
    let scheduler = TestScheduler(initialClock: 0)
    let root = Root()
    root.bind({ $0.hop.text }, to: form, \.celsius, mode: .twoWay, on: .scheduler(scheduler))
    scheduler.start()
    #expect(form.celsius == "a")
    if isBefore, edit == .form { form.celsius = "user" }
    let first = Leaf("b")
    root.hop = first
    root.hop = Leaf("c")
    switch edit {
    case .none: break
    case .form: if !isBefore { form.celsius = "user" }
    case .firstLeaf: first.text = "left behind"
    case .lastLeaf: root.hop?.text = "d"
    }
    scheduler.start()
    #expect(form.celsius == root.hop?.text)
    #expect(form.celsius != "b" && form.celsius != "left behind")
    form.celsius = "later"
    scheduler.start()
    #expect(root.hop?.text == "later")
    root.hop?.text = "last"
    scheduler.start()
    #expect(form.celsius == "last")
  }

  /// B3: the end that was set last keeps its value, also where the other's is on its way to the scheduler.
  @Test("Of two ends set before a scheduled delivery the later one wins", arguments: [false, true])
  func ofTwoEndsSetBeforeAScheduledDeliveryTheLaterOneWins(isSourceLast: Bool) {
    let scheduler = TestScheduler(initialClock: 0)
    let (one, other) = (Echo(), Echo())
    one.bind(\.number, to: other, \.number, mode: .twoWay, on: .scheduler(scheduler))
    scheduler.start()
    if isSourceLast {
      other.number = 2
      one.number = 1
    } else {
      one.number = 1
      other.number = 2
    }
    scheduler.start()
    let last = isSourceLast ? 1 : 2
    #expect((one.number, other.number) == (last, last))
    // Several, alternating.
    for number in 3...8 {
      if number.isMultiple(of: 2) { one.number = number } else { other.number = number }
    }
    scheduler.start()
    #expect((one.number, other.number) == (8, 8))
    // D38: in a batch, the source wins.
    batchUpdates {
      one.number = 9
      other.number = 10
    }
    scheduler.start()
    #expect((one.number, other.number) == (9, 9))
  }

  /// Bindings on a scheduler that lead back to where a set began: an end that is equal is left alone.
  @Test("A ring of scheduled bindings comes to rest", arguments: [2, 3, 5])
  func aRingOfScheduledBindingsComesToRest(length: Int) {
    let scheduler = TestScheduler(initialClock: 0)
    let ring = (0..<length).map { _ in Echo() }
    for (index, one) in ring.enumerated() {
      one.bind(
        \.number, to: ring[(index + 1) % length], \.number, mode: .twoWay,
        on: .scheduler(scheduler))
    }
    scheduler.start()
    ring[0].number = 5
    scheduler.start()
    #expect(ring.map(\.number) == Array(repeating: 5, count: length))
    ring[length - 1].number = 6
    scheduler.start()
    #expect(ring.map(\.number) == Array(repeating: 6, count: length))
  }

  final class Worker: ReactiveObject {
    @Observed var age = 0
    @Observed var manager: Worker?
  }

  /// B3: both ends are one property.
  @Test("A chain that leads back to the source agrees at once")
  func aChainThatLeadsBackToTheSourceAgreesAtOnce() {
    Reports.collect()
    let boss = Worker()
    boss.manager = boss
    boss.bind(\.age, to: boss, { $0.manager.age }, mode: .twoWay)
    let ages = Log<Int>()
    ages.follow(boss.observe(\.age, options: .new))
    boss.age = 7
    #expect(ages.take().last == 7 && boss.age == 7)
    boss.manager = nil
    boss.age = 8
    boss.manager = boss
    #expect(boss.age == 8)
    #expect(Reports.of(.bindingRounds).allSatisfy { !$0.message.contains("Worker") })
  }

  final class Echo: ReactiveObject {
    @Observed var number = 0
    @Observed var other = 0
  }

  @MainActor @Test("A binding on main delivers at once on the main thread")
  func aBindingOnMainDeliversAtOnceOnTheMainThread() {
    let (one, other) = (Echo(), Echo())
    one.bind(\.number, to: other, \.number, mode: .twoWay, on: .main)
    one.number = 1
    #expect(other.number == 1)
    other.number = 2
    #expect(one.number == 2)
    // Others of the process, and one inside the delivery of another.
    let (third, fourth) = (Echo(), Echo())
    third.bind(\.number, to: fourth, \.number, on: .main)
    fourth.bind(\.number, to: third, \.other, mode: .oneWay, on: .main)
    third.number = 3
    #expect(fourth.number == 3 && third.other == 3)
    var seen = -1
    _ = one.observe(\.number, options: .new).subscribe(onNext: {
      third.number = $0
      seen = fourth.number
    })
    other.number = 5
    #expect(seen == 5 && one.number == 5)
    _ = MainScheduler.instance.schedule(()) {
      one.number = 6
      return Disposables.create()
    }
    #expect(other.number == one.number)
  }

  @MainActor @Test("A binding on main delivers at once inside an action of the MainScheduler")
  func aBindingOnMainDeliversAtOnceInsideAnActionOfTheMainScheduler() {
    let (one, other) = (Echo(), Echo())
    one.bind(\.number, to: other, \.number, mode: .twoWay, on: .main)
    var seen = -1
    let subject = PublishSubject<Int>()
    _ = subject.observe(on: MainScheduler.instance).subscribe(onNext: {
      one.number = $0
      seen = other.number
    })
    // An action of the main scheduler that waits for the next turn.
    _ = MainScheduler.asyncInstance.schedule(()) { Disposables.create() }
    one.number = 3
    #expect(other.number == 3)
    subject.onNext(4)
    #expect(seen == 4 || one.number == 3)
    #expect(one.number == other.number)
  }

  // MARK: Through existentials

  protocol Titled: PropertyObservable { var title: String { get set } }

  final class Page: ReactiveObject, Titled { @Observed var title = "page" }

  final class Book: Titled {
    let properties = PropertyRegistry()
    @Observed var title = "book"
  }

  final class Reader: ReactiveObject {
    @Observed var doc: (any Titled)?
    @Observed var always: any Titled = Page()
  }

  @Test("An existential hop is followed") func anExistentialHopIsFollowed() {
    let reader = Reader()
    let (titles, always, causes) = (Log<String?>(), Log<String?>(), Log<ChangeCause>())
    titles.follow(reader.observeWeakly { $0.doc.title })
    always.follow(reader.observeWeakly { $0.always.title })
    causes.follow(reader.observeChanges { $0.doc.title }.map(\.cause))
    let page = Page()
    reader.doc = page
    page.title = "second"
    reader.doc = Book()
    reader.doc?.title = "third"
    reader.doc = nil
    page.title = "fourth"
    #expect(titles.take() == [nil, "page", "second", "book", "third", nil])
    #expect(causes.take() == [.hopReplaced(0), .set, .hopReplaced(0), .set, .hopBecameNil(0)])
    reader.always.title = "other"
    reader.always = page
    #expect(always.take() == ["page", "other", "fourth"])
  }

  @Test("An existential hop is written by bindings") func anExistentialHopIsWrittenByBindings() {
    let (reader, source) = (Reader(), Form())
    let page = Page()
    source.celsius = "a"
    source.bind(\.celsius, to: reader, { $0.doc.title })
    source.bind(\.celsius, to: reader, { $0.always.title }, mode: .twoWay)
    #expect(reader.always.title == "a")
    reader.doc = page
    #expect(page.title == "a")
    source.celsius = "b"
    #expect(page.title == "b" && reader.always.title == "b")
    let book = Book()
    reader.doc = book
    #expect(book.title == "b")
    source.celsius = "c"
    #expect((page.title, book.title, reader.always.title) == ("b", "c", "c"))
    reader.always.title = "d"
    #expect(source.celsius == "d" && book.title == "d")
    reader.always = Page()
    #expect(reader.always.title == "d")
    source.observe(\.celsius).bind(to: reader) { $0.doc.title }
    source.celsius = "e"
    #expect(book.title == "e")
  }

  private final class Camera: ReactiveObject {
    struct Box { var depth = 0 }
    @Observed var size = (width: 640, height: 480)
    @Observed var offset: (x: Int, y: Int)?
    @Observed var box: Box?
    @Observed var next: Camera?
    @Observed var number = 0
  }

  /// The elements of tuples are no properties of objects, though the compiler offers key paths that say so.
  @Test("Elements of tuples are observed read and written")
  func elementsOfTuplesAreObservedReadAndWritten() {
    let camera = Camera()
    let source = Camera()
    camera.next = Camera()
    let (widths, offsets) = (Log<Int?>(), Log<Int?>())
    widths.follow(camera.observeWeakly { $0.next.size.width })
    offsets.follow(camera.observeWeakly { $0.offset.x })
    source.bind(\.number, to: camera) { $0.next.size.width }
    source.bind(\.number, to: camera) { $0.offset.x }
    source.bind(\.number, to: camera) { $0.box.depth }
    camera.bind({ $0.next.size.height }, to: camera, \.number, mode: .twoWay)
    #expect(camera.number == 480)
    source.number = 1
    #expect(camera.next?.size.width == 1 && camera.offset == nil && camera.box == nil)
    camera.offset = (5, 6)
    camera.box = Camera.Box()
    source.number = 2
    camera.number = 3
    #expect(camera.next?.size ?? (0, 0) == (2, 3))
    #expect(camera.offset?.x == 2 && camera.offset?.y == 6 && camera.box?.depth == 2)
    #expect(widths.take().last == 2 && offsets.take() == [nil, 5, 2])
  }

  /// B3, D38: a chain that comes back after a gap wins, also if the member of the value is equal to before.
  @Test("An equal member of another object is news") func anEqualMemberOfAnotherObjectIsNews() {
    let (root, end, first, second) = (Camera(), Camera(), Camera(), Camera())
    first.size.width = 10
    second.size.width = 10
    root.next = first
    root.bind({ $0.next.size.width }, to: end, \.number, mode: .twoWay)
    root.next = nil
    end.number = 1
    root.next = first
    #expect(first.size.width == 10 && end.number == 10)
    batchUpdates {
      root.next = second
      end.number = 2
    }
    #expect(second.size.width == 10 && end.number == 10)
    end.number = 3
    #expect(second.size.width == 3 && first.size.width == 10)
  }

  @Test("A missing optional value is the cause") func aMissingOptionalValueIsTheCause() {
    let camera = Camera()
    let log = Log<ChangeCause>()
    log.follow(camera.observeChanges { $0.box.depth }.map(\.cause))
    camera.box = Camera.Box()
    camera.box = nil
    #expect(log.take() == [.hopReplaced(0), .hopBecameNil(0)])
  }
}
