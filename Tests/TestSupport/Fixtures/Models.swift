import Keyline

// The models that the suites of several targets share.

package final class City: ReactiveObject {
  @Observed package var name: String

  package init(_ name: String) { self.name = name }
}

package struct Location: Equatable {
  package var street = ""
  package var number: Int?

  package init(street: String = "", number: Int? = nil) {
    self.street = street
    self.number = number
  }
}

package final class Address: ReactiveObject {
  @Observed package var city: City?
  @Observed package var zip: String?
  @Observed package var location = Location()

  package init(city: City? = nil) { self.city = city }
}

open class Person: ReactiveObject {
  @Observed open var name = ""
  @Observed package var age = 0
  @Observed package var address: Address?
  @Observed package var tags: [String] = []
  @WeakObserved package var manager: Person?

  package init(_ name: String = "") { self.name = name }

  package var label: String { "\(name), \(address?.city?.name ?? "—")" }
  package var shout: String { name.uppercased() }
  package var alias: String { age < 18 ? "minor" : name }
}

package final class Student: Person {
  @Observed package var school = ""
}
