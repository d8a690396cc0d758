import Keyline

enum LandingPage: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Keyline.md"
  static let file = #filePath

  static func run() async throws {
    overview()
  }

  // snippet
  final class Person: ReactiveObject {
    @Observed var name = ""
    @Observed var address: Address?
    @WeakObserved var manager: Person?
    var label: String { "\(name), \(address?.city ?? "—")" }
  }
  // end

  final class Address: ReactiveObject { @Observed var city = "Rome" }
  final class Row: ReactiveObject { @Observed var title = "" }

  static func overview() {
    let person = Person()
    let row = Row()
    // snippet
    _ = person.observe(\.label).subscribe(onNext: { print($0) })
    _ = person.observeWeakly { $0.manager.address.city }.subscribe(onNext: { print($0 ?? "nil") })
    person.bind(\.label, to: row, \.title)
    person.name = "Ada"
    end()
  }
}
