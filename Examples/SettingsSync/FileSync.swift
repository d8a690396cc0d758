import ExampleSupport
import Keyline

/// Keeps settings and a file equal, whichever of them changes.
///
///     Settings.values ─┐
///     agreed          ─┼─▶ unsaved ── debounced ──▶ write ──▶ file
///     problem         ─┘                                       │
///     Settings ◀── merge the changes since `agreed` ◀── read ◀── polled
///
/// The file is read once before anything else happens, so every later set is newer than the file. After
/// that it is read whenever its state has changed.
///
/// No flag marks a change as the synchroniser's own: values that were written or read become `agreed`,
/// so nothing is unsaved. A file that cannot be parsed is left alone: the settings keep their values,
/// and are not written until the file can be read again.
final class FileSync: ReactiveObject {
  enum Activity: Equatable {
    case read, written, missing
    case failed(String)
  }

  /// How often to look at the file.
  static let period = Duration.milliseconds(250)
  /// How long nothing must be set before the file is written.
  static let pause = Duration.milliseconds(400)

  let settings: Settings
  /// The last values that file and settings had in common; nil if there is no file.
  @Observed private(set) var agreed: Settings.Values?
  /// Why the file cannot be read; nil if it can, or if there is none.
  @Observed private(set) var problem: String?

  /// The values to write; nil if there is nothing to write.
  @Derived({ (self: FileSync) in
    let values = self.settings.values
    return self.problem == nil && values != self.agreed ? values : nil
  }) var unsaved: Settings.Values?

  /// Whether the file has the current settings.
  var isSaved: Bool { problem == nil && unsaved == nil }

  /// The latest activity, then every further one.
  let activity = ReplayRelay<Activity>.create(bufferSize: 1)

  private let file: SettingsFile
  /// The state of the file that was read or written last.
  private var known: File.Stamp?
  private let bag = DisposeBag()

  init(_ settings: Settings, in file: SettingsFile, scheduler: any SchedulerType) {
    self.settings = settings
    self.file = file
    super.init()
    load()
    Observable<Int>.interval(Self.period, scheduler: scheduler)
      .subscribe(with: self, onNext: { sync, _ in sync.look() })
      .disposed(by: bag)
    observe(\.unsaved).debounce(Self.pause, scheduler: scheduler)
      .subscribe(with: self, onNext: { sync, _ in sync.save() })
      .disposed(by: bag)
  }

  /// Writes the unsaved values now. First merges an edit of the file that has not been read yet.
  func save() {
    if unsaved != nil { look() }
    if let unsaved { write(unsaved) }
  }

  /// Writes the settings, and overwrites the file whatever its contents.
  func overwrite() { write(settings.values) }

  /// Reads the file if it has changed.
  private func look() {
    if file.stamp != known { load() }
  }

  private func load() {
    // Before the file is read, so that the next look finds anything written after this.
    known = file.stamp
    guard known != nil else {
      batchUpdates {
        agreed = nil
        problem = nil
      }
      return activity.accept(.missing)
    }
    do {
      let values = try file.read()
      activity.accept(.read)
      // A batch: `unsaved` is never computed from one without the others.
      batchUpdates {
        settings.merge(values, changedSince: agreed)
        agreed = values
        problem = nil
      }
    } catch {
      problem = "\(error)"
    }
  }

  private func write(_ values: Settings.Values) {
    do {
      known = try file.write(values)
      batchUpdates {
        agreed = values
        problem = nil
      }
      activity.accept(.written)
    } catch {
      activity.accept(.failed("\(error)"))
    }
  }
}
