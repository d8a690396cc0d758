import ExampleSupport
import Foundation
import Keyline
import KeylineFoundation

/// Carries out commands on settings and their file, and shows the resulting changes.
final class Session: ExampleSession {
  private(set) var isOpen = true

  private let settings: Settings
  private let sync: FileSync
  private let file: SettingsFile
  /// The clock of a script, which stands still between commands; nil if time passes by itself.
  private let clock: HistoricalScheduler?
  private let write: (String) -> Void
  private let bag = DisposeBag()

  /// - Parameter write: shows output, one or more lines at a time.
  init(path: String, clock: HistoricalScheduler?, write: @escaping (String) -> Void) {
    file = SettingsFile(path: path)
    self.clock = clock
    self.write = write
    settings = Settings()
    sync = FileSync(settings, in: file, scheduler: clock ?? MainScheduler.instance)
    // Properties set together, by the file or by a command, arrive as one change set.
    settings.observeChangeSets()
      .subscribe(
        with: self,
        onNext: { session, changes in
          for change in changes {
            session.show("\(change.name) \(Format.change(change.old, change.new))")
          }
        }
      )
      .disposed(by: bag)
    sync.activity
      .subscribe(with: self, onNext: { $0.show($1.words) })
      .disposed(by: bag)
    sync.observe(\.problem).compactMap(\.self)
      .subscribe(with: self, onNext: { $0.show("error: \($1)") })
      .disposed(by: bag)
  }

  /// Saves the unsaved settings.
  func close() throws(UnsavedSettings) {
    sync.save()
    guard sync.isSaved else { throw UnsavedSettings(path: file.path) }
  }

  func perform(_ command: Command) throws {
    switch command {
    case .show:
      write(
        Format.printable(lines: [
          "name: \(settings.name)", "theme: \(settings.theme)", "volume: \(settings.volume)", state,
        ]))
    case .file:
      let lines = try File.lines(of: file.path).filter { !$0.isEmpty }
      write(Format.printable(lines: lines.map(String.init)))
    case .set(let name, let text): try set(name, to: text)
    case .edit(let name, let json): try edit(name, to: json)
    case .put(let text): _ = try File.replace(file.path, with: text + "\n")
    case .delete: try File.remove(file.path)
    case .overwrite: sync.overwrite()
    case .wait(let time):
      guard let clock else { throw CommandError("time passes by itself: wait is for scripts") }
      clock.advanceTo(clock.clock + time / .seconds(1))
    case .help: write(Command.helpText + "\n")
    case .quit: isOpen = false
    }
  }

  private func set(_ name: String, to text: String) throws(CommandError) {
    switch name {
    case "name": settings.name = text
    case "theme":
      guard let theme = Settings.Theme(rawValue: text) else {
        throw CommandError("theme is light or dark, not '\(text)'")
      }
      settings.theme = theme
    case "volume":
      guard let volume = Int(text) else {
        throw CommandError("volume is a whole number, not '\(text)'")
      }
      settings.volume = volume
    default: throw CommandError("there is no '\(name)'; there are name, theme and volume")
    }
  }

  /// Edits the file as another program would, unaware of this one.
  private func edit(_ name: String, to json: String) throws {
    func object(_ data: Data) throws(CommandError) -> Any {
      let object = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
      guard let object else {
        throw CommandError("'\(String(decoding: data, as: UTF8.self))' is not JSON")
      }
      return object
    }
    var values = try object(Data(try File.contents(of: file.path))) as? [String: Any] ?? [:]
    values[name] = try object(Data(json.utf8))
    let edited = try JSONSerialization.data(withJSONObject: values, options: .sortedKeys)
    _ = try File.replace(file.path, with: String(decoding: edited, as: UTF8.self) + "\n")
  }

  private var state: String {
    if sync.problem != nil { return "not saved: the file cannot be read" }
    return sync.unsaved == nil ? "saved" : "not saved yet"
  }

  func show(_ line: String) {
    let time = clock.map { Format.time($0.now) + "  " } ?? ""
    write(Format.printable(lines: [time + line]))
  }
}

/// The settings could not be saved at the end: the file cannot be read, or cannot be written.
struct UnsavedSettings: Error, CustomStringConvertible {
  let path: String

  var description: String { "the settings are not saved in \(path)" }
}

extension FileSync.Activity {
  fileprivate var words: String {
    switch self {
    case .read: "read"
    case .written: "written"
    case .missing: "there is no file"
    case .failed(let reason): "error: \(reason)"
    }
  }
}
