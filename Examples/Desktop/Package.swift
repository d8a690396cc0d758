// swift-tools-version: 6.2

import PackageDescription

// A package of its own, because the library has no dependencies: GTK 4 is a system library. To use the
// adapter elsewhere, depend on its product, or copy the folders CGtk, CKeylineGTK and KeylineGTK.
let package = Package(
  name: "KeylineDesktop",
  platforms: [.macOS(.v15)],
  products: [.library(name: "KeylineGTK", targets: ["KeylineGTK"])],
  dependencies: [.package(name: "Keyline", path: "../..")],
  targets: [
    .systemLibrary(
      name: "CGtk", pkgConfig: "gtk4",
      providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
    // What GObject makes with macros, and Dispatch's main queue as a source of GLib's loop.
    .target(name: "CKeylineGTK", dependencies: ["CGtk"]),
    .target(
      name: "KeylineGTK",
      dependencies: ["CGtk", "CKeylineGTK", .product(name: "Keyline", package: "Keyline")]),
    // The application: everything but `main`, so that the checks can use it.
    .target(name: "ExpenseBook", dependencies: ["CGtk", "KeylineGTK"]),
    .executableTarget(name: "Expenses", dependencies: ["ExpenseBook"]),
    // The program of the guide.
    .executableTarget(name: "Preferences", dependencies: ["KeylineGTK"]),
    // The checks need the main thread of a process; the tests run them, each in a process of its own.
    .executableTarget(
      name: "Checks", dependencies: ["CGtk", "CKeylineGTK", "ExpenseBook", "KeylineGTK"],
      path: "Tests/Checks"),
    // A list of 100,000 rows, measured.
    .executableTarget(name: "Rows", dependencies: ["CGtk", "KeylineGTK"], path: "Tests/Rows"),
    .testTarget(
      name: "DesktopTests", dependencies: ["Checks", "Expenses"], path: "Tests/DesktopTests",
      exclude: ["Fixtures"]),
  ],
  swiftLanguageModes: [.v6]
)
