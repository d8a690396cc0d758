import Keyline

enum MovingFromKVO: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/MovingFromKVO.md"
  static let file = #filePath

  static func run() async throws {
    try theSameProgram()
  }

  static func theSameProgram() throws {
    // snippet
    final class Person: ReactiveObject {
      @Observed var name = "Ada"
      @Observed var age = 36
      @Observed var friends = ObservableArray<String>()
      var label: String { "\(name) (\(age))" }
    }

    let person = Person()
    _ = person.observeChanges(\.name, options: [.initial, .old, .new]).subscribe(onNext: { change in
      print(change.old ?? "nothing", "→", change.new ?? "nothing")
    })
    person.observe(\.label, options: .new) { print($0) }
    _ = person.observeChanges(\.friends).subscribe(onNext: { change in
      print(change.kind, change.indexes?.ranges.map { $0 } ?? [], change.new ?? [])
    })
    person.name = "Bea"
    person.friends.append("Cleo")
    end()
    // snippet
    try person.setValue(37, forKey: "age")
    print(try person.value(forKey: "age") ?? "nil")
    print(Person.properties.map(\.name))
    do { try person.setValue("37", forKey: "age") } catch { print(error) }
    do { try person.setValue(1, forKey: "size") } catch { print(error) }
    end()
  }
}
