// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Client",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  dependencies: [.package(name: "Keyline", path: "../..")],
  targets: [
    .target(name: "Client", dependencies: ["Keyline"]),
    .executableTarget(
      name: "Portability",
      dependencies: ["Keyline", .product(name: "KeylineDiagnostics", package: "Keyline")]),
    .executableTarget(
      name: "CoreAlone", dependencies: [.product(name: "KeylineCore", package: "Keyline")]),
    .executableTarget(name: "WithProperties", dependencies: ["Keyline"]),
    .executableTarget(name: "OwnLoop", dependencies: ["Keyline"]),
    .executableTarget(
      name: "MainActorByDefault", dependencies: ["Keyline"],
      swiftSettings: [.defaultIsolation(MainActor.self)]),
  ],
  swiftLanguageModes: [.v6]
)
