import ExampleSupport
import Foundation
import Keyline
import KeylineFoundation
import Testing

@testable import SettingsSync

@Suite("SettingsSync: options, commands and model")
struct SettingsSyncTests {
  // MARK: Options and commands

  @Test("Options") func options() throws {
    #expect(try Options(parsing: []) == Options())
    #expect(
      try Options(parsing: ["a.json", "--script=x"]) == Options(file: "a.json", script: "x"))
  }

  @Test(
    "A line is a command",
    arguments: [
      ("", nil), ("# show", nil), ("show", .show), ("file", .file), ("delete", .delete),
      ("overwrite", .overwrite), ("set name  Ada King ", .set("name", to: "Ada King")),
      ("edit volume 3", .edit("volume", to: "3")), ("put {\"a\": 1}", .put("{\"a\": 1}")),
      ("put", .put("")), ("wait 0.5", .wait(.milliseconds(500))), ("quit", .quit),
    ] as [(String, Command?)])
  func aLineIsACommand(line: String, command: Command?) throws {
    #expect(try Command.parse(line) == command)
  }

  @Test(
    "A line that is none",
    arguments: [
      ("set name", "set needs NAME VALUE"), ("edit", "edit needs NAME VALUE"),
      ("wait -1", "wait needs a number of seconds from 0 to 86400, not '-1'"),
      ("show all", "show takes nothing, not 'all'"), ("save", "unknown command 'save' (try help)"),
    ])
  func aLineThatIsNone(line: String, message: String) {
    #expect(throws: CommandError(message)) { try Command.parse(line) }
  }

  // MARK: The model

  @Test("An unchanged setting is not set") func whatHasNotChangedIsNotSet() {
    let settings = Settings()
    settings.volume = 80
    var changes: [[String]] = []
    let subscription = settings.observeChangeSets().subscribe(onNext: { changes.append($0.names) })
    let old = Settings.Values(name: "Ada", theme: .light, volume: 50)
    settings.merge(.init(name: "Grace", theme: .dark, volume: 50), changedSince: old)
    #expect(changes == [["name", "theme"]])
    #expect(settings.values == .init(name: "Grace", theme: .dark, volume: 80))
    subscription.dispose()
  }

  @Test("The volume stays in its range", arguments: [(-1, 0), (0, 0), (100, 100), (101, 100)])
  func theVolumeStaysInItsRange(set: Int, stored: Int) {
    let settings = Settings()
    settings.volume = set
    #expect(settings.volume == stored)
  }
}

@Suite("SettingsSync: file and model")
struct SettingsFileSyncTests {
  /// A model and a file in a directory of their own, in virtual time.
  private final class Fixture {
    let clock = HistoricalScheduler()
    let settings = Settings()
    let file: SettingsFile
    var sync: FileSync?
    private(set) var activity: [FileSync.Activity] = []
    private let bag = DisposeBag()

    init(_ directory: String) {
      file = SettingsFile(path: directory + "/settings.json")
      let sync = FileSync(settings, in: file, scheduler: clock)
      self.sync = sync
      sync.activity.subscribe(with: self, onNext: { $0.activity.append($1) }).disposed(by: bag)
    }

    func wait(_ seconds: Double) { clock.advanceTo(clock.clock + seconds) }

    /// Writes the file as another program does.
    func edit(_ change: (inout Settings.Values) -> Void) throws {
      var values = try file.read()
      change(&values)
      _ = try file.write(values)
    }

    func put(_ text: String) throws { _ = try File.replace(file.path, with: text) }
  }

  private func withFixture(_ body: (Fixture) throws -> Void) throws {
    try withTemporaryDirectory { try body(Fixture($0)) }
  }

  @Test("The file is read before anything is set") func theFileIsReadBeforeAnythingIsSet() throws {
    try withTemporaryDirectory { directory in
      let file = SettingsFile(path: directory + "/settings.json")
      _ = try file.write(.init(name: "Ada", theme: .dark, volume: 7))
      let fixture = Fixture(directory)
      #expect(fixture.settings.values == .init(name: "Ada", theme: .dark, volume: 7))
      #expect(fixture.activity == [.read])
      fixture.settings.volume = 9
      fixture.wait(2)
      #expect(try file.read() == .init(name: "Ada", theme: .dark, volume: 9))
      #expect(fixture.activity == [.read, .written])
    }
  }

  @Test("A file that cannot be read at first is left alone")
  func aFileThatCannotBeReadAtFirstIsLeftAlone() throws {
    try withTemporaryDirectory { directory in
      try File.write("{", to: directory + "/settings.json")
      let fixture = Fixture(directory)
      #expect(fixture.sync?.isSaved == false)
      fixture.settings.volume = 9
      fixture.wait(2)
      #expect(fixture.activity == [])
      fixture.sync?.overwrite()
      #expect(fixture.sync?.isSaved == true)
      #expect(try fixture.file.read() == .init(name: "Nobody", theme: .light, volume: 9))
    }
  }

  @Test("An own write does not bounce") func anOwnWriteDoesNotBounce() throws {
    try withFixture { fixture in
      fixture.wait(1)
      fixture.settings.volume = 80
      fixture.wait(10)
      #expect(fixture.activity == [.missing, .written, .written])
      let saved = try fixture.file.read()
      #expect(saved.volume == 80)
    }
  }

  @Test("Sets in quick succession are one write") func setsInQuickSuccessionAreOneWrite() throws {
    try withFixture { fixture in
      fixture.wait(1)
      for volume in 0..<20 {
        fixture.settings.volume = volume
        fixture.wait(0.3)
      }
      #expect(fixture.activity == [.missing, .written])
      fixture.wait(0.2)
      #expect(fixture.activity == [.missing, .written, .written])
      let saved = try fixture.file.read()
      #expect(saved.volume == 19)
    }
  }

  @Test("A setting that is set and set back is not written") func whatIsSetAndSetBackIsNotWritten()
    throws
  {
    try withFixture { fixture in
      fixture.wait(1)
      fixture.settings.volume = 80
      #expect(fixture.sync?.unsaved?.volume == 80)
      fixture.settings.volume = 50
      #expect(fixture.sync?.unsaved == nil)
      fixture.wait(10)
      #expect(fixture.activity == [.missing, .written])
    }
  }

  @Test("An edit is read and not written back") func anEditIsReadAndNotWrittenBack() throws {
    try withFixture { fixture in
      fixture.wait(1)
      try fixture.edit { $0.volume = 30 }
      fixture.wait(10)
      #expect(fixture.settings.volume == 30)
      #expect(fixture.activity == [.missing, .written, .read])
    }
  }

  @Test("Changes of both sides are merged") func changesOfBothSidesAreMerged() throws {
    try withFixture { fixture in
      fixture.wait(1)
      fixture.settings.name = "Ada"
      try fixture.edit { $0.theme = .dark }
      fixture.wait(10)
      let merged = Settings.Values(name: "Ada", theme: .dark, volume: 50)
      #expect(fixture.settings.values == merged)
      #expect(try fixture.file.read() == merged)
      #expect(fixture.activity == [.missing, .written, .read, .written])
    }
  }

  @Test("An edit that has not been seen is not overwritten")
  func anEditThatHasNotBeenSeenIsNotOverwritten() throws {
    try withFixture { fixture in
      fixture.wait(1)
      fixture.settings.name = "Ada"
      try fixture.edit { $0.theme = .dark }
      fixture.sync?.save()
      #expect(try fixture.file.read() == .init(name: "Ada", theme: .dark, volume: 50))
    }
  }

  @Test(
    "A file that cannot be read is reported and left alone",
    arguments: [
      ("{", "this is not JSON"), ("[]", "the whole is of another type"),
      ("{\"name\": \"\", \"theme\": \"dark\"}", "there is no 'volume'"),
      ("{\"name\": 1, \"theme\": \"dark\", \"volume\": 1}", "'name' is of another type"),
      ("{\"name\": \"\", \"theme\": \"blue\", \"volume\": 1}", "'theme' has no such value"),
    ])
  func aFileThatCannotBeReadIsReportedAndLeftAlone(text: String, problem: String) throws {
    try withFixture { fixture in
      fixture.wait(1)
      try fixture.put(text)
      fixture.wait(1)
      fixture.settings.name = "Ada"
      fixture.wait(10)
      #expect(fixture.sync?.problem == "\(fixture.file.path), \(problem)")
      #expect(fixture.settings.values == .init(name: "Ada", theme: .light, volume: 50))
      #expect(try File.contents(of: fixture.file.path) == Array(text.utf8))
      // The former contents with one change, which is merged with the name set meanwhile.
      _ = try fixture.file.write(.init(name: "Nobody", theme: .dark, volume: 50))
      fixture.wait(1)
      #expect(fixture.sync?.problem == nil)
      #expect(try fixture.file.read() == .init(name: "Ada", theme: .dark, volume: 50))
    }
  }

  @Test("A deleted file is written again") func aDeletedFileIsWrittenAgain() throws {
    try withFixture { fixture in
      fixture.wait(1)
      try File.remove(fixture.file.path)
      fixture.wait(1)
      #expect(try fixture.file.read() == Settings.Values())
      #expect(fixture.activity == [.missing, .written, .missing, .written])
    }
  }

  @Test("A file that cannot be written is reported") func aFileThatCannotBeWrittenIsReported()
    throws
  {
    try withTemporaryDirectory { directory in
      let fixture = Fixture(directory + "/no/where")
      fixture.wait(1)
      let path = fixture.file.path
      #expect(
        fixture.activity == [
          .missing, .failed("cannot write \(path).new: No such file or directory"),
        ])
    }
  }

  @Test("It ends with its owner") func itEndsWithItsOwner() throws {
    try withFixture { fixture in
      fixture.wait(1)
      weak let released = fixture.sync
      fixture.sync = nil
      #expect(released == nil)
      fixture.settings.volume = 80
      fixture.wait(10)
      let saved = try fixture.file.read()
      #expect(saved.volume == 50)
    }
  }
}
