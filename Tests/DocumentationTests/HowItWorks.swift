import Keyline

enum HowItWorks: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/HowItWorks.md"
  static let file = #filePath

  static func run() async throws {
    theSerializerWhereThreadsMeet()
    settlingMarksDownValuesUp()
  }

  static func theSerializerWhereThreadsMeet() {
    // snippet
    let subject = PublishSubject<Int>()
    _ = subject.subscribe(onNext: { [weak subject] in if $0 < 3 { subject?.onNext($0 + 1) } })
    _ = subject.subscribe(onNext: { print($0) })
    subject.onNext(1)
    end()
  }

  static func settlingMarksDownValuesUp() {
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
}
