/// What a batch has made of one property (D30, D31). Made for the property's first batch.
final class BatchedChange<Value> {
  /// The object that has the property: retained during a delivery only (D36).
  let owner: WeakReference<AnyObject>
  /// Whether the property has been set, and its observers have not been called yet.
  var isPending = false
  /// The version before the batch.
  private(set) var formerVersion: UInt = 0
  /// Whether the last change was the death of the object that a weak property refers to.
  private(set) var isDeath = false
  /// Delivers what has been collected, for a node whose values are not those of a wrapper.
  var deliver: (() -> Void)?
  /// Observers that have joined since the property was set.
  private var late: [LateMember<Value>] = []
  /// The value before the batch; nil if it is not compared.
  private var former: RecordedValue<Value>?
  private let areEqual = Equality<Value>.of
  private let isComparable = Equality<Value>.isKnown
  /// Whether a mutation in place compares values: that of a collection would copy it.
  let isComparedInPlace: Bool

  init(of owner: AnyObject) {
    self.owner = WeakReference(owner)
    isComparedInPlace = isComparable && !(Value.self is any Collection.Type)
  }

  /// Records a change.
  ///
  /// - Parameter version: the version after it.
  func record(_ value: Value?, version: UInt, isDeath: Bool) {
    self.isDeath = isDeath
    guard !isPending else { return }
    isPending = true
    formerVersion = version &- 1
    former = isComparable ? value.map(RecordedValue.init) : nil
  }

  func addLate(_ member: Member<Value>) { late.append(LateMember(member: member)) }

  var hasLate: Bool { !late.isEmpty }

  func takeLate() -> [Member<Value>] {
    guard hasLate else { return [] }
    defer { late = [] }
    return late.compactMap(\.member)
  }

  /// Whether `value` is the one before the batch, which is released then.
  func isBack(at value: Value) -> Bool {
    let former = former
    self.former = nil
    return former?.is(value, areEqual) == true
  }
}

private struct LateMember<Value> {
  weak var member: Member<Value>?
}
