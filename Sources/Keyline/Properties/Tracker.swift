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
  /// What the innermost tracker of each thread has read, on that thread's stack.
  private static let current = ThreadLocal()

  /// The nodes that an evaluation has read, each at least once, in the order of reading.
  struct Reads {
    // Apart, because one node is the rule, and an array of it would be an allocation.
    private var first: AnyBroadcaster?
    private var rest: [AnyBroadcaster] = []
    /// Tells this state of what was read from any earlier one.
    private(set) var stamp = ReadStamp()

    var isEmpty: Bool { first == nil }

    /// The node, if it is one only.
    var single: AnyBroadcaster? { rest.isEmpty ? first : nil }

    var all: [AnyBroadcaster] { (first.map { [$0] } ?? []) + rest }

    /// Whether nothing that was read has been set since: versions only grow.
    var areCurrent: Bool { rest.reduce(first?.version ?? 0) { $0 &+ $1.version } == stamp.sets }

    mutating func append(_ node: AnyBroadcaster) {
      if first == nil {
        first = node
      } else {
        guard node !== rest.last ?? first else { return }
        rest.append(node)
      }
      stamp.add(node)
    }
  }

  /// Evaluates `read`, and then hands its result and what it read to `body`, which is not tracked,
  /// not by a tracker around this one either: to subscribe is not to read.
  @inline(__always) static func evaluate<Value, Result>(
    _ read: () -> Value, _ body: (Value, Reads) -> Result
  ) -> Result {
    let outer = current.pointer
    defer { if outer != nil { current.pointer = outer } }
    var reads = Reads()
    let value = withUnsafeMutablePointer(to: &reads) { pointer in
      current.pointer = UnsafeMutableRawPointer(pointer)
      active.wrappingAdd(1, ordering: .relaxed)
      defer {
        active.wrappingSubtract(1, ordering: .relaxed)
        current.pointer = nil
      }
      return read()
    }
    return body(value, consume reads)
  }

  /// Does what is not to be tracked: an observer may be told of a set that a getter makes.
  @inline(never) static func untracked(_ body: () -> Void) {
    let outer = current.pointer
    current.pointer = nil
    body()
    current.pointer = outer
  }

  /// What this thread's tracker has read so far; nil if none is on.
  static var reads: UnsafeMutablePointer<Reads>? {
    // Proof: only `evaluate` puts a pointer there, for as long as it points to something.
    current.pointer?.assumingMemoryBound(to: Reads.self)
  }
}

/// What an expression has read, and how many times that had been set.
struct ReadStamp: Equatable {
  private var nodes = 0
  private(set) var sets: UInt = 0

  fileprivate mutating func add(_ node: AnyBroadcaster) {
    nodes = nodes &* 31 &+ Int(bitPattern: ObjectIdentifier(node))
    sets &+= node.version
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
@_effects(releasenone) @inline(never) @usableFromInline func trackRead<Value>(
  _ owner: any PropertyObservable, _ node: Unmanaged<PropertyNode<Value>>?
) -> Unmanaged<PropertyNode<Value>>? {
  guard let reads = Tracker.reads else { return nil }
  if let node {
    node._withUnsafeGuaranteedRef { reads.pointee.append($0) }
    return nil
  }
  let node = owner.properties.adopt(PropertyNode<Value>(owner: owner))
  reads.pointee.append(node)
  return Unmanaged.passUnretained(node)
}
