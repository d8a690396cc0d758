import Foundation
import Keyline
import KeylineFoundation

enum FoundationPage: SnippetFile {
  static let page = "Sources/KeylineFoundation/KeylineFoundation.docc/KeylineFoundation.md"
  static let file = #filePath

  static func run() async throws {
    overview()
  }

  static func overview() {
    // snippet
    struct Track: Decodable { let title: String }

    let name = Notification.Name("downloaded")
    let subscription = NotificationCenter.default.rx.notification(name)
      .compactMap { $0.userInfo?["data"] as? Data }
      .decode(type: Track.self, decoder: JSONDecoder())
      .subscribe(onNext: { print($0.title) }, onError: { print($0) })
    NotificationCenter.default.post(
      name: name, object: nil, userInfo: ["data": Data(#"{"title": "So What"}"#.utf8)])
    subscription.dispose()
    end()
  }
}
