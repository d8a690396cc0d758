import Keyline
import Observation

enum ObservationAndSwiftUI: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/ObservationAndSwiftUI.md"
  static let file = #filePath

  static func run() async throws {
    aClassOfBoth()
    await observableObjectsInKeyline()
  }

  // snippet
  final class Note: ReactiveObject, Observation.Observable {
    typealias Observed = ObservationBridged
    @Observed var title = "Laws"
    @Derived({ (self: Note) in self.title.uppercased() }) var heading: String
  }
  // end

  static func aClassOfBoth() {
    // snippet
    let note = Note()
    withObservationTracking {
      print(note.heading)
    } onChange: {
      print("Observation: about to change")
    }
    _ = note.observe(\.heading, options: .new).subscribe(onNext: { print("Keyline:", $0) })
    note.title = "Rules"
    end()
  }

  // snippet
  @Observation.Observable final class Session {
    var user = "Ada"
  }

  final class Cart: ReactiveObject {
    @Observed var count = 0
  }
  // end

  static func observableObjectsInKeyline() async {
    // snippet
    let session = Session()
    let cart = Cart()
    let (lines, line) = AsyncStream<String>.makeStream()
    _ = Keyline.Observable.tracking { "\(session.user): \(cart.count)" }
      .subscribe(onNext: { line.yield($0) })
    cart.count = 1
    session.user = "Bea"
    session.user = "Cleo"
    for await text in lines.prefix(3) { print(text) }
    end()
  }
}
