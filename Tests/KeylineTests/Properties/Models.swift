import Keyline

// The model the property tests share.

final class City: ReactiveObject {
  @Observed var name: String

  init(_ name: String) { self.name = name }
}

struct Location: Equatable {
  var street = ""
  var number: Int?
}

final class Address: ReactiveObject {
  @Observed var city: City?
  @Observed var zip: String?
  @Observed var location = Location()

  init(city: City? = nil) { self.city = city }
}

class Person: ReactiveObject {
  @Observed var name = ""
  @Observed var age = 0
  @Observed var address: Address?
  @Observed var tags: [String] = []
  @WeakObserved var manager: Person?

  init(_ name: String = "") { self.name = name }

  var label: String { "\(name), \(address?.city?.name ?? "—")" }
  var shout: String { name.uppercased() }
  var alias: String { age < 18 ? "minor" : name }
}

final class Student: Person {
  @Observed var school = ""
}

/// Collects what a sequence emits.
final class Log<Element> {
  var elements: [Element] = []
  var isCompleted = false
  var isDisposed = false

  @discardableResult
  func follow(_ source: Observable<Element>) -> any Disposable {
    source.subscribe(
      onNext: { self.elements.append($0) },
      onCompleted: { self.isCompleted = true },
      onDisposed: { self.isDisposed = true })
  }

  func append(_ element: Element) { elements.append(element) }

  /// Returns the elements received since the last call.
  func take() -> [Element] {
    defer { elements = [] }
    return elements
  }
}
