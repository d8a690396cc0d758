import Keyline
import KeylineTest
import Testing

enum GettingStarted: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/GettingStarted.md"
  static let file = #filePath

  static func run() async throws {
    observe()
  }

  // snippet
  @MainActor final class SleepTimer: ReactiveObject {
    @Observed private(set) var minutes = 0

    init(_ minutes: Int, on scheduler: any SchedulerType) {
      super.init()
      Observable<Int>.interval(.seconds(60), scheduler: scheduler)
        .take(minutes)
        .map { minutes - 1 - $0 }
        .startWith(minutes)
        .assign(to: \.minutes, of: self)
    }
  }
  // end

  struct SleepTimerTests {
    // snippet
    @MainActor @Test func countsMinutesDown() {
      let clock = TestScheduler(initialClock: 0)
      let timer = SleepTimer(2, on: clock)
      let minutes = clock.createObserver(Int.self)
      _ = timer.observe(\.minutes).subscribe(minutes)
      clock.start()
      #expect(minutes.events == [.next(0, 2), .next(60, 1), .next(120, 0)])
    }
    // end
  }

  static func observe() {
    // snippet
    final class Track: ReactiveObject {
      @Observed var title = "Silence"
      @Observed var seconds = 60
      var label: String { "\(title), \(seconds) s" }
    }

    let track = Track()
    let subscription = track.observe(\.label) { print($0) }
    track.title = "Blue in Green"
    track.seconds = 337
    subscription.dispose()
    track.title = "So What"
    end()
    // snippet
    final class Player: ReactiveObject {
      @Observed var track: Track?
    }

    let player = Player()
    player.observeWeakly {
      $0.track.title
    } onNext: {
      print($0 ?? "nothing")
    }
    player.track = track
    track.title = "Flamenco Sketches"
    player.track = nil
    end()
    // snippet
    final class Row: ReactiveObject {
      @Observed var text = ""
      @Observed var length = ""
    }

    let row = Row()
    track.bind(\.label, to: row, \.text)
    track.bind(\.seconds, to: row, \.length, mode: .twoWay, converter: .decimal)
    row.length = "330"
    print(row.text)
    end()
    // snippet
    let lengths = track.observe(\.label) { print($0) }
    batchUpdates {
      track.title = "Blue in Green"
      track.seconds = 337
    }
    lengths.dispose()
    end()
  }
}
