import Keyline

enum KeyValueCodingComments: SnippetFile {
  static let page = "Sources/Keyline/KeyValueCoding"
  static let file = #filePath

  static func run() async throws {
    changesetsSwift1()
    try keyvaluecodingSwift1()
    try namedpathsSwift1()
    try namedpathsSwift2()
    try namedpathsSwift3()
    try namedpathsSwift4()
    propertydescriptionSwift1()
  }

  final class Address: ReactiveObject { @Observed var city = "Rome" }
  final class Person: ReactiveObject {
    @Observed var name = "Ada"
    @Observed var age = 36
    @Observed var address: Address?
    @WeakObserved var manager: Person?
  }
  final class Document: ReactiveObject {
    @Observed var title = "Untitled"
    @Observed var pages: Int?
  }
  final class Row: ReactiveObject { @Observed var text = "Oslo" }

  static func changesetsSwift1() {
    let document = Document()
    var journal: [ChangeSet] = []
    var isDirty = false
    // snippet
    _ = document.observeChangeSets().subscribe(onNext: { changes in
      isDirty = true
      journal.append(changes)  // journal.removeLast().undo()
      print(changes.map { "\($0.name): \($0.old ?? "nil") → \($0.new ?? "nil")" })
    })
    batchUpdates {
      document.title = "Laws"
      document.pages = 3
    }
    // end
    _ = isDirty
    end()
  }

  static func keyvaluecodingSwift1() throws {
    let person = Person()
    // snippet
    let age = try person.value(forKey: "age") as? Int
    // end
    _ = age
    end()
  }

  static func namedpathsSwift1() throws {
    let person = Person()
    // snippet
    _ = try person.observe(String.self, "name")
    end()
  }

  static func namedpathsSwift2() throws {
    let person = Person()
    // snippet
    _ = try person.observeWeakly(String.self, "manager.address.city")
    end()
  }

  static func namedpathsSwift3() throws {
    let (person, row) = (Person(), Row())
    // snippet
    let city = try person.chain(String.self, "address.city")
    person.bind({ _ in city }, to: row, \.text)
    end()
  }

  static func namedpathsSwift4() throws {
    final class Form: ReactiveObject { @Observed var text = "Oslo" }
    let (person, form) = (Person(), Form())
    // snippet
    let city = try person.targetChain(String.self, "address.city")
    form.bind(\.text, to: person, { _ in city })
    end()
  }

  static func propertydescriptionSwift1() {
    // snippet
    print(Person.properties.map(\.name))
    end()
  }
}
