/// Something that a value has to pass before it is stored.
final class SetStage<Value> {
  /// Changes the value or refuses it, and says so; nil if it has nothing against it.
  ///
  /// The second argument is the binding that sets the property, if one does.
  let pass: (inout Value, AnyObject?) -> SetOutcome?
  /// The binding that wants the property to itself, if that is what the stage is for.
  let owner: AnyObject?

  init(owner: AnyObject? = nil, _ pass: @escaping (inout Value, AnyObject?) -> SetOutcome?) {
    (self.owner, self.pass) = (owner, pass)
  }
}

/// What has become of a value on its way into a property.
enum SetOutcome {
  case coerced
  case refused(any Error)
}

/// A set that is about to be made by somebody who wants to know what becomes of it.
///
/// It is for the next staged set on this thread of a property that is meant, and for those that the
/// property's own accessors make of it then, in a `didSet`. What observers set while they are told
/// of one is not meant.
final class SetAttempt {
  private static let current = ThreadLocal()

  let writer: AnyObject
  /// Nil if the value was stored as it came.
  var outcome: SetOutcome?
  private let isMeant: (AnyBroadcaster) -> Bool
  /// The property that has been set, once one has, and whether it was telling its observers then.
  private var taken: (by: AnyBroadcaster, isTelling: Bool)?

  private init(_ isMeant: @escaping (AnyBroadcaster) -> Bool, _ writer: AnyObject) {
    (self.isMeant, self.writer) = (isMeant, writer)
  }

  /// Makes a set of a property that `isMeant` knows the node of.
  static func make(
    of isMeant: @escaping (AnyBroadcaster) -> Bool, by writer: AnyObject, _ set: () -> Void
  ) -> SetOutcome? {
    let outer = current.pointer
    let attempt = SetAttempt(isMeant, writer)
    current.pointer = Unmanaged.passUnretained(attempt).toOpaque()
    set()
    current.pointer = outer
    return attempt.outcome
  }

  /// The attempt that a set of the property of `node` belongs to.
  ///
  /// - Parameter isTelling: whether the property is being delivered.
  static func take(of node: AnyBroadcaster, isTelling: Bool) -> SetAttempt? {
    guard let pointer = current.pointer else { return nil }
    // Proof of Unmanaged: only `make` puts an attempt there, for as long as it holds it.
    let attempt = Unmanaged<SetAttempt>.fromOpaque(pointer).takeUnretainedValue()
    guard attempt.isMeant(node) else { return nil }
    let taken = attempt.taken ?? (node, isTelling)
    attempt.taken = taken
    return taken.by === node && taken.isTelling == isTelling ? attempt : nil
  }
}
