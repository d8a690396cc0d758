import Foundation
import TestSupport
import Testing

/// The random test of threads.
///
/// One domain does everything, and other threads dispose and drop meanwhile: see ``ThreadProgram``. It
/// runs for `KEYLINE_THREADS_SECONDS` (1 unless set), and begins with the seed
/// `KEYLINE_THREADS_SEED` (1 unless set). For ten minutes by hand, in an optimised build:
///
///     KEYLINE_THREADS_SECONDS=600 KEYLINE_THREADS_SEED=1000000 swift test -c release \
///       --scratch-path .build/optimised -Xswiftc -enable-testing --filter ThreadProgram
///
/// When a program fails, its seed is recorded. `KEYLINE_SEED` repeats one program until the time has
/// passed: threads do not meet the same way each time. `KEYLINE_THREADS_STEPS=3,4,9` leaves all other
/// steps of it out.
@Suite struct ThreadProgramConcurrencyTests {
  @Test("Random programs keep the laws while other threads dispose and drop")
  func randomPrograms() async throws {
    let journal = Journal()
    let result = await #expect(processExitsWith: .success) { [journal = journal as Journal] in
      journal.begin()
      ThreadRun(journal: journal).run()
    }
    journal.finish(after: result)
  }
}

/// Runs programs one after the other, for some seconds.
private struct ThreadRun {
  let journal: Journal
  private let crews = [2: OtherThreads(2), 3: OtherThreads(3)]

  func run() {
    ThreadReports.collect()
    let clock = ContinuousClock()
    let start = clock.now
    let repeated = RandomPrograms.number("KEYLINE_SEED")
    var seed = repeated ?? RandomPrograms.number("KEYLINE_THREADS_SEED") ?? 1
    var count = 0
    var failing: [String: [(seed: Int, failures: [LawFailure])]] = [:]
    repeat {
      count += 1
      journal.replace(by: "seed \(seed), program \(count), after \(clock.now - start)\n")
      let failures = failures(of: program(seed))
      for law in Set(failures.map(\.law)) { failing[law, default: []].append((seed, failures)) }
      if repeated == nil { seed += 1 }
    } while clock.now - start < ThreadTime.limit
    for (law, cases) in failing.sorted(by: { $0.value[0].seed < $1.value[0].seed }) {
      record(law, cases[0].seed, cases[0].failures, "\(cases.count) of \(count)")
    }
    for crew in crews.values { crew.stop() }
    print("\(count) programs of threads in \(clock.now - start)")
  }

  private func failures(of program: ThreadProgram) -> [LawFailure] {
    crews[program.threads].map(program.failures) ?? []
  }

  /// Records a program that has broken a law, and the shortest program found that breaks it again:
  /// threads do not meet the same way each time, so that each program is tried several times. Ends
  /// after 20 seconds with the shortest program so far.
  private func record(
    _ law: String, _ seed: Int, _ failures: [LawFailure], _ numbers: String
  ) {
    let end = ContinuousClock.now + .seconds(20)
    func breaks(_ program: ThreadProgram, tries: Int) -> Bool {
      (0..<tries).contains { _ in
        ContinuousClock.now < end && self.failures(of: program).contains { $0.law == law }
      }
    }
    let program = program(seed)
    let isRepeatable = breaks(program, tries: 200)
    let shortest = isRepeatable ? program.shortened { breaks($0, tries: 40) } : program
    Issue.record(
      """
      \(numbers) programs of threads break \(law). Seed \(seed)\(isRepeatable ? ", shortened" : ""):
      \(shortest)
        \(failures.filter { $0.law == law }.map(\.description).joined(separator: "\n  "))
      """)
  }

  private func program(_ seed: Int) -> ThreadProgram {
    var program = ThreadGenerator.program(seed: UInt64(seed))
    if let steps = ProcessInfo.processInfo.environment["KEYLINE_THREADS_STEPS"] {
      let kept = steps.split(separator: ",").compactMap { Int($0) }
      program.steps = kept.filter(program.steps.indices.contains).map { program.steps[$0] }
    }
    return program
  }
}
