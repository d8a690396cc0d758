import Keyline

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

enum Moving: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Moving.md"
  static let file = #filePath

  static func run() async throws {
    fromRxSwift()
    try fromKVO()
  }

  static func fromRxSwift() {
    final class Track: ReactiveObject { @Observed var title = "So What" }
    // snippet
    let track = Track()
    let titles: RxSwift.Observable<String> = track.observe(\.title).asRxSwift()
    _ = titles.subscribe(onNext: { print("RxSwift:", $0) })

    let downloads = RxSwift.PublishSubject<String>()
    _ = downloads.subscribe(onNext: { [weak track] in track?.title = $0 })
    downloads.onNext("All Blues")
    end()
  }

  // snippet
  final class Person: ReactiveObject {
    @Observed var name = "Ada"
    @Observed var age = 36
    var label: String { "\(name) (\(age))" }
  }
  // end

  static func fromKVO() throws {
    // snippet
    let person = Person()
    _ = person.observeChanges(\.name, options: [.initial, .old, .new]).subscribe(onNext: { change in
      print(change.old ?? "nothing", "→", change.new ?? "nothing")
    })
    person.observe(\.label, options: .new) { print($0) }
    person.name = "Bea"
    try person.setValue(37, forKey: "age")
    print(Person.properties.map(\.name))
    do { try person.setValue("37", forKey: "age") } catch { print(error) }
    do { try person.setValue(1, forKey: "size") } catch { print(error) }
    end()
  }
}

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
