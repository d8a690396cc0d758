import Synchronization
import TestSupport

@testable import Keyline

extension ThreadDomain {
  /// Compares everything with the laws. All threads have joined.
  ///
  /// - Parameter readsFirst: whether derived values are read before the operation on each object
  ///   with which deaths on other threads take effect (D23); reads are fresh without it.
  func compare(readsFirst: Bool) {
    let parts = histories.compactMap(\.part)
    if readsFirst { parts.forEach(compareReads) }
    parts.forEach(operate)
    if !readsFirst { parts.forEach(compareReads) }
    for view in followedViews { view.faults.forEach(fail) }
    for followed in followed { followed.faults(in: self).forEach(fail) }
    let writes = Part.foreignWrites.exchange(0, ordering: .relaxed)
    expect(writes == 0, "P1: \(writes) sets on other threads")
    for report in ThreadReports.take() { fail("report: \(report)") }
  }

  /// An operation on the object: a set, and an observation if the object is observed at all.
  private func operate(on part: Part) {
    part.pulse += 1
    if part.registration != nil { part.observe(\.pulse) { _ in }.dispose() }
  }

  private func compareReads(of part: Part) {
    expect(part.doubled == part.number * 2, "D11: doubled is \(part.doubled)")
    expect(
      part.ofFriend == part.naiveOfFriend, "D23: ofFriend \(part.ofFriend), \(part.naiveOfFriend)")
    expect(part.total == part.naiveTotal, "D23: total \(part.total), \(part.naiveTotal)")
    expect(part.deep == part.naiveDeep, "D23: deep \(part.deep), \(part.naiveDeep)")
    expect(part.derivedFriend === part.friend, "D23: derivedFriend")
  }

  /// After everything has been dropped.
  func expectNothingLeft() {
    for history in histories {
      expect(history.part == nil, "memory: part \(history.id) is alive")
      expect(history.isReleased, "memory: what was registered for part \(history.id)")
    }
    for array in followedArrays { expect(array.array == nil, "memory: an array") }
    for view in followedViews { expect(view.view == nil, "memory: a view \(view.kind)") }
    expect(trackingCount == formerTrackingCount, "speed: reads are slow in the whole process")
  }
}

/// The reports of the process; none is expected from a program.
enum ThreadReports {
  private static let reports = SharedReports()

  private final class SharedReports: Sendable {
    let lines = Guarded<[String]>([])
  }

  /// Begins to collect reports, in a process that runs nothing else.
  static func collect() {
    Diagnostics.handler = { report in reports.lines.withLock { $0.append("\(report)") } }
  }

  static func take() -> [String] {
    reports.lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}
