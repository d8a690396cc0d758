import Synchronization

/// The kinds of resources counted while ``Resources/isCounting``.
public enum ResourceKind: UInt8, Sendable, CaseIterable {
  /// Subscriptions, and the inner subscriptions of operators.
  case subscription
  /// Disposables that hold a resource, bags included.
  case disposable
  /// Objects with a list of observers: subjects, relays, shared observables and observed
  /// properties.
  case subject

  var alive: Int { Records.alive(self) }
}

/// Counts the object that stores it, until it ends, and is the key to what is recorded of it.
///
/// The object must end it, in its `deinit` at the latest. A `deinit` here would retain and release
/// each object that is being destroyed.
///
/// It stores whether it was counted: counts stay correct when counting is switched on and off.
///
/// - Complexity: one relaxed load on initialisation and one at the end, while counting and
///   recording are off; a lock round trip when one is on.
struct ResourceCount: ~Copyable {
  /// What is done with new resources: any of the two below.
  static let mode = Atomic<UInt8>(0)
  static let counting: UInt8 = 1
  static let recording: UInt8 = 2

  /// The number of the object's record; 0 for none.
  private let record: Atomic<UInt32>

  static func set(_ bit: UInt8, _ isOn: Bool) {
    if isOn {
      mode.bitwiseOr(bit, ordering: .relaxed)
    } else {
      mode.bitwiseAnd(~bit, ordering: .relaxed)
    }
  }

  @inline(__always)
  init(_ kind: ResourceKind) {
    let mode = Self.mode.load(ordering: .relaxed)
    record = Atomic(_slowPath(mode != 0) ? Self.add(kind, mode) : 0)
  }

  /// Counts nothing.
  @inline(__always) init() { record = Atomic(0) }

  @inline(__always) var number: UInt32 { record.load(ordering: .relaxed) }

  /// Records the call that has made the object, unless that is one of the library's own.
  @inline(__always)
  func record(_ file: StaticString, _ line: UInt, _ function: StaticString) {
    if _slowPath(number != 0) { Self.record(CallSite(file, line, function), number) }
  }

  @inline(never) private static func record(_ call: CallSite, _ number: UInt32) {
    let module = "\(call.file)".prefix { $0 != "/" }
    guard !["", "Keyline", "KeylineFoundation", "KeylineTest"].contains(module) else { return }
    Records.update(number) { $0.call = call }
  }

  /// Records that the object belongs to the one with the record `outer`.
  @inline(__always) func link(inside outer: UInt32) {
    if _slowPath(number != 0) { Records.link(number, inside: outer) }
  }

  /// Counts the object no longer, although something may still refer to it.
  @inline(__always)
  func end() {
    if _slowPath(number != 0) { endCounted() }
  }

  @inline(never) private func endCounted() {
    let number = record.exchange(0, ordering: .relaxed)
    if number != 0 { Records.remove(number) }
  }

  @inline(never) private static func add(_ kind: ResourceKind, _ mode: UInt8) -> UInt32 {
    Records.add(
      Record(kind: kind, isCounted: mode & counting != 0, isRecorded: mode & recording != 0))
  }
}
