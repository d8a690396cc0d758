import KeylineCore

/// Counts live subscriptions, disposables and subjects, to find objects that a running app never
/// releases.
///
/// ```swift
/// Resources.isCounting = true
/// let before = Resources.total
/// openScreen()
/// closeScreen()
/// assert(Resources.total == before, "\(Resources.counts)")
/// ```
///
/// A test of one object uses a lifetime tracker of the test kit instead, because these counts cover
/// the whole process.
///
/// - Isolation: usable from any thread.
/// - Complexity: off, one relaxed load for each subscription, disposable and subject made, and
///   nothing per element. Unlike RxSwift's, it needs no compile flag.
public enum Resources {
  /// Whether new subscriptions, disposables and subjects are counted. Off by default.
  public static var isCounting: Bool {
    get { Records.isCounting.load(ordering: .relaxed) }
    set { Records.turn(Records.isCounting, on: newValue) }
  }

  /// The number of live objects that were made while counting.
  public static var total: Int32 { Int32(clamping: counts.values.reduce(0, +)) }

  /// The calls that made the live objects, with the operators before each call and the number of
  /// objects, by kind: `["observe → map → subscribe (Form.swift:12)": 3]`.
  ///
  /// Only objects made while `Diagnostics.isRecording` was on are listed. A part of a subscription
  /// counts as made by the call of the whole subscription. Subjects, relays and bags are listed by type,
  /// `["BehaviorRelay": 2]`, including the subjects that operators such as `share` make. Disposables
  /// that stand alone are in ``counts`` only. A file is named without its module, so files of the same
  /// name in several modules share their entries.
  ///
  /// - Complexity: O(live and recorded objects).
  public static var places: [ResourceKind: [String: Int]] {
    Records.all.reduce(into: [:]) { places, entry in
      guard let path = Records.path(from: entry.key), path.call != nil else { return }
      places[entry.value.kind, default: [:]][path.description(), default: 0] += 1
    }
  }

  /// How many there are of each kind.
  public static var counts: [ResourceKind: Int] {
    let none = Dictionary(uniqueKeysWithValues: ResourceKind.allCases.map { ($0, 0) })
    return Records.all.values.filter(\.isCounted).reduce(into: none) { $0[$1.kind]? += 1 }
  }
}
