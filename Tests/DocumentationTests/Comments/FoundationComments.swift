import Foundation
import Keyline
import KeylineFoundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

enum FoundationComments: SnippetFile {
  static let page = "Sources/KeylineFoundation"
  static let file = #filePath

  static func run() async throws {
    urlsessionSwift1()
  }

  static func urlsessionSwift1() {
    let session = URLSession.shared
    let url = URL(filePath: "/")
    let parsing = SerialDispatchQueueScheduler(qos: .utility)
    // snippet
    let texts = session.rx.json(url: url).observe(on: parsing).map { json in "\(json)" }
    // end
    _ = texts
    end()
  }
}
