// Reports about properties. Each report names the class and the property, and quotes the object's
// description if the object has one.

extension Diagnostics {
  /// Reports a fault of a class, or of one of its properties.
  ///
  /// - Parameters:
  ///   - object: quoted, if it is `CustomStringConvertible`.
  ///   - subject: identifies a fault that is reported only once; nil to report the fault each time.
  static func report(
    _ category: Category, _ message: String, of type: Any.Type, property: String? = nil,
    about object: AnyObject? = nil, once subject: String? = nil
  ) {
    if let subject, !isNew(category, subject) { return }
    let quoted = object.flatMap(Transaction.current.describe).map { " (object: \($0))" } ?? ""
    report(category, message + quoted, type: "\(type)", property: property)
  }
}

extension Node {
  /// `Person.name`, for reports.
  package final var description: String { "\(owner.type).\(name ?? "value")" }

  /// The name of the property; nil for a path.
  package final var name: String? {
    place == 0
      ? (self as? NamedNode)?.key
      : StoredProperties.name(at: place &- owner.identity, in: owner.type)
  }

  /// Reports a fault of the property, like `Diagnostics.report`.
  package final func report(
    _ category: Diagnostics.Category, _ message: String, once subject: String? = nil
  ) {
    Diagnostics.report(
      category, message, of: owner.type, property: name, about: owner.object, once: subject)
  }
}

extension Transaction {
  /// The description of `object`.
  ///
  /// - Returns: nil if the object has no description. Also nil while a rule is evaluated or another
  ///   object is described, because the description is code of the program and may read the
  ///   property that the report is about.
  func describe(_ object: AnyObject) -> String? {
    guard evaluation.ruleLevel == 0, !(object is any Collection),
      let object = object as? any CustomStringConvertible
    else { return nil }
    // As in a rule: nothing is described meanwhile.
    evaluation.ruleLevel += 1
    defer { evaluation.ruleLevel -= 1 }
    return untracked { String(object.description.prefix(80)) }
  }
}

/// Called before a set of an unobserved property. The set counts as an operation on the object
/// (D23), and is reported if a rule makes it (D17).
func willWriteUnobserved(_ owner: some PropertyObservable, at place: UInt) {
  let transaction = Transaction.current
  guard transaction.isInRule else { return }
  transaction.reportWrite(
    to: StoredProperties.name(at: place &- address(of: owner), in: type(of: owner)),
    of: type(of: owner))
}
