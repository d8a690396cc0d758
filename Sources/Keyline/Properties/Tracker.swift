import Synchronization

/// Finds out which properties an expression reads.
///
/// While a tracker is on, every observed property that is read on its thread reports its node. That
/// yields, without parsing key paths, the property behind `\.name`, every hop of `\.address?.city`,
/// and everything a computed property depends on, across objects.
///
/// - Complexity: a property read outside any tracker pays one relaxed atomic load.
/// - SeeAlso: ReactFX and MobX track dependencies likewise; so does the standard library's
///   Observation.
final class Tracker {
  /// How many trackers are on, on all threads.
  static let active = Atomic<Int>(0)
  /// The innermost tracker of each thread, unretained.
  private static let current = ThreadLocal()

  private let outer: UnsafeMutableRawPointer?
  /// The node read first.
  private(set) var first: AnyBroadcaster?
  private var rest: [AnyBroadcaster] = []

  private init(inside outer: UnsafeMutableRawPointer?) { self.outer = outer }

  /// Evaluates `body` and tells what it read.
  @inline(__always)
  static func track<Result>(_ body: () -> Result) -> (result: Result, reads: Tracker) {
    let tracker = begin()
    let result = body()
    tracker.end()
    return (result, tracker)
  }

  /// Switches a tracker on, on this thread. It must `end()` there, before the one around it.
  static func begin() -> Tracker {
    let tracker = Tracker(inside: current.pointer)
    current.pointer = Unmanaged.passUnretained(tracker).toOpaque()
    active.add(1, ordering: .relaxed)
    return tracker
  }

  func end() {
    Tracker.active.subtract(1, ordering: .relaxed)
    Tracker.current.pointer = outer
  }

  /// Whether a tracker is on, on this thread.
  static var isOn: Bool { current.pointer != nil }

  /// Reports a read to this thread's tracker.
  static func didRead(_ node: AnyBroadcaster) {
    guard let pointer = current.pointer else { return }
    // Proof of Unmanaged: only `begin` puts a pointer there, and whoever began holds the tracker.
    let tracker = Unmanaged<Tracker>.fromOpaque(pointer).takeUnretainedValue()
    if tracker.first == nil {
      tracker.first = node
    } else if (tracker.rest.last ?? tracker.first) !== node {
      tracker.rest.append(node)
    }
  }

  /// The node, if there is one only.
  var single: AnyBroadcaster? { rest.isEmpty ? first : nil }

  /// The nodes read, each at least once, in the order of reading.
  var all: [AnyBroadcaster] { (first.map { [$0] } ?? []) + rest }
}

/// Whether any thread is tracking.
///
/// Proof of @_effects(releasenone): it loads one atomic. The attribute, with the call kept out of
/// line, keeps the optimiser from bracketing every property read with a retain and a release.
@_effects(releasenone) @inline(never) @usableFromInline
func isTracking() -> Bool { Tracker.active.load(ordering: .relaxed) != 0 }

/// Reports the read of a property; makes its node if there is none yet.
///
/// Proof of @_effects(releasenone): it appends to lists and releases at most their former buffers,
/// which nobody else can see.
///
/// - Returns: the node, if it is new and the wrapper must remember it.
@_effects(releasenone) @inline(never) @usableFromInline
func trackRead<Value>(
  _ owner: any PropertyObservable, _ node: Unmanaged<PropertyNode<Value>>?
) -> Unmanaged<PropertyNode<Value>>? {
  guard Tracker.isOn else { return nil }
  if let node {
    Tracker.didRead(node.takeUnretainedValue())
    return nil
  }
  let made = PropertyNode<Value>(owner: owner)
  owner.properties.adopt(made)
  Tracker.didRead(made)
  return Unmanaged.passUnretained(made)
}
