import Foundation
import Keyline
import Observation

enum Cookbook: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Cookbook.md"
  static let file = #filePath

  static func run() async throws {
    observing()
    otherObjects()
    ending()
    try await places()
    arrays()
    bindings()
    try saving()
    otherLibraries()
    changes()
  }

  // snippet
  final class Artist: ReactiveObject {
    @Observed var name = "Miles Davis"
  }

  final class Track: ReactiveObject {
    @Observed var title = "So What"
    @Observed var plays = 0
    @Observed var artist: Artist?
    var label: String { "\(title) (\(plays))" }
  }
  // end

  static func observing() {
    do {
      // snippet
      let track = Track()
      _ = track.observe(\.title).subscribe(onNext: { print($0) })
      track.title = "Blue in Green"
      end()
    }
    do {
      // snippet
      let track = Track()
      _ = track.observeChanges(\.plays, options: [.old, .new]).subscribe(onNext: { change in
        print(change.old!, "→", change.new!)
      })
      track.plays += 1
      end()
    }
    do {
      // snippet
      let track = Track()
      _ = track.observe(\.title, \.plays).subscribe(onNext: { title, plays in
        print(title, plays)
      })
      batchUpdates {
        track.title = "Blue in Green"
        track.plays = 1
      }
      end()
    }
    do {
      // snippet
      let track = Track()
      _ = track.observe(\.label).subscribe(onNext: { print($0) })
      track.plays = 1
      track.title = "All Blues"
      end()
    }
  }

  static func otherObjects() {
    // snippet
    let track = Track()
    _ = track.observeWeakly { $0.artist.name }.subscribe(onNext: { print($0 ?? "nobody") })
    track.artist = Artist()
    track.artist?.name = "Bill Evans"
    track.artist = nil
    end()
  }

  static func ending() {
    do {
      // snippet
      let track = Track()
      let subscription = track.observe(\.title).subscribe(onNext: { print("one:", $0) })
      var bag = DisposeBag()
      track.observe(\.title).subscribe(onNext: { print("two:", $0) }).disposed(by: bag)
      subscription.dispose()
      track.title = "All Blues"
      bag = DisposeBag()
      track.title = "Blue in Green"
      end()
      _ = bag
    }
    do {
      // snippet
      final class Player: ReactiveObject {
        @Observed var volume = 5
        func start() {
          _ = observe(\.volume).subscribe(onNext: { [weak self] in self?.show($0) })
        }
        func show(_ volume: Int) { print("volume", volume) }
        deinit { print("released") }
      }

      Player().start()
      end()
    }
  }

  static func places() async throws {
    do {
      // snippet
      let track = Track()
      _ = track.observe(\.title).subscribe(onNext: { print("here:", $0) })
      let elsewhere = track.observe(\.title)
        .observe(on: SerialDispatchQueueScheduler(qos: .utility))
        .map { @Sendable title in "elsewhere: \(title)" }
      let lines = elsewhere.take(2).values
      track.title = "All Blues"
      print("the set has returned")
      for try await line in lines { print(line) }
      end()
    }
    do {
      // snippet
      var track: Track? = Track()
      let titles = track!.values(of: \.title)
      track?.title = "All Blues"
      track = nil
      for await title in titles { print(title) }
      print("the track is gone")
      end()
    }
  }

  static func arrays() {
    do {
      // snippet
      final class Album: ReactiveObject {
        let tracks = ObservableArray<String>()
      }

      let album = Album()
      _ = album.tracks.changes.subscribe(onNext: { edits in
        for edit in edits { print(edit.removedRange, edit.removed, "→", edit.inserted) }
      })
      album.tracks.append("So What")
      album.tracks.insert("Intro", at: 0)
      album.tracks[1] = "All Blues"
      album.tracks.removeFirst()
      end()
    }
    do {
      // snippet
      let tracks = ObservableArray([Track()])
      _ = tracks.observeElements(\.plays).subscribe(onNext: { track, plays in
        print(track.title, plays)
      })
      let other = Track()
      other.title = "Freddie Freeloader"
      tracks.append(other)
      other.plays = 7
      tracks.removeLast()
      other.plays = 8
      end()
    }
  }

  static func bindings() {
    do {
      // snippet
      final class Row: ReactiveObject {
        @Observed var title = ""
      }

      let (track, row) = (Track(), Row())
      track.bind(\.title, to: row, \.title, mode: .twoWay)
      row.title = "Blue in Green"
      print(track.title)
      end()
    }
    do {
      // snippet
      enum Mistake: Error { case tooShort, different }

      final class SignUp: ReactiveObject {
        @Observed var password = ""
        @Observed var repeated = ""
        @Derived(
          or: false,
          { (self: SignUp) in
            guard self.password.count > 3 else { throw Mistake.tooShort }
            guard self.password == self.repeated else { throw Mistake.different }
            return true
          }) var isValid: Bool
      }
      // end
      end()
      // snippet
      let form = SignUp()
      _ = form.$isValid.errors.subscribe(onNext: { print($0) })
      _ = form.observe(\.isValid).subscribe(onNext: { print("may be sent:", $0) })
      form.password = "blue"
      form.repeated = "blue"
      form.password = "b"
      end()
    }
  }

  static func saving() throws {
    // snippet
    final class Settings: ReactiveObject, Codable {
      @Observed var theme = "light"
      @Observed var size: Int?
    }

    let settings = Settings()
    settings.theme = "dark"
    let data = try JSONEncoder().encode(settings)
    print(String(decoding: data, as: UTF8.self))
    print(try JSONDecoder().decode(Settings.self, from: data).theme)
    end()
  }

  static func otherLibraries() {
    do {
      // snippet
      final class Note: ReactiveObject, Observation.Observable {
        typealias Observed = ObservationBridged
        @Observed var title = "Draft"
      }

      let note = Note()
      withObservationTracking {
        print("drawn:", note.title)
      } onChange: {
        print("outdated")
      }
      _ = note.observe(\.title, options: .new).subscribe(onNext: { print("observed:", $0) })
      note.title = "Final"
      end()
    }
    do {
      // snippet
      let track = Track()
      let titles: RxSwift.Observable<String> = track.observe(\.title).asRxSwift()
      _ = titles.subscribe(onNext: { print("RxSwift:", $0) })

      let downloads = RxSwift.PublishSubject<String>()
      _ = downloads.subscribe(onNext: { [weak track] in track?.title = $0 })
      downloads.onNext("All Blues")
      end()
    }
  }

  static func changes() {
    // snippet
    let track = Track()
    _ = track.observeChangeSets().subscribe(onNext: { changes in
      print(changes.map { "\($0.name): \($0.old ?? "nil") → \($0.new ?? "nil")" })
    })
    track.plays = 1
    batchUpdates {
      track.title = "All Blues"
      track.plays = 2
    }
    end()
  }
}

// snippet
extension Keyline.ObservableType {
  func asRxSwift() -> RxSwift.Observable<Element> {
    .create { observer in
      let subscription = self.subscribe(
        onNext: { observer.onNext($0) }, onError: { observer.onError($0) },
        onCompleted: { observer.onCompleted() })
      return RxSwift.Disposables.create { subscription.dispose() }
    }
  }
}
// end

/// The part of RxSwift that the page uses, with RxSwift's signatures: this package has no
/// dependencies. The snippets also compile with the module itself.
enum RxSwift {
  final class Observable<Element> {
    private let start: (AnyObserver<Element>) -> Disposables.Closure

    init(_ start: @escaping (AnyObserver<Element>) -> Disposables.Closure) { self.start = start }

    static func create(
      _ start: @escaping (AnyObserver<Element>) -> Disposables.Closure
    ) -> Observable { Observable(start) }

    func subscribe(onNext: @escaping (Element) -> Void) -> Disposables.Closure {
      start(AnyObserver(onNext: onNext))
    }
  }

  struct AnyObserver<Element> {
    let onNext: (Element) -> Void
    func onError(_ error: any Error) {}
    func onCompleted() {}
  }

  enum Disposables {
    struct Closure { let dispose: () -> Void }
    static func create(_ dispose: @escaping () -> Void) -> Closure { Closure(dispose: dispose) }
  }

  final class PublishSubject<Element> {
    private var observers: [(Element) -> Void] = []

    func subscribe(onNext: @escaping (Element) -> Void) -> Disposables.Closure {
      observers.append(onNext)
      return Disposables.create {}
    }

    func onNext(_ element: Element) { observers.forEach { $0(element) } }
  }
}
