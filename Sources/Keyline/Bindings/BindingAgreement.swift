import KeylineCore

/// How two ends agree (B3): by sending to and fro what each stores, until one stores what the converter
/// makes of the other.
extension BindingEngine {
  /// Whether the change is what the converter makes of a value that the other end delivers: another
  /// binding between the two has written it, and nothing is to be sent back.
  @inlinable func isEcho(
    at side: Side, _ source: BoundProperty<Source>, _ target: BoundProperty<Target>
  ) -> Bool {
    switch side {
    case .source where target.isDeliveringNews:
      isEcho(source, of: target, settings.converter.backward)
    case .target where source.isDeliveringNews:
      isEcho(target, of: source, settings.forward)
    default: false
    }
  }

  @inlinable func isEcho<From, To>(
    _ end: BoundProperty<To>, of origin: BoundProperty<From>, _ convert: (From) throws -> To?
  ) -> Bool {
    guard let value = origin.read(), let taken = end.read(),
      let wanted = try? convert(value), end.areSame(taken, wanted) == true
    else { return false }
    origin.agree(on: value)
    end.agree(on: taken)
    return true
  }

  /// - Returns: false if the ends do not agree after all rounds.
  @inlinable func agree<From, To>(
    _ origin: BoundProperty<From>, _ end: BoundProperty<To>, _ forward: (From) throws -> To?,
    _ backward: (To) throws -> From?, isInitial: Bool
  ) -> Bool {
    guard var value = origin.read() else { return true }
    guard isInitial || origin.isNews(value) else { return true }
    // A ring of bindings, or two bindings between the same ends, come back to where they began:
    // then an end that already has an equal value is not written, as the writes would never end
    // otherwise.
    let mayBeEcho =
      !isInitial && (origin.isRedelivering || context.isMakingPostponedWrite || isComparing)
    for _ in 0..<(bindingRounds / 2) {
      guard context.isActive else { return true }
      let version = origin.version
      origin.agree(on: value)
      guard let wanted = convert(value, forward),
        let taken = transfer(wanted, to: end, mayBeEcho: mayBeEcho)
      else {
        return true
      }
      if version != origin.version {
        // Set again meanwhile: that value takes precedence.
        guard let now = origin.read() else { return true }
        value = now
        continue
      }
      // The value that the other end stored is sent back.
      guard case .changed(let other) = taken, let back = convert(other, backward),
        origin.areSame(value, back) != true,
        case .changed(let now)? = transfer(back, to: origin, mayBeEcho: false)
      else { return true }
      value = now
    }
    return false
  }

  /// Writes to `end`, and records its value then as agreed; nil if it has refused, or is dead, or is
  /// no end any more.
  @inlinable func transfer<Value>(
    _ wanted: Value, to end: BoundProperty<Value>, mayBeEcho: Bool
  ) -> Taken<Value>? {
    guard context.isActive, !isRelinked else { return nil }
    if mayBeEcho || end.isDelivering, let value = end.read(), end.areSame(value, wanted) == true {
      end.agree(on: value)
      return .asWanted
    }
    let version = end.version
    let outcome = end.write(wanted, by: context)
    guard !isRelinked, let taken = end.read() else { return nil }
    end.agree(on: taken)
    if case .refused = outcome { return nil }
    let isTaken =
      end.areSame(taken, wanted)
      ?? (outcome == nil && (version == nil || end.version == version.map { $0 &+ 1 }))
    return isTaken ? .asWanted : .changed(taken)
  }
}

/// How often the ends of a two-way binding may change each other's value for one change, or be replaced
/// by that.
@inlinable var bindingRounds: Int { 16 }

/// What an end has made of a value that was written to it.
@usableFromInline enum Taken<Value> {
  case asWanted
  /// The end has stored a different value.
  case changed(Value)
}
