import Foundation
import Keyline

enum Saving: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Saving.md"
  static let file = #filePath

  static func run() async throws {
    try codableAsUsual()
    try weakProperties()
    try byName()
  }

  // snippet
  final class Track: ReactiveObject, Codable {
    @Observed var title = ""
    @Observed var seconds: Int?
    enum CodingKeys: CodingKey { case title, seconds }
  }

  final class Album: ReactiveObject, Codable {
    @Observed var name = ""
    @Observed var tracks = ObservableArray<Track>()
    @WeakObserved var selection: Track?
    @Derived({ (self: Album) in self.tracks.reduce(0) { $0 + ($1.seconds ?? 0) } }) var length: Int
    enum CodingKeys: CodingKey { case name, tracks }
  }
  // end

  static func codableAsUsual() throws {
    // snippet
    let album = Album()
    album.name = "Kind of Blue"
    album.tracks.append(Track())
    album.tracks[0].title = "So What"

    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let data = try encoder.encode(album)
    print(String(decoding: data, as: UTF8.self))

    let copy = try JSONDecoder().decode(Album.self, from: data)
    print(copy.name, copy.tracks.map(\.title), copy.length)
    end()
  }

  static func weakProperties() throws {
    // snippet
    final class Document: ReactiveObject, Codable {
      @Observed var album = Album()

      private enum CodingKeys: CodingKey { case album, selection }

      override init() { super.init() }

      init(from decoder: any Decoder) throws {
        super.init()
        let values = try decoder.container(keyedBy: CodingKeys.self)
        album = try values.decode(Album.self, forKey: .album)
        let index = try values.decodeIfPresent(Int.self, forKey: .selection)
        album.selection = index.map { album.tracks[$0] }
      }

      func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(album, forKey: .album)
        let index = album.tracks.firstIndex { $0 === album.selection }
        try values.encodeIfPresent(index, forKey: .selection)
      }
    }

    let document = Document()
    document.album.tracks.append(Track())
    document.album.selection = document.album.tracks[0]
    let data = try JSONEncoder().encode(document)
    let copy = try JSONDecoder().decode(Document.self, from: data)
    print(copy.album.selection === copy.album.tracks[0])
    end()
  }

  static func byName() throws {
    // snippet
    let album = Album()
    for line in ["name=Laws", "length=12", "size=4"] {
      let parts = line.split(separator: "=").map(String.init)
      do {
        try album.setValue(Int(parts[1]) as Any? ?? parts[1], forKey: parts[0])
      } catch { print(error) }
    }
    print(album.name)
    end()
  }
}
