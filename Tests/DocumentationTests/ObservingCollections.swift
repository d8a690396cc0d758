import Keyline

enum ObservingCollections: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/ObservingCollections.md"
  static let file = #filePath

  static func run() async throws {
    plainArrays()
    arraysThatEmitEdits()
    asAPropertyAndOnAPath()
    whatIsComputedFromAnArray()
    propertiesOfTheElements()
    inABatch()
  }

  static func plainArrays() {
    // snippet
    final class Playlist: ReactiveObject {
      @Observed var titles = ["So What"]
    }

    let playlist = Playlist()
    _ = playlist.observe(\.titles.count).subscribe(onNext: { print($0) })
    _ = playlist.observeDifference(\.titles).subscribe(onNext: { difference in
      print("inserted", difference.insertions.count, "removed", difference.removals.count)
    })
    playlist.titles.append("Blue in Green")
    playlist.titles = ["Blue in Green", "All Blues"]
    end()
  }

  static func arraysThatEmitEdits() {
    // snippet
    final class Playlist: ReactiveObject {
      let titles = ObservableArray<String>()
    }

    let playlist = Playlist()
    _ = playlist.titles.changes.subscribe(onNext: { edits in
      for edit in edits { print(edit) }
    })
    playlist.titles.append(contentsOf: ["So What", "All Blues"])
    playlist.titles.insert("Blue in Green", at: 1)
    playlist.titles.move(from: 2, to: 0)
    playlist.titles[0] = "Freddie Freeloader"
    playlist.titles.removeAll { $0.hasPrefix("S") }
    playlist.titles.update { titles in
      titles.removeLast()
      titles.append("Flamenco Sketches")
    }
    end()
    // snippet
    let names: ObservableArray = ["Ada", "Bea"]
    var copy = names.elements
    _ = names.changes.subscribe(onNext: { for edit in $0 { edit.apply(to: &copy) } })
    names.insert("Cleo", at: 1)
    names.swapAt(0, 2)
    print(copy == names.elements, copy)
    end()
  }

  static func asAPropertyAndOnAPath() {
    // snippet
    final class Team: ReactiveObject { @Observed var members = ObservableArray<String>() }
    final class Office: ReactiveObject { @Observed var team: Team? }

    let office = Office()
    _ = office.observeChanges(\.team?.members, options: [.initial, .old, .new])
      .subscribe(onNext: { change in
        print(change.kind, "-", change.old ?? [], "+", change.new ?? [])
      })
    office.team = Team()
    office.team?.members.append("Ada")
    office.team?.members.append("Bea")
    office.team?.members.move(from: 0, to: 1)
    office.team?.members = ["Cleo"]
    end()
  }

  static func whatIsComputedFromAnArray() {
    // snippet
    final class Line: ReactiveObject {
      @Observed var price: Int
      init(_ price: Int) {
        self.price = price
        super.init()
      }
    }
    final class Order: ReactiveObject {
      let lines = ObservableArray<Line>()
      @Derived({ (self: Order) in self.lines.reduce(0) { $0 + $1.price } }) var total: Int
    }

    let order = Order()
    _ = order.observe(\.total).subscribe(onNext: { print($0) })
    order.lines.append(contentsOf: [Line(10), Line(20)])
    order.lines[0].price = 15
    order.lines.removeLast()
    end()
  }

  static func propertiesOfTheElements() {
    // snippet
    final class Download: ReactiveObject {
      let name: String
      @Observed var progress = 0
      init(_ name: String) {
        self.name = name
        super.init()
      }
    }

    let downloads: ObservableArray = [Download("a"), Download("b")]
    _ = downloads.observeElements(\.progress).subscribe(onNext: { print($0.name, $1) })
    downloads[1].progress = 50
    downloads.append(Download("c"))
    downloads.removeFirst()
    end()
  }

  static func inABatch() {
    // snippet
    let names: ObservableArray = ["Ada"]
    _ = names.changes.subscribe(onNext: { print($0.count, "edits") })
    batchUpdates {
      names.append("Bea")
      names.append("Cleo")
    }
    end()
  }
}
