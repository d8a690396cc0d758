#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Runs the suite: exit status 0, 1 if `--check` finds one missed by more than is tolerated, 2 for a bad command line.
@main
struct Command {
  private let options: Options
  private let effort: Effort
  private var report: any Report
  private var missed: [String] = []
  private var hasFailed = false

  static func main() {
    do throws(Options.Mistake) {
      guard let options = try Options(CommandLine.arguments.dropFirst()) else {
        print(Options.usage)
        return
      }
      var command = Command(options)
      try command.run()
    } catch {
      say(error.message)
      exit(2)
    }
  }

  private init(_ options: Options) {
    self.options = options
    effort = options.isShort ? .short : .full
    report = options.isJSON ? JSONReport() : TableReport()
  }

  private mutating func run() throws(Options.Mistake) {
    let all = Suite.all(isShort: options.isShort)
    if let count = options.count { return try perform(count.row, count.operations, among: all) }
    let suite = options.filter.map(all.filtered) ?? all
    guard !suite.isEmpty else {
      throw Options.Mistake(message: "nothing has '\(options.filter ?? "")' in its name")
    }
    // First, while no memory of others is left to be used again.
    if !suite.gauges.isEmpty {
      report.begin("figures", labels: [])
      for gauge in suite.gauges { add { $0.run(gauge) } }
    }
    if !suite.rows.isEmpty {
      report.begin("ns per operation", labels: Peer.allCases.map(\.rawValue))
      for row in suite.rows { add { $0.run(row, among: all.rows) } }
    }
    if !suite.series.isEmpty {
      let sizes = suite.series.map(\.columns.count).max() ?? 0
      report.begin("ns per operation at each size", labels: Array(repeating: "", count: sizes))
      for series in suite.series { add { $0.run(series) } }
    }
    report.end()
    guard options.isChecking else { return }
    for line in missed { Command.say(line) }
    if hasFailed { exit(1) }
  }

  /// Performs what a row measures, in whole calls of its prepared closure.
  private func perform(
    _ name: String, _ operations: Int, among suite: Suite
  ) throws(Options.Mistake) {
    guard let column = suite.rows.first(where: { $0.name == name })?.column(of: .keyline) else {
      throw Options.Mistake(message: "no row is named '\(name)'")
    }
    let calls = (operations + column.operations - 1) / column.operations
    let body = column.prepare()
    for _ in 0..<calls { body() }
    print(calls * column.operations)
  }

  /// Runs something and takes down the outcome. What fails is measured once more, and thoroughly,
  /// before that counts.
  private mutating func add(_ run: (Effort) -> Outcome) {
    var outcome = run(effort)
    if options.isChecking, outcome.verdicts.contains(where: \.isFailed) { outcome = run(.full) }
    report.add(outcome)
    fflush(nil)
    hasFailed = hasFailed || outcome.verdicts.contains(where: \.isFailed)
    missed += outcome.verdicts.filter(\.isMissed).map {
      "bar missed\($0.isTolerated ? ", and known to be" : ""): \(outcome.name): "
        + "\($0.measured.short) \($0.reference), bar \($0.limit.short)"
    }
  }

  private static func say(_ line: String) {
    var standardError = StandardError()
    print("Benchmarks: \(line)", to: &standardError)
  }
}
