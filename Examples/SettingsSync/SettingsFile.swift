import ExampleSupport
import Foundation

/// A file with settings as JSON.
struct SettingsFile: Sendable {
  let path: String

  /// The state it is in; nil if there is none.
  var stamp: File.Stamp? { File.stamp(of: path) }

  func read() throws -> Settings.Values {
    let data = Data(try File.contents(of: path))
    do {
      return try JSONDecoder().decode(Settings.Values.self, from: data)
    } catch let error as DecodingError {
      throw MalformedFile(path: path, SettingsError(error))
    }
  }

  /// Replaces the file as a whole.
  ///
  /// - Returns: the state it is in then.
  func write(_ values: Settings.Values) throws -> File.Stamp {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let text = String(decoding: try encoder.encode(values), as: UTF8.self)
    return try File.replace(path, with: text + "\n")
  }
}

/// Why a text is not settings.
struct SettingsError: Error, CustomStringConvertible {
  let description: String

  init(_ error: DecodingError) {
    func key(_ path: [any CodingKey]) -> String? { path.last.map { "'\($0.stringValue)'" } }
    description =
      switch error {
      case .keyNotFound(let missing, _): "there is no '\(missing.stringValue)'"
      case .typeMismatch(_, let context), .valueNotFound(_, let context):
        "\(key(context.codingPath) ?? "the whole") is of another type"
      case .dataCorrupted(let context):
        key(context.codingPath).map { "\($0) has no such value" } ?? "this is not JSON"
      @unknown default: "this is not JSON"
      }
  }
}
