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
/// It is for the next staged set of a property of `object` on this thread: what observers set later,
/// while they are told of that one, is not meant.
final class SetAttempt {
  private static let current = ThreadLocal()

  let writer: AnyObject
  /// Nil if the value was stored as it came.
  var outcome: SetOutcome?
  /// Proof of unowned(unsafe): whoever makes the set holds the object.
  private unowned(unsafe) let object: AnyObject

  private init(_ object: AnyObject, _ writer: AnyObject) {
    (self.object, self.writer) = (object, writer)
  }

  /// Makes a set of a property of `object`.
  static func make(of object: AnyObject, by writer: AnyObject, _ set: () -> Void) -> SetOutcome? {
    let outer = current.pointer
    let attempt = SetAttempt(object, writer)
    current.pointer = Unmanaged.passUnretained(attempt).toOpaque()
    set()
    current.pointer = outer
    return attempt.outcome
  }

  /// The attempt that a set of a property of `object` belongs to.
  static func take(of object: AnyObject) -> SetAttempt? {
    guard let pointer = current.pointer else { return nil }
    // Proof of Unmanaged: only `make` puts an attempt there, for as long as it holds it.
    let attempt = Unmanaged<SetAttempt>.fromOpaque(pointer).takeUnretainedValue()
    guard attempt.object === object else { return nil }
    current.pointer = nil
    return attempt
  }
}
