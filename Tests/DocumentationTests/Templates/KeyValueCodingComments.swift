import Keyline

enum KeyValueCodingComments: SnippetFile {
  static let page = "Sources/Keyline/KeyValueCoding"

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
    // block ChangeSets
    _ = isDirty
    end("ChangeSets")
  }

  static func keyvaluecodingSwift1() throws {
    let person = Person()
    // block KeyValueCoding
    _ = age
    end("KeyValueCoding")
  }

  static func namedpathsSwift1() throws {
    let person = Person()
    // block NamedPaths
    end("NamedPaths")
  }

  static func namedpathsSwift2() throws {
    let person = Person()
    // block NamedPaths 2
    end("NamedPaths 2")
  }

  static func namedpathsSwift3() throws {
    let (person, row) = (Person(), Row())
    // block NamedPaths 3
    end("NamedPaths 3")
  }

  static func namedpathsSwift4() throws {
    final class Form: ReactiveObject { @Observed var text = "Oslo" }
    let (person, form) = (Person(), Form())
    // block NamedPaths 4
    end("NamedPaths 4")
  }

  static func propertydescriptionSwift1() {
    // block PropertyDescription
    end("PropertyDescription")
  }
}
