import Keyline

enum CookbookForms: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/CookbookForms.md"
  static let file = #filePath

  static func run() async throws {
    fields()
    text()
    dependence()
    changes()
    selection()
    lists()
    progress()
    try await mainActor()
  }

  // snippet
  final class Form: ReactiveObject {
    @Observed var text = ""
    @Observed var isEnabled = false
  }

  final class Track: ReactiveObject {
    @Observed var title: String
    @Observed var seconds = 60
    init(_ title: String) { self.title = title }
  }
  // end

  static func fields() {
    do {
      // snippet
      let (track, field) = (Track("So What"), Form())
      let binding = track.bind(\.seconds, to: field, \.text, mode: .twoWay, converter: .decimal)
      _ = binding.errors.subscribe(onNext: { print($0) })
      field.text = "545"
      field.text = "545 s"
      print(track.seconds, field.text)
      end()
    }
    do {
      // snippet
      final class PriceForm: ReactiveObject {
        @Observed var text = "12"
        var message: String? {
          guard let price = Int(text) else { return "'\(text)' is not a number" }
          return price < 0 ? "\(price) is negative" : nil
        }
      }

      let form = PriceForm()
      _ = form.observe(\.message).distinctUntilChanged()
        .subscribe(onNext: { print($0 ?? "valid") })
      for text in ["a lot", "-3", "15"] { form.text = text }
      end()
    }
    do {
      // snippet
      let (track, slider) = (Track("So What"), Track("slider"))
      track.validate(\.seconds) { _, seconds in .coerced(min(max(seconds, 1), 600)) }
      track.bind(\.seconds, to: slider, \.seconds, mode: .twoWay)
      slider.seconds = 9_000
      print(track.seconds, slider.seconds)
      end()
    }
    do {
      // snippet
      enum Size { case small, large }

      final class Order: ReactiveObject { @Observed var size = Size.small }

      let (order, small, large) = (Order(), Form(), Form())
      order.bind(\.size, to: small, \.isEnabled, mode: .twoWay, converter: .case(.small))
      order.bind(\.size, to: large, \.isEnabled, mode: .twoWay, converter: .case(.large))
      large.isEnabled = true
      print(order.size, small.isEnabled, large.isEnabled)
      end()
    }
    do {
      // snippet
      let (track, label) = (Track("So What"), Form())
      track.bind(
        \.seconds, to: label, \.text,
        converter: BindingConverter { "\($0 / 60) min \($0 % 60) s" })
      track.seconds = 545
      print(label.text)
      end()
    }
  }

  static func text() {
    // snippet
    final class Person: ReactiveObject {
      @Observed var nickname: String?
    }

    let (person, label) = (Person(), Form())
    person.bind(\.nickname, to: label, \.text, converter: .placeholder("—"))
    print(label.text)
    person.nickname = "Cannonball"
    print(label.text)
    end()
  }

  static func dependence() {
    // snippet
    final class Trip: ReactiveObject {
      @Observed var country = "Italy"
      @Observed var city = "Rome"
      var cities: [String] { country == "Italy" ? ["Rome", "Turin"] : ["Oslo", "Bergen"] }
    }

    let trip = Trip()
    trip.validate(\.city) { trip, city in
      trip.cities.contains(city) ? .valid : .coerced(trip.cities[0])
    }
    _ = trip.observe(\.country, \.city).subscribe(onNext: { print($0, $1) })
    trip.country = "Norway"
    end()
  }

  static func changes() {
    do {
      // snippet
      final class Editor: ReactiveObject {
        @Observed private(set) var isDirty = false
        init(_ track: Track) {
          super.init()
          track.observeChangeSets().map { _ in true }.bind(to: self, \.isDirty)
        }
        func save() { isDirty = false }
      }

      let track = Track("So What")
      let editor = Editor(track)
      _ = editor.observe(\.isDirty).distinctUntilChanged().subscribe(onNext: { print($0) })
      track.title = "All Blues"
      track.seconds = 693
      editor.save()
      end()
    }
    do {
      // snippet
      final class Draft: ReactiveObject {
        @Observed var title = "So What"
        @Observed var saved = "So What"
        @Derived({ (self: Draft) in self.title != self.saved && !self.title.isEmpty })
        var canBeSaved: Bool
      }

      let (draft, button) = (Draft(), Form())
      draft.bind(\.canBeSaved, to: button, \.isEnabled)
      _ = button.observe(\.isEnabled).subscribe(onNext: { print("enabled:", $0) })
      draft.title = "All Blues"
      draft.title = ""
      end()
    }
  }

  static func selection() {
    // snippet
    final class Library: ReactiveObject {
      let tracks = ObservableArray([Track("So What"), Track("All Blues")])
      @WeakObserved var selection: Track?
    }
    // end
    end()
    do {
      // snippet
      let (library, detail) = (Library(), Form())
      library.bind(
        { $0.selection.title }, to: detail, \.text, mode: .twoWay, whenBroken: .value("(none)"))
      print(detail.text)
      library.selection = library.tracks[1]
      print(detail.text)
      detail.text = "Blue in Green"
      print(library.tracks[1].title)
      end()
    }
    do {
      // snippet
      let library = Library()
      library.selection = library.tracks[0]
      _ = library.observe(\.selection).subscribe(onNext: { print($0?.title ?? "nothing") })
      library.tracks.removeFirst()
      end()
    }
  }

  static func lists() {
    do {
      // snippet
      final class Album: ReactiveObject {
        let tracks = ObservableArray([Track("So What")])
        @Derived({ (self: Album) in self.tracks.reduce(0) { $0 + $1.seconds } }) var seconds: Int
      }

      let album = Album()
      _ = album.observe(\.seconds).subscribe(onNext: { print($0) })
      album.tracks.append(Track("All Blues"))
      album.tracks[0].seconds = 545
      end()
    }
    do {
      // snippet
      final class Search: ReactiveObject {
        let tracks = ObservableArray([Track("So What"), Track("Blue in Green")])
        @Observed var query = ""
        @Derived({ (self: Search) in
          self.tracks.map(\.title).filter { self.query.isEmpty || $0.contains(self.query) }.sorted()
        }) var hits: [String]
      }

      let search = Search()
      _ = search.observe(\.hits).subscribe(onNext: { print($0) })
      search.query = "Blue"
      search.tracks[0].title = "All Blues"
      end()
    }
  }

  static func progress() {
    // snippet
    final class Download: ReactiveObject {
      @Observed var received = 0
      let expected = 10_000
      @Derived({ (self: Download) in 100 * self.received / self.expected }) var percent: Int
    }

    let (download, bar) = (Download(), Form())
    download.bind(\.percent, to: bar, \.text, converter: BindingConverter { "\($0) %" })
    var count = 0
    _ = bar.observe(\.text).subscribe(onNext: { _ in count += 1 })
    while download.received < download.expected { download.received += 10 }
    print(bar.text, "after \(count) emissions")
    end()
  }

  static func mainActor() async throws {
    // snippet
    @MainActor final class PlayerModel: ReactiveObject {
      @Observed private(set) var state = "stopped"
      func play() async {
        state = "loading"
        await Task.yield()
        state = "playing"
      }
    }

    let model = PlayerModel()
    _ = model.observe(\.state).subscribe(onNext: { print($0) })
    await model.play()
    end()
  }
}
