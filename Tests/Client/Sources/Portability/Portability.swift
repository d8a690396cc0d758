import Keyline
import KeylineDiagnostics

// Checks the parts of the library that rely on the reflection of stored fields, and their behaviour
// without it. Built and run twice: as it is, and optimised without reflection metadata
// (`-disable-reflection-metadata -DWITHOUT_REFLECTION`). If the second build gives another value,
// the check expects it as `unreflected`.

#if WITHOUT_REFLECTION
  let isReflected = false
#else
  let isReflected = true
#endif

class Person: ReactiveObject {
  @Observed var name = "Ada"
  @Observed var age = 36
  @WeakObserved var manager: Person?
  let onDeath: () -> Void

  init(onDeath: @escaping () -> Void = {}) {
    self.onDeath = onDeath
    super.init()
  }

  deinit { onDeath() }

  override class var registeredProperties: [RegisteredProperty] {
    [RegisteredProperty("name", \Person.name), RegisteredProperty("manager", \Person.manager)]
  }
}

final class Engineer: Person {}

/// A path that leads to a stored property of a person leads to a computed one here.
final class Twin: Person {
  override var age: Int {
    get { 2 * super.age }
    set { super.age = newValue }
  }
}

private struct Failure: Error { let checks: [String] }

@main struct Portability {
  nonisolated(unsafe) private static var failures: [String] = []

  /// - Parameter unreflected: the value expected without reflection, if it is another one.
  private static func check<Value: Equatable>(
    _ what: String, _ value: Value, expected: Value, unreflected: Value? = nil
  ) {
    let expected = isReflected ? expected : unreflected ?? expected
    print(what, value, separator: ": ")
    if value != expected { failures.append("\(what): \(value), not \(expected)") }
  }

  static func main() throws {
    objects()
    deaths()
    names()
    inheritance()
    objectsOfSeveralClasses()
    if !failures.isEmpty { throw Failure(checks: failures) }
  }

  /// Chains and bindings, which retain none of their objects.
  private static func objects() {
    // Of the object's own class, also where the optimiser sees the static type.
    check("a mirror", "\(Mirror(reflecting: Engineer()).subjectType)", expected: "Engineer")

    let employee = Person()
    var emitted: [String?] = []
    let subscription = employee.observeWeakly { $0.manager.name }
      .subscribe(onNext: { emitted.append($0) })
    do {
      let manager = Person()
      employee.manager = manager
      manager.name = "Grace"
    }
    subscription.dispose()
    check("a chain through a weak hop", emitted, expected: [nil, "Ada", "Grace", nil])

    let (source, target) = (Person(), Person())
    source.bind(\.age, to: target, \.age, mode: .twoWay)
    source.age = 40
    target.age += 1
    check("a two-way binding", [source.age, target.age], expected: [41, 41])
  }

  /// An object that dies is neither retained nor delivered to while it does.
  private static func deaths() {
    var used = 0
    let (source, bag) = (Person(), DisposeBag())
    do {
      let target = Person(onDeath: { [unowned source] in source.age += 1 })
      source.bind(\.age, to: target, \.age)
      source.observe(\.age).skip(1).take(until: target.deallocated)
        .subscribe(onNext: { _ in used += 1 }).disposed(by: bag)
    }
    source.age += 1
    check("sets inside and after a deinit", [source.age, used], expected: [38, 1])
  }

  /// Names come from the fields of the class, or from its registered properties.
  private static func names() {
    let (person, bag) = (Person(), DisposeBag())
    check("a registered name", try? person.value(forKey: "name") as? String, expected: "Ada")
    let age = try? person.value(forKey: "age") as? Int
    check("a name of a field", age, expected: 36, unreflected: .some(nil))
    check(
      "the properties", Person.properties.map(\.name),
      expected: ["name", "age", "manager"], unreflected: ["name", "manager"])
    var sets: [[String]] = []
    person.observeChangeSets().subscribe(onNext: { sets.append($0.names) })
      .disposed(by: bag)
    person.name = "Grace"
    check("the changes of an object", sets, expected: [["name"]], unreflected: [])
    check(
      "the graph of an object", Diagnostics.graph(of: person).objects.first?.properties.map(\.name),
      expected: ["name", "age", "manager"], unreflected: [])
  }

  /// A key path from a subclass refers to an inherited stored property, or to a computed property.
  private static func inheritance() {
    let (engineer, bag) = (Engineer(), DisposeBag())
    var names: [String] = []
    engineer.observe(\.name).subscribe(onNext: { names.append($0) }).disposed(by: bag)
    (engineer as Person).observe(\.name).subscribe(onNext: { names.append($0) })
      .disposed(by: bag)
    engineer.name = "Grace"
    check("an inherited property", names, expected: ["Ada", "Ada", "Grace", "Grace"])
  }

  /// Paths lead to stored properties in some classes, and to computed ones in others.
  private static func objectsOfSeveralClasses() {
    let (root, bag) = (Person(), DisposeBag())
    var (led, ages): ([Int?], [Int]) = ([], [])
    var (expectedLed, expectedAges): ([Int?], [Int]) = ([nil], [])
    root.observeWeakly { $0.manager.age }.subscribe(onNext: { led.append($0) }).disposed(by: bag)
    for person in (0..<4).flatMap({ _ in [Person(), Twin(), Engineer(), Person()] }) {
      // The same functions, for objects of several classes.
      let first = person.age
      for _ in 0..<2 {
        person.observe(\.age).subscribe(onNext: { ages.append($0) }).disposed(by: bag)
      }
      root.manager = person
      person.age = 50
      root.manager = nil
      let second = person is Twin ? 100 : 50
      expectedAges += [first, first, second, second]
      expectedLed += [first, second, nil]
    }
    check("a chain over objects of several classes", led, expected: expectedLed)
    check("a path of several classes", ages, expected: expectedAges)
  }
}
