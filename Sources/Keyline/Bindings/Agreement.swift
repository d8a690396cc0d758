/// The state of one end of a two-way binding that both ends have agreed on.
///
/// The words for the state of a value:
/// - *synced*: both ends agree on it; a change is *unsynced* until then.
/// - *pending*: set, and delivered later: at the end of the batch, or when the transaction settles.
/// - *delivering*, *redelivering*: its observers are being called; it was set in an observer.
///
/// For a stored property, every set is a change, identified by its version; for a computed
/// property, or a member of a value, only a different value is. Therefore neither a binding's own
/// writes come back to it, nor the writes of another binding between the same ends (B3).
final class Agreement<Value, Other> {
  let property: BindingEnd<Value>
  /// Converts a value of this end to a value of the other.
  let convert: BindingConversion<Value, Other>
  /// Whether a fallback takes the place of nil. What the other end makes of it is not sent back.
  var replacesNil = false
  private let areEqual = Equality<Value>.of
  private var syncedVersion: UInt = 0
  private var synced = Remembered<Value>()

  init(_ property: BindingEnd<Value>, _ convert: @escaping BindingConversion<Value, Other>) {
    self.property = property
    self.convert = convert
  }

  /// Whether every set counts as a change; otherwise values are compared.
  @inline(__always) private func isVersioned(_ node: Node) -> Bool {
    guard let chain = property.chain else { return !node.isComputed }
    return chain.leaf?.leafIndex == chain.leaf?.index
  }

  /// The version of the property; nil if values are compared.
  private var version: UInt? { if let node = property.node { version(of: node) } else { nil } }

  // Inlined, because the call would retain the node.
  @inline(__always) private func version(of node: Node) -> UInt? {
    guard isVersioned(node) else { return nil }
    return node.isComputed ? property.currentVersion : node.version
  }

  /// Records the current version, or else `value`, as agreed on by both ends.
  func markSynced(_ value: Value) {
    if let version { return syncedVersion = version }
    let isReference = Optionals.isReference(Value.self)
    synced.forget(isReference: isReference)
    synced.store(value, isReference: isReference)
    // A value that does not equal itself is recognised by its version.
    if areEqual(value, value) != true { syncedVersion = property.currentVersion }
  }

  /// Whether the ends have agreed on `value`, if values are compared.
  private func isSynced(_ value: Value) -> Bool {
    synced.load().map { areEqual($0, value) == true } == true
      || syncedVersion > 0 && syncedVersion == property.currentVersion
  }

  /// Whether the ends have not yet agreed on the value being delivered.
  func hasUnsyncedDelivery(_ value: Value) -> Bool {
    // A replaced object on the chain counts as a change, also if the member of its value is equal.
    guard let node = property.node else { return !isSynced(value) }
    guard isVersioned(node) else { return node.isHopChanged || !isSynced(value) }
    return Int(bitPattern: node.delivered &- syncedVersion) > 0
  }

  /// Whether the property has changed since the ends agreed.
  var hasUnsyncedChange: Bool {
    property.withNode { node in
      if let version = version(of: node) { return version != syncedVersion }
      var isUnsynced = false
      property.withValue { isUnsynced = !isSynced($0) }
      return isUnsynced || node.hasPendingHop
    }
  }

  /// Whether a change waits to be delivered: at the end of the open batch or, for a computed
  /// property, when the transaction settles.
  var isPending: Bool {
    property.withNode { $0.isComputed || property.isInBatch } && hasUnsyncedChange
  }

  // MARK: Agreeing

  /// Whether the value is the conversion of the value of `end`. Then both are recorded as agreed on,
  /// and nothing is sent back: another binding between the ends may have written this one during the
  /// delivery of `end`.
  func isMade(of end: Agreement<Other, Value>) -> Bool {
    var isMade = false
    property.withValue { value in
      end.property.withValue { other in
        _ = try? end.convert(other) { isMade = areEqual(value, $0) == true }
        guard isMade else { return }
        markSynced(value)
        end.markSynced(other)
      }
    }
    return isMade
  }

  /// Writes the conversion of `value` to `end`; if `end` stores a different value, sends that value
  /// back.
  ///
  /// - Returns: whether this end has a different value now.
  func transfer(
    _ value: Value, to end: Agreement<Other, Value>, by binding: PropertyBinding, mayBeEcho: Bool
  ) -> Bool {
    markSynced(value)
    let version = version
    var isChanged = false
    binding.convert(value, convert) { wanted in
      let isTaken = end.write(wanted, by: binding, mayBeEcho: mayBeEcho)
      if version != self.version, isTaken != nil {
        // This end was set again in the meantime. The new value takes precedence, unless it is the
        // same.
        isChanged = true
        property.withValue { if areEqual(value, $0) == true { isChanged = isTaken == false } }
        if !isChanged { markSynced(value) }
      } else if isTaken == false {
        isChanged = takesBack(from: end, after: value, by: binding)
      }
    }
    return isChanged
  }

  /// Takes what `end` has made of `value` back.
  private func takesBack(
    from end: Agreement<Other, Value>, after value: Value, by binding: PropertyBinding
  ) -> Bool {
    var isChanged = false
    guard !replacesNil || Optionals.content(of: value) != nil else { return false }
    end.property.withValue { other in
      binding.convert(other, end.convert) { back in
        guard areEqual(value, back) != true else { return }
        isChanged = write(back, by: binding, mayBeEcho: false) == false
      }
    }
    return isChanged
  }

  /// Writes to this end, and records the value that it has afterwards as agreed on.
  ///
  /// - Returns: whether that value is `wanted`; nil if nothing was stored.
  private func write(_ wanted: Value, by binding: PropertyBinding, mayBeEcho: Bool) -> Bool? {
    guard binding.isActive, let owner = property.owner else { return nil }
    if mayBeEcho || property.isDelivering {
      var isEqual = false
      property.withValue(of: owner) { value in
        isEqual = areEqual(value, wanted) == true
        if isEqual { markSynced(value) }
      }
      if isEqual { return true }
    }
    let version = version
    let outcome = property.write(wanted, to: owner, by: binding)
    // A new owner is written to when the hops settle.
    guard !property.isChain || property.owner === owner else { return nil }
    var isTaken: Bool?
    property.withValue(of: owner) { value in
      markSynced(value)
      let isEqual = areEqual(value, wanted)
      switch outcome {
      case .rejected: break
      case .coerced: isTaken = isEqual ?? false
      case .valid: isTaken = isEqual ?? (version == nil || self.version == version.map { $0 &+ 1 })
      }
    }
    return isTaken
  }
}

extension Node {
  /// Whether a hop before the last property was the first change that the last evaluation found.
  fileprivate var isHopChanged: Bool {
    settlement.changedDependency < dependencies.count - 1 && state.contains(.recordsReads)
  }

  /// Whether such a hop has changed since the last evaluation.
  fileprivate var hasPendingHop: Bool {
    state.contains(.recordsReads) && isMarked
      && dependencies.dropLast().contains { $0.node.version != $0.version }
  }
}
