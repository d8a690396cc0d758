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
    extending()
  }

  static func extending() {
    // snippet
    _ = Observable.of(1, 4, 6).differences().toArray().subscribe(onSuccess: { print($0) })
    end()
  }
}
