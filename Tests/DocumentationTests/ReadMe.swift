import Keyline

enum ReadMe: SnippetFile {
  static let page = "README.md"
  static let file = #filePath

  static func run() async throws {
    aFirstExample()
  }

  static func aFirstExample() {
    // snippet
    final class City: ReactiveObject {
      @Observed var name = "Rome"
    }

    final class Person: ReactiveObject {
      @Observed var name = "Ada"
      @Observed var city: City?
      var label: String { "\(name), \(city?.name ?? "nowhere")" }  // computed, and observable
    }

    final class Row: ReactiveObject {
      @Observed var title = ""
    }

    final class NameView {
      private let bag = DisposeBag()  // its subscriptions end with the view

      init(_ person: Person) {
        person.observe(\.name) { print("view:", $0) }.disposed(by: bag)
      }
    }

    let (person, row) = (Person(), Row())
    var view: NameView? = NameView(person)
    person.observe(\.label) { print("label:", $0) }  // ends with the person
    person.bind(\.label, to: row, \.title)  // ends with either

    person.name = "Grace"
    person.city = City()
    view = nil  // the label is still observed
    person.city?.name = "Oslo"
    person.name = "Mary"
    print("row:", row.title)
    // end
    _ = view
    end()
  }
}
