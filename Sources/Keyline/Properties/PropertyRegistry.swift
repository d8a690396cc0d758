import KeylineCore
import Observation

/// The nodes of one object's observed properties, and the hook on its death (P5).
///
///     object ──▶ registry ──▶ nodes (one per property observed so far) ──▶ observers
///        └── @Observed wrapper ──▶ its slot ──▶ its node, unretained
///
/// - Isolation: confined, with its object.
public final class PropertyRegistry {
  /// In the order in which the properties were first observed.
  private var entries = InlineStack<Entry>()
  private var lifetime: Lifetime?
  private var rest: Rest?
  private var hasEnded = false

  /// What few objects need.
  private final class Rest {
    /// By name: nodes for state that Keyline does not store.
    var named: [String: PropertyNode<Void>] = [:]
    var deallocating: Lifetime?
    var deallocated: Lifetime?
    let registrar = ObservationRegistrar()
  }

  private struct Entry: BitwiseCopyable {
    // Proof of Unmanaged: retained when it is added, released when it is removed.
    let reference: Unmanaged<DependencyNode>
    let slot: UnsafeMutablePointer<PropertySlot>?

    var node: DependencyNode { reference.takeUnretainedValue() }
  }

  private var madeRest: Rest {
    let made = rest ?? Rest()
    rest = made
    return made
  }

  /// For objects that the standard library's Observation observes, too.
  @usableFromInline var registrar: ObservationRegistrar { madeRest.registrar }

  /// A registry without nodes: the `properties` of one object, for as long as that lives.
  public init() {}

  /// The registry of `owner`; nil if that returns another one each time, which is reported.
  static func retained<Owner: PropertyObservable>(by owner: Owner) -> PropertyRegistry? {
    let registry = owner.properties
    if registry === owner.properties { return registry }
    if Diagnostics.isNew(.misuse, "\(Owner.self).properties") {
      Diagnostics.report(
        .misuse, "it returns another registry each time: nothing of the object can be observed",
        type: "\(Owner.self)", property: "properties")
    }
    return nil
  }

  /// For the user; ends first.
  var deallocating: Lifetime { made(&madeRest.deallocating) }

  /// For what depends on the object: paths over it, chains, bindings, weak references to it.
  var death: Lifetime { made(&lifetime) }

  /// For the user; ends last.
  var deallocated: Lifetime { made(&madeRest.deallocated) }

  private var nodes: some Sequence<Entry> { (0..<entries.count).lazy.map { self.entries[$0] } }

  /// Retains `node`, which no wrapper leads to.
  func adopt<Node: DependencyNode>(_ node: Node) -> Node {
    entries.append(Entry(reference: .passRetained(node), slot: nil))
    return node
  }

  /// Retains `node`, and returns the slot for its wrapper at `storage`.
  func adopt<Value>(
    _ node: PropertyNode<Value>, at storage: UnsafeRawPointer
  ) -> UnsafeMutablePointer<PropertySlot> {
    let slot = PropertySlot.make(
      for: node, at: storage, in: Unmanaged.passUnretained(node.object).toOpaque())
    node.slot = slot
    entries.append(Entry(reference: .passRetained(node), slot: slot))
    return slot
  }

  /// The slot of the wrapper at `storage`, if there is one: a wrapper that has been replaced does
  /// not refer to it.
  func slot(at storage: UnsafeRawPointer) -> UnsafeMutablePointer<PropertySlot>? {
    nodes.first { $0.slot?.pointee.address == UInt(bitPattern: storage) }?.slot
  }

  /// Calls `action` whenever the derived property with the wrapper at `storage` is outdated, when
  /// the scope closes. The first action given stays.
  @usableFromInline func notify(
    whenOutdated storage: UnsafeRawPointer, _ action: @escaping () -> Void
  ) {
    let derivation = slot(at: storage)?.pointee.node?._withUnsafeGuaranteedRef { $0.derivation }
    derivation?._withUnsafeGuaranteedRef {
      if $0.outdatedHandler == nil { $0.outdatedHandler = action }
    }
  }

  /// Where the wrapper of `node` is.
  func storage(of node: DependencyNode) -> UnsafeRawPointer? {
    nodes.first { $0.node === node }?.slot
      .flatMap { UnsafeRawPointer(bitPattern: $0.pointee.address) }
  }

  /// Completes everything that observes the object. One scope: what several paths have read of it
  /// settles when all of them have been told (P4).
  ///
  /// - Parameter owner: the object, in its deinit; nil if it is destroyed already.
  func end(of owner: AnyObject? = nil) {
    guard !hasEnded else { return }
    hasEnded = true
    let scope = ThreadScope.ofThread
    let isNested = scope.isOpen
    scope.within {
      let trace = TraceRecorder.ofThread
      let endOfEntry = entries.count == 0 ? nil : owner.flatMap { trace?.beginDeath(of: $0) }
      // All weak references are nil by now: what is read meanwhile is computed from that (D11).
      lifetime?.forEachDependent { ($0 as? ReferentContext)?.change(in: scope) }
      rest?.deallocating?.end()
      endDerivations()
      completeNodes(of: owner, trace, keepingAll: isNested)
      lifetime?.end()
      rest?.deallocated?.end()
      endOfEntry?()
    }
  }

  /// - Parameter keepsAll: whether the scope was open already: a registry that its object replaces, or
  ///   makes anew, may end while a property is being set. What settles at the death itself needs the
  ///   nodes of derived values.
  private func completeNodes(
    of owner: AnyObject?, _ trace: TraceRecorder?, keepingAll keepsAll: Bool
  ) {
    let scope = ThreadScope.ofThread
    for entry in nodes {
      let node = entry.node
      if let owner { trace?.complete(node, of: owner) }
      node.complete()
      if keepsAll || node.derivation != nil { scope.keep(node) }
    }
    releaseNodes()
  }

  private func releaseNodes() {
    let released = entries
    entries = InlineStack()
    for index in 0..<released.count {
      released[index].slot.map { PropertySlot.recycle($0, of: released[index].node) }
      released[index].reference.release()
    }
    released.deallocate()
  }

  /// Ends what keeps derived values up to date. Other threads may be marking what has been computed
  /// from them (D23).
  private func endDerivations() {
    let derivations = nodes.compactMap { $0.node.derivation }
    guard !derivations.isEmpty else { return }
    for derivation in derivations { derivation._withUnsafeGuaranteedRef { $0.dispose() } }
    ThreadScope.awaitMarking()
  }

  /// Reports the read of state known as `key`, which Keyline does not store. To be called in the
  /// getter; whatever observes what is read then follows `didChange`.
  ///
  /// - Complexity: one load, unless something is being evaluated.
  public func access(_ key: String, of object: AnyObject) {
    guard isTracking(), let evaluation = ThreadScope.ofThread.pointee.evaluation else { return }
    let node = rest?.named[key] ?? adopt(PropertyNode<Void>(object))
    madeRest.named[key] = node
    evaluation.pointee.append(node)
  }

  /// Announces a change of the state known as `key`.
  public func willChange(_ key: String) {
    var nothing: Void = ()
    _ = rest?.named[key]?.willSet(&nothing)
  }

  /// Reports a change of the state known as `key`: one emission for its observers.
  public func didChange(_ key: String) { rest?.named[key]?.didSet(()) }

  /// The nodes, and where the wrappers of properties are; for inspection.
  var inspected: [(node: DependencyNode, storage: UInt?)] {
    nodes.map { ($0.node, $0.slot?.pointee.address) }
  }

  /// The subscriptions that the object's death ends.
  var dependents: [EngineContext] { lifetime?.dependents ?? [] }

  /// The name under which `node` was made.
  func name(of node: DependencyNode) -> String? {
    rest?.named.first { $0.value === node }?.key
  }

  /// Lifetimes are made on first use.
  private func made(_ lifetime: inout Lifetime?) -> Lifetime {
    let made = lifetime ?? Lifetime()
    if hasEnded { made.end() }
    lifetime = made
    return made
  }

  // The object is being destroyed: its properties have no names any more, and nothing is recorded.
  deinit {
    // Those that were made since the end.
    defer { releaseNodes() }
    guard let trace = TraceRecorder.ofThread else { return end() }
    trace.quietly { end() }
  }
}

extension Lifetime {
  /// The lifetime of any object that has one; nil for others.
  static func of(_ object: AnyObject) -> Lifetime? {
    (object as? any PropertyObservable)?.properties.death
      ?? (object as? any LifetimeProviding)?.lifetime
  }
}

/// Records a read of a property whose node is known, in the evaluation under way on this thread.
///
/// Proof of @_effects(releasenone): it records in memory of its own.
///
/// - Returns: whether nothing is left to do.
@_effects(releasenone) @inline(never) @usableFromInline
func trackKnownRead(_ slot: UnsafeMutablePointer<PropertySlot>?, at storage: UnsafeRawPointer)
  -> Bool
{
  guard let slot, slot.pointee.address == UInt(bitPattern: storage) else { return false }
  return slot.pointee.isRecorded || recordRead(of: slot)
}

/// Out of line: then a read that is recorded already saves no registers for it.
@inline(never) private func recordRead(of slot: UnsafeMutablePointer<PropertySlot>) -> Bool {
  slot.pointee.recordRead()
}

/// Reports the read of a property to the evaluation under way; makes the property's node if there
/// is none yet.
///
/// Proof of @_effects(releasenone): it appends to lists and releases at most their former buffers,
/// which nothing else refers to.
///
/// - Parameter keyPath: the property's own key path; nil if it is not known. A closure, because a
///   key path that is passed on is made anew at every access, and a closure over a literal is not.
/// - Returns: the slot, if it is new and the wrapper must store it.
@_effects(releasenone) @inline(never) @usableFromInline
func trackRead<Owner: PropertyObservable, Value>(
  _ owner: Owner, _ slot: UnsafeMutablePointer<PropertySlot>?, at storage: UnsafeRawPointer,
  of value: Value.Type, _ keyPath: () -> AnyKeyPath?
) -> UnsafeMutablePointer<PropertySlot>? {
  guard let evaluation = ThreadScope.ofThread.pointee.evaluation else { return nil }
  if let slot, let node = slot.node(at: storage, of: value) {
    node._withUnsafeGuaranteedRef { node in
      evaluation.pointee.append(node)
      // It may have been made for access by name, without a key path.
      if _slowPath(!node.isIdentified) { node.identify(keyPath()) }
    }
    return nil
  }
  return trackFirstRead(owner, at: storage, of: value, keyPath, by: evaluation)
}

@inline(never) private func trackFirstRead<Owner: PropertyObservable, Value>(
  _ owner: Owner, at storage: UnsafeRawPointer, of value: Value.Type, _ keyPath: () -> AnyKeyPath?,
  by evaluation: UnsafeMutablePointer<Evaluation>
) -> UnsafeMutablePointer<PropertySlot>? {
  guard let registry = PropertyRegistry.retained(by: owner) else { return nil }
  if let slot = registry.slot(at: storage), let node = slot.node(at: storage, of: value) {
    // The wrapper has been replaced; its observers continue with the new one.
    node._withUnsafeGuaranteedRef { evaluation.pointee.append($0) }
    return slot
  }
  let node = PropertyNode<Value>(owner)
  node.identify(keyPath())
  evaluation.pointee.append(node)
  return registry.adopt(node, at: storage)
}
