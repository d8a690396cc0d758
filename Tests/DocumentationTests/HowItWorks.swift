import Keyline

// snippet
extension ObservableType<Int> {
  /// Emits the difference of each element to the one before it.
  func differences() -> Observable<Int> {
    Observable.deferred {
      var previous = 0
      return self.map { element in
        defer { previous = element }
        return element - previous
      }
    }
  }
}
// end

enum HowItWorks: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/HowItWorks.md"
  static let file = #filePath

  static func run() async throws {
    theEngine()
    extending()
  }

  static func theEngine() {
    // snippet
    final class Sheet: ReactiveObject {
      @Observed var number = 1
      @Derived({ (self: Sheet) in
        print("  parity")
        return self.number % 2 == 0
      }) var isEven: Bool
      @Derived({ (self: Sheet) in
        print("  text")
        return self.isEven ? "even" : "odd"
      }) var text: String
    }

    let sheet = Sheet()
    _ = sheet.observe(\.text).subscribe(onNext: { print($0) })
    sheet.number = 3
    sheet.number = 4
    end()
  }

  static func extending() {
    // snippet
    _ = Observable.of(1, 4, 6).differences().toArray().subscribe(onSuccess: { print($0) })
    end()
  }
}
