import KeylineCore

/// One evaluation of an expression, and what it reads.
///
/// While it is under way, every observed property that is read on its thread reports its node. That
/// yields, without parsing key paths, the property behind `\.name`, every hop of `\.address?.city`,
/// and everything a computed property depends on, across objects.
///
/// - Complexity: a property read outside any evaluation pays one load; a read that the computation
///   made in the same place last time allocates nothing.
/// - SeeAlso: MobX and alien-signals track dependencies likewise.
struct Evaluation {
  /// One node, and its version as it was read.
  struct Read: BitwiseCopyable {
    // Proof of Unmanaged: retained when it is appended, released when the evaluation is finished.
    let node: Unmanaged<DependencyNode>
    let version: UInt
  }

  /// The dependencies of the last run, in the order of reading.
  private var expected: UnsafeMutableBufferPointer<UnsafeMutablePointer<Dependency>>
  /// How many of them have been read again, in that order.
  private(set) var confirmed = 0
  /// The first of the other reads: separate, because most observed paths read one node, and an
  /// array would be an allocation.
  private(set) var first: Read?
  fileprivate var rest: ContiguousArray<Read> = []
  fileprivate var stamp: UInt = 0
  /// The evaluation around this one.
  private var outer: UnsafeMutablePointer<Evaluation>?

  init() { expected = UnsafeMutableBufferPointer(start: nil, count: 0) }

  /// Calls `body` with what has been read beside what was confirmed, each node once.
  func forEachRead(_ body: (_ node: DependencyNode, _ version: UInt) -> Void) {
    guard let first else { return }
    first.node._withUnsafeGuaranteedRef { body($0, first.version) }
    for read in rest { read.node._withUnsafeGuaranteedRef { body($0, read.version) } }
  }

  @inline(__always) mutating func append(_ node: DependencyNode) {
    guard node.evaluation != stamp else { return }
    node.evaluation = stamp
    if confirmed < expected.count, first == nil {
      let dependency = expected[confirmed]
      if dependency.pointee.nodeReference.toOpaque() == Unmanaged.passUnretained(node).toOpaque() {
        dependency.pointee.version = node.version
        confirmed += 1
        return
      }
    }
    appendNew(node)
  }

  @inline(never) private mutating func appendNew(_ node: DependencyNode) {
    let read = Read(node: .passRetained(node), version: node.version)
    if first == nil {
      first = read
    } else {
      rest.append(read)
    }
  }
}

// An extension of the pointer: through its value, all of it would be copied.
extension UnsafeMutablePointer<Evaluation> {
  /// The node, if it is the only one that has been read, and has not changed since: retained by the
  /// evaluation, until that is finished.
  @inline(__always) var single: Unmanaged<DependencyNode>? {
    guard pointee.rest.isEmpty, let read = pointee.first,
      read.version == read.node._withUnsafeGuaranteedRef({ $0.version })
    else { return nil }
    return read.node
  }
}

// An evaluation is begun and ended, not given a closure: generic code would look up the metadata of
// whatever a closure returns.
extension UnsafeMutablePointer<ThreadScope> {
  /// Begins an evaluation: reads are reported to it until `end(_:)`.
  ///
  /// - Parameter expected: the dependencies of the last run, which stay where they are until the
  ///   end.
  /// - Returns: the evaluation, which must be finished.
  @inline(__always) func begin(
    expecting expected: UnsafeMutableBufferPointer<UnsafeMutablePointer<Dependency>> = .init(
      start: nil, count: 0)
  ) -> UnsafeMutablePointer<Evaluation> {
    let evaluation = takeEvaluation()
    let outer = pointee.evaluation
    let number = nextEvaluation()
    evaluation.pointee.begin(number, expected, inside: outer)
    pointee.evaluation = evaluation
    setLatestEvaluation(number)
    beginTracking()
    return evaluation
  }

  /// Ends the evaluation: what it has read is available until `finish(_:)`.
  @inline(__always) func end(_ evaluation: UnsafeMutablePointer<Evaluation>) {
    let outer = evaluation.pointee.end()
    pointee.evaluation = outer
    setLatestEvaluation(outer?.pointee.stamp ?? noEvaluation)
    endTracking()
  }

  /// Makes reads look for an evaluation, until `endTracking()`. They may be nested.
  @inline(__always) func beginTracking() {
    if pointee.tracking == 0 { beginTrackingThread() }
    pointee.tracking += 1
  }

  @inline(__always) func endTracking() {
    pointee.tracking -= 1
    if pointee.tracking == 0 { endTrackingThread() }
  }

  /// Returns the evaluation to the pool.
  @inline(__always) func finish(_ evaluation: UnsafeMutablePointer<Evaluation>) {
    evaluation.pointee.clear()
    pointee.openEvaluations -= 1
  }

  @inline(__always) private func takeEvaluation() -> UnsafeMutablePointer<Evaluation> {
    let index = pointee.openEvaluations
    pointee.openEvaluations += 1
    if index < pointee.evaluationPool.count { return pointee.evaluationPool[index] }
    return makeEvaluation()
  }

  @inline(never) private func makeEvaluation() -> UnsafeMutablePointer<Evaluation> {
    let made = UnsafeMutablePointer<Evaluation>.allocate(capacity: 1)
    made.initialize(to: Evaluation())
    pointee.evaluationPool.append(made)
    return made
  }

  /// What `read` reads, each node once.
  func nodes(_ read: () -> Void) -> [DependencyNode] {
    let evaluation = begin()
    read()
    end(evaluation)
    defer { finish(evaluation) }
    var nodes: [DependencyNode] = []
    evaluation.pointee.forEachRead { node, _ in nodes.append(node) }
    return nodes
  }
}

extension Evaluation {
  fileprivate mutating func begin(
    _ stamp: UInt, _ expected: UnsafeMutableBufferPointer<UnsafeMutablePointer<Dependency>>,
    inside outer: UnsafeMutablePointer<Evaluation>?
  ) {
    self.stamp = stamp
    self.expected = expected
    self.outer = outer
    confirmed = 0
  }

  fileprivate mutating func end() -> UnsafeMutablePointer<Evaluation>? {
    expected = UnsafeMutableBufferPointer(start: nil, count: 0)
    return outer
  }

  @inline(__always) fileprivate mutating func clear() { if first != nil { releaseReads() } }

  @inline(never) private mutating func releaseReads() {
    first?.node.release()
    first = nil
    for read in rest { read.node.release() }
    rest.removeAll(keepingCapacity: true)
  }
}
