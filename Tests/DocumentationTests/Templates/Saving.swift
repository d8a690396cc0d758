import Foundation
import Keyline

enum Saving: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Saving.md"

  static func run() async throws {
    try codableAsUsual()
    try weakProperties()
    try byName()
  }

  // block `Codable` as usual

  static func codableAsUsual() throws {
    // block `Codable` as usual 2
    end("`Codable` as usual 2")
  }

  static func weakProperties() throws {
    // block Weak properties
    end("Weak properties")
  }

  static func byName() throws {
    // block By name
    end("By name")
  }
}
