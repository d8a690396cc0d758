import Foundation
import PackagePlugin

/// Runs SnippetWriter when a page, a source file or a template has changed. Only the tests of this
/// package use it.
@main struct Plugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let root = context.package.directoryURL
    let templates = "Tests/DocumentationTests/Templates"
    func files(in folder: String, _ endings: [String]) -> [URL] {
      let paths = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
      return (paths?.compactMap { $0 as? String } ?? []).sorted()
        .filter { path in endings.contains { path.hasSuffix($0) } }
        .map { root.appending(path: "\(folder)/\($0)") }
    }
    let inputs = files(in: templates, [".swift"])
    let output = context.pluginWorkDirectoryURL
    return [
      .buildCommand(
        displayName: "Writing the code of the pages",
        executable: try context.tool(named: "SnippetWriter").url,
        arguments: [root.path, templates, output.path],
        inputFiles: inputs + [root.appending(path: "README.md")]
          + files(in: "Sources", [".md", ".swift"]),
        outputFiles: (inputs.map(\.lastPathComponent) + ["AllPages.swift"]).map {
          output.appending(path: $0)
        })
    ]
  }
}
