import Keyline
import Synchronization

/// How far a search has come.
struct Search: Equatable, Sendable {
  var query = ""
  /// In how many parts it searches.
  var total = 0
  /// How many of them it has been through.
  var searched = 0
  var hits: [Hit] = []

  var isComplete: Bool { searched == total }
}

/// Searches a corpus, a part at a time, on a scheduler of its own.
final class Searcher: Sendable {
  let corpus: Corpus
  /// Every search that has ended, by itself or because it was disposed.
  let ended = PublishRelay<Search>()
  /// How many parts have been searched by all searches. It stands still when none is under way.
  var work: Int { counter.load(ordering: .relaxed) }

  private let counter = Atomic(0)
  private let pace: Duration

  /// - Parameter pace: the time for each part.
  init(_ corpus: Corpus, pace: Duration) {
    self.corpus = corpus
    self.pace = pace
  }

  /// Emits the state of the search for `query` at first and after each part. Disposing the subscription
  /// stops the search; the remaining parts are not searched.
  ///
  /// The job is a resource of the subscription: it is made and disposed with the subscription.
  func search(_ query: String, on scheduler: any SchedulerType) -> Observable<Search> {
    guard !query.isEmpty else { return .just(Search()) }
    let parts = corpus.parts
    return .using { [self] in
      Job(Search(query: query, total: parts.count), ended: ended)
    } observableFactory: { [self, pace] job in
      Observable<Int>.interval(pace, scheduler: scheduler)
        .take(parts.count)
        .map { [self] index in
          counter.add(1, ordering: .relaxed)
          return job.search(parts[index])
        }
        .startWith(job.search)
    }
  }

  /// One search, shared by the searching thread and the disposing thread.
  private final class Job: Disposable {
    private let state: Mutex<Search>
    private let ended: PublishRelay<Search>

    init(_ search: Search, ended: PublishRelay<Search>) {
      state = Mutex(search)
      self.ended = ended
    }

    var search: Search { state.withLock { $0 } }

    func search(_ part: Corpus.Part) -> Search {
      let hits = part.hits(of: search.query)
      return state.withLock { search in
        search.searched += 1
        search.hits += hits
        return search
      }
    }

    func dispose() { ended.accept(search) }
  }
}
