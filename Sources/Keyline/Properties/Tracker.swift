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
    private var first: Read?
    private var rest: [Read] = []

    private struct Read {
      let node: AnyBroadcaster
      let version: UInt
    }

    fileprivate init() {}

    var isEmpty: Bool { first == nil }

    /// The node, if it is one only.
    var single: AnyBroadcaster? { rest.isEmpty ? first?.node : nil }

    var all: [AnyBroadcaster] { (first.map { [$0.node] } ?? []) + rest.map(\.node) }

    /// Whether nothing that was read has been set since.
    var areCurrent: Bool {
      first.map { $0.node.version == $0.version } != false
        && rest.allSatisfy { $0.node.version == $0.version }
    }

    /// Tells this state of what was read from any earlier one.
    var stamp: ReadStamp {
      var stamp = ReadStamp()
      if let first { stamp.add(first.node, first.version) }
      for read in rest { stamp.add(read.node, read.version) }
      return stamp
    }

    mutating func append(_ node: AnyBroadcaster) {
      let read = Read(node: node, version: node.version)
      if first == nil {
        first = read
      } else if (rest.last ?? first)?.node !== node {
        rest.append(read)
      }
    }
  }

  /// Evaluates `read`, and then hands its result and what it read to `body`, which is not tracked,
  /// not by a tracker around this one either: to subscribe is not to read.
  @inline(__always)
  static func evaluate<Value>(_ read: () -> Value, _ body: (Value, Reads) -> Void) {
    var reads = Reads()
    withUnsafeMutablePointer(to: &reads) { pointer in
      let outer = current.pointer
      current.pointer = UnsafeMutableRawPointer(pointer)
      active.add(1, ordering: .relaxed)
      let value = read()
      active.subtract(1, ordering: .relaxed)
      current.pointer = nil
      body(value, pointer.pointee)
      if outer != nil { current.pointer = outer }
    }
  }

  /// Does what is not to be tracked: an observer may be told of a set that a getter makes.
  @inline(never)
  static func untracked(_ body: () -> Void) {
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

  fileprivate mutating func add(_ node: AnyBroadcaster, _ version: UInt) {
    nodes = nodes &* 31 &+ ObjectIdentifier(node).hashValue
    sets &+= version
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
  guard let reads = Tracker.reads else { return nil }
  if let node {
    reads.pointee.append(node.takeUnretainedValue())
    return nil
  }
  let made = PropertyNode<Value>(owner: owner)
  owner.properties.adopt(made)
  reads.pointee.append(made)
  return Unmanaged.passUnretained(made)
}
