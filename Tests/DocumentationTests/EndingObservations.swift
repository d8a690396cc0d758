import Keyline

enum EndingObservations: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/EndingObservations.md"
  static let file = #filePath

  static func run() async throws {
    whoKeepsWhat()
    endingASubscriptionEarly()
    weakSelf()
    operatorsThatKeepElements()
    deathAsAnEvent()
  }

  static func whoKeepsWhat() {
    // snippet
    final class Track: ReactiveObject {
      @Observed var title = "So What"
    }

    var track: Track? = Track()
    _ = track!.observe(\.title).subscribe(
      onNext: { print($0) }, onCompleted: { print("completed") }, onDisposed: { print("disposed") })
    track = nil
    end()
  }

  static func endingASubscriptionEarly() {
    // snippet
    final class Track: ReactiveObject {
      @Observed var title = "So What"
    }

    final class TitleView {
      private let bag = DisposeBag()

      init(_ track: Track) {
        track.observe(\.title).subscribe(onNext: { print($0) }).disposed(by: bag)
      }
    }

    let track = Track()
    var view: TitleView? = TitleView(track)
    track.title = "Blue in Green"
    view = nil
    track.title = "All Blues"
    end()
    _ = view
  }

  static func weakSelf() {
    // snippet
    final class Counter: ReactiveObject {
      @Observed var count = 0
      func report(strongly: Bool) {
        if strongly {
          _ = observe(\.count).subscribe(onNext: { _ in _ = self.count })
        } else {
          _ = observe(\.count).subscribe(onNext: { [weak self] _ in _ = self?.count })
        }
      }
      deinit { print("released") }
    }

    for strongly in [true, false] {
      print("strongly:", strongly)
      Counter().report(strongly: strongly)
    }
    end()
    // snippet
    final class Meter: ReactiveObject {
      @Observed var value = 0
      func start() {
        _ = observe(\.value).subscribe(with: self, onNext: { meter, _ in print(meter.value) })
      }
    }

    let meter = Meter()
    meter.start()
    meter.value = 3
    end()
  }

  static func operatorsThatKeepElements() {
    // snippet
    final class Track: ReactiveObject {
      @Observed var title = "So What"
    }
    final class Player: ReactiveObject {
      @WeakObserved var track: Track?
    }

    func isReleased(_ observe: (Player) -> any Disposable) -> Bool {
      let player = Player()
      var track: Track? = Track()
      player.track = track
      let subscription = observe(player)
      defer { subscription.dispose() }
      track = nil
      return player.track == nil
    }

    print(isReleased { $0.observe(\.track).distinctUntilChanged(===).subscribe(onNext: { _ in }) })
    print(isReleased { $0.observe(\.track).map { $0?.title }.distinctUntilChanged().subscribe() })
    end()
  }

  static func deathAsAnEvent() {
    // snippet
    final class Track: ReactiveObject {}

    var track: Track? = Track()
    _ = track!.deallocated.subscribe(onNext: { print("gone") })
    track = nil
    end()
  }
}
