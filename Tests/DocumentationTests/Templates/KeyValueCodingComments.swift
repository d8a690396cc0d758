import Keyline

enum KeyValueCodingComments: SnippetFile {
  static let page = "Sources/Keyline/KeyValueCoding"

  static func run() async throws {
    changesetsSwift1()
    try keyvaluecodingSwift1()
    try keyvaluecodingSwift2()
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

  static func keyvaluecodingSwift2() throws {
    final class Team: ReactiveObject {
      @Observed var members = ObservableArray([Person(), Person()])
    }
    let team = Team()
    // block KeyValueCoding 2
    end("KeyValueCoding 2")
  }

  static func propertydescriptionSwift1() {
    // block PropertyDescription
    end("PropertyDescription")
  }
}
