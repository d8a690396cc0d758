import Foundation
import KeylineGTK

// Checks under GTK, which needs the process's own main thread: `swift test` runs each in a process of its
// own.
//
//     Checks list        prints the names
//     Checks NAME        runs one; prints its faults, and fails if there are any

let name = CommandLine.arguments.dropFirst().first ?? ""
if name == "list" {
  Check.all.forEach { print($0.name) }
  exit(0)
}
guard let check = Check.all.first(where: { $0.name == name }) else {
  print("there is no check '\(name)'")
  exit(2)
}
nonisolated(unsafe) var reports: [String] = []
Diagnostics.handler = { reports.append("\($0)") }
do { try GTK.start() } catch {
  print(error)
  exit(3)
}
try check.body()
for report in reports { print("reported: \(report)") }
exit(Check.failures == 0 && reports.isEmpty ? 0 : 1)
