import Keyline

enum OperatorComments: SnippetFile {
  static let page = "Sources/KeylineCore/Operators"
  static let file = #filePath

  static func run() async throws {
    try await concurrencySwift1()
    creatingSwift1()
    creatingsequencesSwift1()
    sharingSwift1()
    sharingSwift2()
  }

  static func concurrencySwift1() async throws {
    let prices = Observable.of(3, 4)
    // snippet
    for try await price in prices.values { print(price) }
    end()
  }

  static func creatingSwift1() {
    // snippet
    let answers = Observable<Int>.create { observer in
      observer.onNext(42)
      observer.onCompleted()
      return Disposables.create()
    }
    // end
    _ = answers
    end()
  }

  static func creatingsequencesSwift1() {
    // snippet
    let powers = Observable.generate(initialState: 1, condition: { $0 < 20 }, iterate: { $0 * 3 })
    _ = powers.subscribe(onNext: { print($0) })
    end()
  }

  static func sharingSwift1() {
    // snippet
    let source = Observable<Int>.create { observer in
      print("subscribed")
      observer.onNext(1)
      observer.onCompleted()
      return Disposables.create()
    }
    let shared = source.share(replay: 1, scope: .whileConnected)
    _ = shared.subscribe { print("while connected:", $0) }
    _ = shared.subscribe { print("while connected:", $0) }

    let lasting = source.share(replay: 1, scope: .forever)
    _ = lasting.subscribe { print("forever:", $0) }
    _ = lasting.subscribe { print("forever:", $0) }
    end()
  }

  static func sharingSwift2() {
    // snippet
    let numbers = Observable.of(1, 2).publish()
    _ = numbers.subscribe { print("a", $0) }
    _ = numbers.subscribe { print("b", $0) }
    _ = numbers.connect()
    end()
  }
}
