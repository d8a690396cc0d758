import Keyline

/// The reports sent to the diagnostics channel in this process. Tests run in parallel, so each asks
/// for the reports about a class of its own.
package enum Reports {
  private static let all: SharedReports = {
    let shared = SharedReports()
    Diagnostics.handler = { report in shared.reports.withLock { $0.append(report) } }
    return shared
  }()

  private final class SharedReports: Sendable {
    let reports = Guarded<[Diagnostics.Report]>([])
  }

  /// Starts collecting. Called before the code that is expected to report.
  package static func collect() { _ = all }

  package static func about(_ type: String) -> [Diagnostics.Report] {
    all.reports.withLock { $0.filter { $0.type == type } }
  }

  package static func of(_ category: Diagnostics.Category) -> [Diagnostics.Report] {
    all.reports.withLock { $0.filter { $0.category == category } }
  }
}
