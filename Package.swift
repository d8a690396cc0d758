// swift-tools-version: 6.2

import PackageDescription

/// In a release build, what is tested is optimised, the tests are not: it would take the compiler ten minutes.
/// A target's tests that are compiled together make their module, too: a step of its own would expand every
/// `@Test` once more.
let tests: [SwiftSetting] = [
  .unsafeFlags(["-index-ignore-system-modules", "-no-emit-module-separately-wmo"]),
  .unsafeFlags(["-Onone"], .when(configuration: .release)),
]

let package = Package(
  name: "Keyline",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Keyline", targets: ["Keyline"]),
    .library(name: "KeylineCore", targets: ["KeylineCore"]),
    .library(name: "KeylineDiagnostics", targets: ["KeylineDiagnostics"]),
    .library(name: "KeylineFoundation", targets: ["KeylineFoundation"]),
    .library(name: "KeylineTest", targets: ["KeylineTest"]),
  ],
  targets: [
    .target(name: "KeylineCore"),
    .target(
      name: "KeylineAccess", swiftSettings: [.enableExperimentalFeature("BuiltinModule")]),
    .target(name: "Keyline", dependencies: ["KeylineCore", "KeylineAccess"]),
    .target(name: "KeylineDiagnostics", dependencies: ["Keyline"]),
    .target(name: "KeylineFoundation", dependencies: ["Keyline"]),
    .target(name: "KeylineTest", dependencies: ["Keyline", "KeylineDiagnostics"]),
    .target(name: "ExampleSupport", dependencies: ["Keyline"], path: "Examples/Support"),
    .executableTarget(
      name: "SystemMonitor",
      dependencies: ["Keyline", "KeylineDiagnostics", "ExampleSupport"],
      path: "Examples/SystemMonitor"
    ),
    .executableTarget(
      name: "Invoice",
      dependencies: ["Keyline", "KeylineDiagnostics", "ExampleSupport"],
      path: "Examples/Invoice",
      resources: [.embedInCode("sample.csv")]
    ),
    .executableTarget(
      name: "SearchAsYouType",
      dependencies: ["Keyline", "KeylineFoundation", "ExampleSupport"],
      path: "Examples/SearchAsYouType"
    ),
    .target(name: "ModelsElsewhere", dependencies: ["Keyline"], path: "Tests/ModelsElsewhere"),
    .target(
      name: "TestSupport", dependencies: ["Keyline", "KeylineDiagnostics"],
      path: "Tests/TestSupport"),
    .testTarget(
      name: "KeylineCoreTests",
      dependencies: ["Keyline", "KeylineFoundation", "KeylineTest", "TestSupport"],
      swiftSettings: tests),
    .testTarget(
      name: "KeylineTests",
      dependencies: [
        "Keyline", "KeylineDiagnostics", "KeylineTest", "TestSupport", "ModelsElsewhere",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "KeylineDiagnosticsTests",
      dependencies: ["KeylineDiagnostics", "KeylineTest", "TestSupport"],
      swiftSettings: tests),
    .testTarget(
      name: "KeylineFoundationTests",
      dependencies: ["KeylineFoundation", "KeylineTest", "TestSupport"],
      swiftSettings: tests),
    .testTarget(
      name: "KeylineTestTests",
      dependencies: ["KeylineTest", "TestSupport"],
      swiftSettings: tests),
    .testTarget(
      name: "ExamplesTests",
      dependencies: [
        "ExampleSupport", "Invoice", "SearchAsYouType", "SystemMonitor", "TestSupport",
      ],
      exclude: ["Fixtures"],
      swiftSettings: tests),
    // The code of the pages, written into templates before the tests are compiled.
    .target(name: "SnippetTemplates", path: "Tests/Snippets/Templates"),
    .executableTarget(
      name: "SnippetWriter", dependencies: ["SnippetTemplates"], path: "Tests/Snippets/Writer"),
    .plugin(
      name: "Snippets", capability: .buildTool(), dependencies: ["SnippetWriter"],
      path: "Tests/Snippets/Plugin"),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "Keyline", "KeylineDiagnostics", "KeylineFoundation", "KeylineTest", "SnippetTemplates",
      ],
      exclude: ["PublicInterface", "Templates"],
      swiftSettings: tests,
      plugins: ["Snippets"]),
  ],
  swiftLanguageModes: [.v6]
)

// The examples use a terminal, signals and /proc or what Unix has in place of it.
#if os(Windows)
  package.targets.removeAll {
    $0.path?.hasPrefix("Examples") == true || $0.name == "ExamplesTests"
  }
#endif

// For `.ci/run` only. With KEYLINE_STRICT, warnings are errors, so that `swift test` needs no other
// arguments for it, and the tests of a target are compiled together: from nothing, this takes a fifth less
// time than in batches and a step for the module. With KEYLINE_THREADS, only what the tests of threads need
// is built: of the tests, the files that it lists, one a line.
if Context.environment["KEYLINE_STRICT"] != nil {
  for target in package.targets where target.type != .plugin {
    target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
    if target.type == .test {
      target.swiftSettings?.append(
        .unsafeFlags(["-disable-batch-mode", "-whole-module-optimization", "-num-threads", "2"]))
    }
  }
}
if let threads = Context.environment["KEYLINE_THREADS"] {
  package.targets.removeAll { $0.path?.hasPrefix("Examples") == true }
  package.targets.removeAll {
    $0.path?.hasPrefix("Tests/Snippets/") == true
      || ["ExamplesTests", "DocumentationTests"].contains($0.name)
  }
  for target in package.targets where target.type == .test {
    let folder = "Tests/\(target.name)/"
    target.sources = threads.split(separator: "\n").filter { $0.hasPrefix(folder) }
      .map { String($0.dropFirst(folder.count)) }
  }
}
