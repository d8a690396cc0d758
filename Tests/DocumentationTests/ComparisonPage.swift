import Keyline
import Observation

enum ComparisonPage: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Comparison.md"
  static let file = #filePath

  static func run() async throws {
    await aClassOfBoth()
    await observableObjectsInKeyline()
  }

  // snippet
  final class Note: ReactiveObject, Observation.Observable {
    typealias Observed = ObservationBridged
    @Observed var title = "Laws"
    @Derived({ (self: Note) in self.title.uppercased() }) var heading: String
  }
  // end

  static func aClassOfBoth() async {
    // snippet
    let note = Note()
    let headings = Observations { [note] in note.heading }
    var later = headings.makeAsyncIterator()
    print("Observations:", await later.next() ?? "")
    note.observe(\.heading, options: .new) { print("Keyline:", $0) }
    withObservationTracking {
      _ = note.heading
    } onChange: {
      print("withObservationTracking: about to change")
    }
    note.title = "Rules"
    note.title = "Limits"
    print("Observations:", await later.next() ?? "")
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
