import Foundation
import Testing

/// Each mistake that the page about reports shows, and each declaration that is unavailable, is compiled, and
/// so is its remedy.
@Suite(.enabled(if: SymbolGraph.canBeExtracted)) struct MistakeTests {
  private struct Row {
    let code: String
    /// The compiler prints one of them, perhaps among others, whose order is not always the same.
    let messages: [String]
    let remedy: String

    init(line: Substring) {
      let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
      (code, remedy) = (cells[0], cells[2])
      messages = cells[1].replacing(" (without a line number)", with: "")
        .components(separatedBy: "; ")
    }

    /// The rows of the page.
    static func all() throws -> [Row] {
      let page = try Package.contents(of: "Sources/Keyline/Keyline.docc/Reports.md")
      let lines = page.split(separator: "\n")
      let start = try #require(lines.firstIndex(of: "| code | message of the compiler | remedy |"))
      return lines[(start + 2)...].prefix { $0.hasPrefix("| ") }.map(Row.init)
    }
  }

  /// The code in a cell, except for abridged code and links; of a method with labels, its name.
  private static func code(in cell: String) -> [String] {
    cell.matches(of: /(?:^|[^`])`([^`…]+)`/).map {
      String($0.output.1).replacing(/\((\w+:)+\)/, with: "(")
    }
  }

  /// The messages for `files`, as a module with the models.
  private static func messages(
    in files: [String: String], of module: MistakenProgram.Module
  ) throws -> [String: [String]] {
    try TypeChecker.messages(
      in: files.merging(["Models": MistakenProgram.models]) { $1 }
        .mapValues { "import Keyline\n\($0)\n" },
      flags: module == .ofTheMainActor ? ["-default-isolation", "MainActor"] : [])
  }

  /// The files of `mistakes` that `module` has, by names with the index of the mistake.
  private static func files(
    of module: MistakenProgram.Module, in mistakes: [MistakenProgram],
    _ files: KeyPath<MistakenProgram, [String]>
  ) -> [String: String] {
    let texts = mistakes.enumerated().flatMap { index, mistake in
      mistake[keyPath: files].enumerated().filter { mistake.module(of: $1) == module }
        .map { ("Program_\(index)_\($0)", $1) }
    }
    return Dictionary(uniqueKeysWithValues: texts)
  }

  /// The messages for each program of each of `mistakes`.
  private static func messages(for mistakes: [MistakenProgram]) throws -> [[[String]]] {
    var all = [[[String]]](repeating: [], count: mistakes.count)
    for module in MistakenProgram.Module.allCases {
      let files = files(of: module, in: mistakes, \.programs)
      guard !files.isEmpty else { continue }
      let messages = try messages(in: files, of: module)
      for (name, text) in files {
        let index = try #require(Int(name.split(separator: "_")[1]))
        // Without a place, an error may belong to any of the programs.
        try all[index].append(
          messages[name] ?? Self.messages(in: [name: text], of: module)[""] ?? ["compiles"])
      }
    }
    return all
  }

  @Test("Each mistake on the page is refused, with the message on the page")
  func eachMistakeOnThePageIsRefused() throws {
    let rows = try Row.all()
    let mistakes = MistakenProgram.table
    try #require(rows.count == mistakes.count)
    let messages = try Self.messages(for: mistakes)
    for (row, (mistake, messages)) in zip(rows, zip(mistakes, messages)) {
      #expect(row.code.hasPrefix(mistake.key))
      for printed in messages {
        let isShown = row.messages.contains { message in printed.contains { $0.contains(message) } }
        #expect(isShown, "\(row.code): \(printed)")
      }
      for message in row.messages {
        #expect(messages.joined().contains { $0.contains(message) }, "\(row.code): \(message)")
      }
      for code in Self.code(in: row.code) {
        #expect(mistake.programs.contains { $0.contains(code) }, "\(row.code): \(code)")
      }
      for code in Self.code(in: row.remedy) {
        #expect(mistake.remedies.contains { $0.contains(code) }, "\(row.code): \(code)")
      }
    }
  }

  @Test("Each unavailable declaration refuses a program, with its message")
  func eachUnavailableDeclarationRefusesAProgram() throws {
    let sources = try Package.pages(at: "Sources").map(Package.contents(of:))
    let declared = sources.flatMap { $0.matches(of: /@available\(\*, unavailable(.*)\)\n/) }
      .map { String($0.output.1) }
    let mistakes = MistakenProgram.unavailable
    #expect(Set(declared) == Set(mistakes.map { ", message: \"\($0.key)\"" }))
    for (mistake, messages) in try zip(mistakes, Self.messages(for: mistakes)) {
      for first in messages.map({ $0[0] }) {
        #expect(first.hasSuffix("' is unavailable: \(mistake.key)"))
      }
    }
  }

  @Test(
    "Each remedy compiles", arguments: [MistakenProgram.table, MistakenProgram.unavailable])
  func eachRemedyCompiles(of mistakes: [MistakenProgram]) throws {
    for module in MistakenProgram.Module.allCases {
      let files = Self.files(of: module, in: mistakes, \.remedies)
      #expect(try Self.messages(in: files, of: module) == [:])
    }
  }
}
