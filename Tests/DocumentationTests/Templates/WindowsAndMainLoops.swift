import Foundation
import Keyline
import Testing

enum WindowsAndMainLoops: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/WindowsAndMainLoops.md"

  static func run() async throws {
    anotherToolkit()
  }

  static func anotherToolkit() {
    let loop = SDLLoop()
    loop.handle(SDL.Event(type: loop.workEvent, work: Work { print("called") }))
    _ = loop.perform(after: .zero) {}
    loop.perform {}
  }

  // block Another toolkit
}

// A stand-in for SDL and for the lines that wrap it.

final class Work: Sendable {
  let call: @Sendable () -> Void

  init(_ call: @escaping @Sendable () -> Void) { self.call = call }
}

enum SDL {
  struct Event {
    let type: Int
    let work: Work
  }

  static func threadID() -> Int { 1 }
  static func registerEvents(_ count: Int) -> Int { 0x8000 }
  static func push(_ type: Int, _ work: Work) {}
  static func addTimer(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> Int { 1 }
  static func removeTimer(_ timer: Int) {}
}

@Suite struct WindowsAndMainLoopsTests {
  /// The GTK program cannot be compiled here, where there is no GTK.
  @Test("The program of the guide is the one that the desktop package builds")
  func theProgramOfTheGuideIsTheOneThatTheDesktopPackageBuilds() throws {
    let page = try Package.contents(
      of: "Sources/Keyline/Keyline.docc/WindowsAndMainLoops.md")
    let program = try Package.contents(of: "Examples/Desktop/Sources/Preferences/main.swift")
    #expect(page.contains("```swift (not compiled)\n\(program)```\n"))
  }
}
