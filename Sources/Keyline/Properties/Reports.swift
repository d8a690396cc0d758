// Reports about properties. Each report names the class and the property. It does not describe the
// object, because a description is code of the program.

extension Diagnostics {
  /// Reports a fault of a class, or of one of its properties.
  ///
  /// - Parameter subject: identifies a fault that is reported only once; nil to report the fault each
  ///   time.
  static func report(
    _ category: Category, _ message: String, of type: Any.Type, property: String? = nil,
    once subject: String? = nil
  ) {
    if let subject, !isNew(category, subject) { return }
    report(category, message, type: "\(type)", property: property)
  }
}

extension Node {
  /// `Person.name`, for reports.
  package final var description: String { "\(owner.type).\(name ?? "value")" }

  /// The name of the property; nil for a path.
  package final var name: String? {
    if place == 0 { return (self as? NamedNode)?.key }
    return StoredProperties.name(at: place &- owner.identity, in: owner.type)
  }

  /// Reports a fault of the property, like `Diagnostics.report`.
  package final func report(
    _ category: Diagnostics.Category, _ message: String, once subject: String? = nil
  ) { Diagnostics.report(category, message, of: owner.type, property: name, once: subject) }
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
