import Keyline
import TestSupport
import Testing

/// Chains that lead through properties of a protocol type.
@Suite struct ExistentialHopTests {
  final class Form: ReactiveObject { @Observed var celsius = "" }

  protocol Titled: PropertyObservable { var title: String { get set } }

  final class Page: ReactiveObject, Titled { @Observed var title = "page" }

  final class Book: Titled {
    let properties = PropertyRegistry()
    @Observed var title = "book"
  }

  final class Reader: ReactiveObject {
    @Observed var doc: (any Titled)?
    @Observed var always: any Titled = Page()
  }

  @Test("An existential hop is followed") func anExistentialHopIsFollowed() {
    let reader = Reader()
    let (titles, always, causes) = (Log<String?>(), Log<String?>(), Log<ChangeCause>())
    titles.follow(reader.observeWeakly { $0.doc.title })
    always.follow(reader.observeWeakly { $0.always.title })
    causes.follow(reader.observeChanges { $0.doc.title }.map(\.cause))
    let page = Page()
    reader.doc = page
    page.title = "second"
    reader.doc = Book()
    reader.doc?.title = "third"
    reader.doc = nil
    page.title = "fourth"
    titles.expect([nil, "page", "second", "book", "third", nil])
    causes.expect([.hopReplaced(0), .set, .hopReplaced(0), .set, .hopBecameNil(0)])
    reader.always.title = "other"
    reader.always = page
    always.expect(["page", "other", "fourth"])
  }

  @Test("An existential hop is written by bindings") func anExistentialHopIsWrittenByBindings() {
    let (reader, source) = (Reader(), Form())
    let page = Page()
    source.celsius = "a"
    source.bind(\.celsius, to: reader, { $0.doc.title })
    source.bind(\.celsius, to: reader, { $0.always.title }, mode: .twoWay)
    #expect(reader.always.title == "a")
    reader.doc = page
    #expect(page.title == "a")
    source.celsius = "b"
    #expect(page.title == "b" && reader.always.title == "b")
    let book = Book()
    reader.doc = book
    #expect(book.title == "b")
    source.celsius = "c"
    #expect((page.title, book.title, reader.always.title) == ("b", "c", "c"))
    reader.always.title = "d"
    #expect(source.celsius == "d" && book.title == "d")
    reader.always = Page()
    #expect(reader.always.title == "d")
    source.observe(\.celsius).bind(to: reader) { $0.doc.title }
    source.celsius = "e"
    #expect(book.title == "e")
  }
}
