/// The target of a row: Keyline takes at most `limit` times a reference measured in the same run.
struct Bar {
  /// The measurement that Keyline is compared with.
  enum Reference {
    /// Another column of the row.
    case column(Peer)
    /// A column of another row, measured once more in the rounds of this one.
    case row(String, Peer)

    static let openCombine = Reference.column(.openCombine)
    static let observation = Reference.column(.observation)
    static let plain = Reference.column(.plain)

    /// The label of the reference's column in the rounds of the row.
    var label: String {
      switch self {
      case .column(let peer): peer.rawValue
      case .row(let row, let peer): "\(peer.rawValue): \(row)"
      }
    }
  }

  let limit: Double
  let reference: Reference
  /// Whether missing it counts: an aim is reported only.
  let isBinding: Bool
  /// The limit that `--check` applies to a bar that is not met: the worst figure measured, plus at
  /// most a fifth for differences between machines. A comment at the row explains the cost.
  let tolerated: Double?

  static func atMost(
    _ limit: Double, of reference: Reference, tolerating tolerated: Double? = nil
  ) -> Bar {
    Bar(limit: limit, reference: reference, isBinding: true, tolerated: tolerated)
  }

  static func aim(_ limit: Double, of reference: Reference) -> Bar {
    Bar(limit: limit, reference: reference, isBinding: false, tolerated: nil)
  }
}

/// How a bar, a limit of a series or of a gauge was met.
struct Verdict {
  let measured: Double
  let limit: Double
  /// The reference of which the figures are multiples, or their unit.
  let reference: String
  let isBinding: Bool
  let tolerated: Double?

  var isMet: Bool { measured <= limit }
  var isMissed: Bool { isBinding && !isMet }
  /// Missed, and known to be.
  var isTolerated: Bool { isMissed && measured <= tolerated ?? limit }
  var isFailed: Bool { isMissed && !isTolerated }

  /// In one word, or two.
  var mark: String {
    if isMet {
      "ok"
    } else if isFailed {
      "MISSED"
    } else if isTolerated {
      "tolerated"
    } else {
      "not yet"
    }
  }

  init(
    _ measured: Double, limit: Double, reference: String, isBinding: Bool = true,
    tolerating tolerated: Double? = nil
  ) {
    self.measured = measured
    self.limit = limit
    self.reference = reference
    self.isBinding = isBinding
    self.tolerated = tolerated
  }
}
