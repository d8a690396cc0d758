import Keyline

enum ObservingOtherState: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/ObservingOtherState.md"
  static let file = #filePath

  static func run() async throws {
    observablesInProperties()
    stateThatIsNotStoredInAProperty()
    aClassWithAnotherSuperclass()
    aCallbackATimerATask()
  }

  static func observablesInProperties() {
    // snippet
    final class Station: ReactiveObject { let news = PublishSubject<String>() }
    final class Radio: ReactiveObject { @Observed var station = Station() }

    let radio = Radio()
    _ = radio.observeLatest(\.station.news).subscribe(onNext: { print($0) })
    radio.station.news.onNext("from the first")
    radio.station = Station()
    radio.station.news.onNext("from the second")
    end()
  }

  static func stateThatIsNotStoredInAProperty() {
    // snippet
    final class Clock: ReactiveObject {
      private var ticks = 0
      var hours: Int {
        access("hours")
        return ticks / 3600
      }
      func advance(by seconds: Int) {
        willChange("hours")
        ticks += seconds
        didChange("hours")
      }
    }

    let clock = Clock()
    _ = clock.observe(\.hours).subscribe(onNext: { print($0, "h") })
    clock.advance(by: 7200)
    end()
  }

  static func aClassWithAnotherSuperclass() {
    // snippet
    class Shape { var name = "shape" }

    final class Circle: Shape, PropertyObservable {
      let properties = PropertyRegistry()
      @Observed var radius = 1
    }

    let circle = Circle()
    _ = circle.observe(\.radius).subscribe(onNext: { print("radius", $0) })
    circle.radius = 2
    end()
  }

  static func aCallbackATimerATask() {
    // snippet
    final class Uptime: ReactiveObject {
      @Observed private(set) var seconds = 0

      init(_ ticks: Observable<Int>) {
        super.init()
        ticks.scan(0) { sum, _ in sum + 1 }.assign(to: \.seconds, of: self)
      }
    }

    let ticks = PublishRelay<Int>()
    let uptime = Uptime(ticks.asObservable())
    _ = uptime.observe(\.seconds).subscribe(onNext: { print($0) })
    ticks.accept(0)
    ticks.accept(1)
    end()
  }
}
