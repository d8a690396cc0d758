import ExampleSupport
import Keyline

/// The view model: a text that is typed, and the search that follows from it.
///
///     keys ──▶ query ── debounced ──▶ flatMapLatest(search) ── on the main thread ──▶ search
///
/// It lives on the main actor. The searches run elsewhere, one at a time: the next query disposes the
/// search that is under way, which stops, and shows in `ended` how far it had come.
@MainActor final class SearchModel: ReactiveObject {
  /// Where things happen: both are the same virtual clock in a script.
  struct Schedulers {
    var main: any SchedulerType
    var background: any SchedulerType
  }

  /// How long nothing must be typed before a search begins.
  static let pause = Duration.milliseconds(200)
  /// How many searches that have ended are kept.
  private static let historyLength = 5

  @Observed var query = ""
  @Observed private(set) var search = Search()
  /// The latest searches that have ended, the newest last.
  @Observed private(set) var ended: [Search] = []

  /// The status of the search, as text.
  @Derived({ (self: SearchModel) in
    let (search, unit) = (self.search, self.unit)
    guard !search.query.isEmpty else { return "type to search \(self.size) \(unit)" }
    return search.isComplete
      ? "'\(search.query)': \(search.hits.count) lines in \(search.total) \(unit)"
      : "'\(search.query)': searching, \(search.searched) of \(search.total) \(unit)"
  }) var status: String

  private let unit: String
  private let size: Int

  init(_ searcher: Searcher, on schedulers: Schedulers) {
    unit = searcher.corpus.unit
    size = searcher.corpus.parts.count
    super.init()
    observe(\.query)
      .map(Format.oneLine)
      .debounce(Self.pause, scheduler: schedulers.main)
      .distinctUntilChanged()
      .flatMapLatest { query in
        searcher.search(query, on: schedulers.background).observe(on: schedulers.main)
      }
      .assign(to: \.search, of: self)
    searcher.ended
      .observe(on: schedulers.main)
      .scan([]) { ended, search in (ended + [search]).suffix(Self.historyLength) }
      .assign(to: \.ended, of: self)
  }

  /// Takes a key stroke in.
  func press(_ key: Key) {
    switch key {
    case .text(let text): query += text
    case .delete: query = String(query.dropLast())
    case .clear: query = ""
    case .end, .up, .down: break
    }
  }
}

extension Search {
  /// The outcome of the search: complete, or stopped.
  var outcome: String {
    isComplete
      ? "found '\(query)' in \(hits.count) lines"
      : "stopped '\(query)' after \(searched) of \(total)"
  }
}
