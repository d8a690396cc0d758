import Keyline

// block From RxSwift

enum Moving: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Moving.md"

  static func run() async throws {
    fromRxSwift()
    try fromKVO()
  }

  static func fromRxSwift() {
    final class Track: ReactiveObject { @Observed var title = "So What" }
    // block From RxSwift 2
    end("From RxSwift 2")
  }

  // block From KVO

  static func fromKVO() throws {
    // block From KVO 2
    end("From KVO 2")
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
