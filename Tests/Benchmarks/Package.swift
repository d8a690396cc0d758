// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Keyline", path: "../.."),
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
  ],
  targets: [
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "Keyline", .product(name: "KeylineTest", package: "Keyline"), "OpenCombine",
      ],
      swiftSettings: [.treatAllWarnings(as: .error)]
    ),
    // A program of its own: counting would slow down the rows of the other.
    .executableTarget(
      name: "Memory",
      dependencies: ["Allocations", "Keyline", "OpenCombine"],
      swiftSettings: [.treatAllWarnings(as: .error)]
    ),
    .target(name: "Allocations"),
  ],
  swiftLanguageModes: [.v6]
)
