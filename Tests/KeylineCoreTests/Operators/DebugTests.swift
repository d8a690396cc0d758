import KeylineCore
import Testing

/// What `debug` prints.
@Suite struct DebugTests {
  @Test(
    "A line begins with the name of the file, without its folders or module",
    arguments: [false, true])
  func aLineBeginsWithTheNameOfTheFile(trimOutput: Bool) async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) { [trimOutput] in
      Observable.just(1).debug(
        trimOutput: trimOutput, file: "Some/Folder/Model.swift", line: 12, function: "load()"
      )
      .subscribe().dispose()
      Observable.just(2).debug("two", trimOutput: trimOutput).subscribe().dispose()
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    let lines = output.split(separator: "\n").filter { $0.contains(" -> ") }
    let events = ["subscribed", "Event next(1)", "Event completed", "isDisposed"]
    let expected =
      events.map { "Model.swift:12 (load()) -> \($0)" }
      + events.map { "two -> \($0.replacing("1", with: "2"))" }
    #expect(lines.map(String.init) == expected)
  }
}
