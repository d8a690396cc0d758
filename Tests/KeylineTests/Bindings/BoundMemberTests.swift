import Keyline
import TestSupport
import Testing

/// Bindings and chains whose ends are members of values: of structs, optionals and tuples.
@Suite struct BoundMemberTests {
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
    log.expect([])
    form.celsius = "7"
    #expect(weather.texts == Texts(c: "7", f: "50"))
    log.expect(["7"])
    weather.texts.f = "60"
    weather.texts.c = "8"
    log.expect(["8"])
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
    log.expect([.hopReplaced(0), .hopBecameNil(0)])
  }
}
