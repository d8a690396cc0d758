import Keyline

enum OperatorComments: SnippetFile {
  static let page = "Sources/KeylineCore/Operators"

  static func run() async throws {
    try await concurrencySwift1()
    creatingSwift1()
    creatingsequencesSwift1()
    sharingSwift1()
    sharingSwift2()
  }

  static func concurrencySwift1() async throws {
    let prices = Observable.of(3, 4)
    // block Concurrency
    end("Concurrency")
  }

  static func creatingSwift1() {
    // block Creating
    _ = answers
    end("Creating")
  }

  static func creatingsequencesSwift1() {
    // block CreatingSequences
    end("CreatingSequences")
  }

  static func sharingSwift1() {
    // block Sharing
    end("Sharing")
  }

  static func sharingSwift2() {
    // block Sharing 2
    end("Sharing 2")
  }
}
