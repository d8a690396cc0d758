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
enum Tracker {
  /// How many trackers are on, on all threads.
  static let active = Atomic<Int>(0)
  /// The innermost tracker of each thread.
  private static let current = ThreadLocal()

  private struct Frame {
    var nodes: [any PropertyNodeType] = []
  }

  /// Evaluates `body` and lists the nodes it read, each at least once, in the order of reading.
  static func track<Result>(_ body: () -> Result) -> (Result, [any PropertyNodeType]) {
    var frame = Frame()
    let result = withUnsafeMutablePointer(to: &frame) { pointer in
      let outer = current.pointer
      current.pointer = UnsafeMutableRawPointer(pointer)
      active.add(1, ordering: .relaxed)
      defer {
        active.subtract(1, ordering: .relaxed)
        current.pointer = outer
      }
      return body()
    }
    return (result, frame.nodes)
  }

  /// Whether a tracker is on, on this thread.
  static var isOn: Bool { current.pointer != nil }

  /// Reports a read to this thread's tracker.
  static func didRead(_ node: any PropertyNodeType) {
    guard let frame = current.pointer?.assumingMemoryBound(to: Frame.self) else { return }
    if frame.pointee.nodes.last !== node { frame.pointee.nodes.append(node) }
  }
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
