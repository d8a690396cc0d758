import Keyline
import Observation

// The three homes of a model: anywhere, on the main actor, in an actor of its own; with collections,
// changes, asynchronous sequences, and the standard library's Observation.

/// A plain model with a to-many property.
final class Playlist: ReactiveObject {
  @Observed var name = ""
  @Observed var players = ObservableArray<Player>()
  @Observed var tags: [String] = []
  var loudness: Double { players.reduce(0) { $0 + $1.volume } }
}

/// Plain code, confined to wherever it is called.
func summary(of playlist: Playlist) -> [String] {
  var lines: [String] = []
  playlist.observe(\.loudness).subscribe(onNext: { lines.append("\($0)") }).dispose()
  playlist.players.changes
    .subscribe(onNext: { edits in
      for case .insertion(let players, let index) in edits {
        lines.append("\(players.count) at \(index)")
      }
    })
    .dispose()
  playlist.observeChanges(\.players)
    .subscribe(onNext: { lines.append("\($0.kind) \(String(describing: $0.indexes))") }).dispose()
  playlist.players.observeElements(\.title)
    .subscribe(onNext: { lines.append($0.element.title + $0.value) }).dispose()
  playlist.observe(\.tags).subscribe(onNext: { lines.append("\($0.count)") }).dispose()
  playlist.players.update {
    $0.append(Player())
    $0[0].volume = 1
    $0.move(from: 0, to: 0)
  }
  return lines
}

/// A model of the main actor, that Observation sees as well.
@MainActor
final class Editor: ReactiveObject, Observation.Observable {
  typealias Observed = ObservationBridged

  @Observed var text = ""
  @Observed var marks: [Int] = []
  var isEmpty: Bool { text.isEmpty }
}

@MainActor @Observation.Observable
final class Settings {
  var scale = 1.0
}

@MainActor
final class EditorViewModel: ReactiveObject {
  @Keyline.Observed var title = ""
  @Keyline.Observed var lines = ObservableArray<String>()
  private let bag = DisposeBag()

  init(_ editor: Editor, _ settings: Settings) {
    super.init()
    editor.bind(\.text, to: self, \.title)
    KeylineObservable.tracking { "\(editor.text) at \(settings.scale)" }
      .subscribe(onNext: { [weak self] in self?.lines.append($0) })
      .disposed(by: bag)
    editor.observeChanges(\.text, options: [.old, .new, .prior])
      .subscribe(onNext: { [weak self] in self?.title = $0.new ?? "" })
      .disposed(by: bag)
  }

  func follow(_ editor: Editor) async -> Int {
    var changes = 0
    for await text in editor.values(of: \.text, buffering: .bufferingNewest(1)) where !text.isEmpty
    {
      changes += 1
      title = text
    }
    return changes
  }
}

/// A model that an actor owns: never seen outside, observed inside.
actor Library {
  private let playlist = Playlist()
  private let bag = DisposeBag()
  private var names: [String] = []
  private var sizes: [Int] = []

  func start() {
    playlist.observe(\.name)
      .subscribe(onNext: { [unowned self] in names.append($0) })
      .disposed(by: bag)
    KeylineObservable.tracking { [playlist] in playlist.players.count }
      .subscribe(onNext: { [unowned self] in sizes.append($0) })
      .disposed(by: bag)
  }

  func add(_ name: String) {
    playlist.name = name
    playlist.players.append(Player())
  }

  /// Values leave the actor; the model does not.
  func namesLater() -> AsyncStream<String> { playlist.values(of: \.name) }
}
