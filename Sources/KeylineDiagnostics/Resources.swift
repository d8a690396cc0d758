import KeylineCore

/// Counts what is alive: for finding out, in an app as it runs, whether something is never
/// released.
///
/// ```swift
/// Resources.isCounting = true
/// let before = Resources.total
/// openScreen()
/// closeScreen()
/// assert(Resources.total == before, "\(Resources.counts)")
/// ```
///
/// A test of one object uses a lifetime tracker of the test kit instead: these counts are those of
/// the whole process.
///
/// - Isolation: usable from any thread.
/// - Complexity: off, one relaxed load for each subscription, disposable and subject made, and
///   nothing per element. Unlike RxSwift's, it needs no compile flag.
public enum Resources {
  /// Whether what is made from now on is counted. Off unless set.
  public static var isCounting: Bool {
    get { Records.isCounting.load(ordering: .relaxed) }
    set {
      Records.isCounting.store(newValue, ordering: .relaxed)
      Instrumentation.install(Records.shared)
    }
  }

  /// How many there are of everything that was made while counting and is alive.
  public static var total: Int32 { Int32(clamping: counts.values.reduce(0, +)) }

  /// The calls that have made what is alive, with the operators before them, and how many of it, by
  /// kind: `["observe → map → subscribe (Form.swift:12)": 3]`, where a file is named without its
  /// module: files of one name in several modules are one. Of what was made while
  /// `Diagnostics.isRecording`; a part of a subscription counts as made by the call of that. A
  /// subject, relay or bag has the call of its initialiser. One that a function value makes,
  /// `map(BehaviorRelay.init)`, or a protocol's requirement, and any other disposable that stands
  /// alone, is in ``counts`` only.
  ///
  /// - Complexity: O(what is alive and recorded).
  public static var places: [ResourceKind: [String: Int]] {
    Records.all.reduce(into: [:]) { places, entry in
      guard let path = Records.path(from: entry.key), path.call != nil else { return }
      places[entry.value.kind, default: [:]][path.description(), default: 0] += 1
    }
  }

  /// How many there are of each kind.
  public static var counts: [ResourceKind: Int] {
    let all = Records.all.values.filter(\.isCounted)
    return Dictionary(
      uniqueKeysWithValues: ResourceKind.allCases.map { kind in
        (kind, all.count { $0.kind == kind })
      })
  }
}
