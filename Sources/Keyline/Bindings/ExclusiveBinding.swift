// The rule of a property that an exclusive binding owns (B7).

extension PropertyNode {
  /// Lets only one of the bindings that claim the property write to it: the first that has not ended.
  func add(_ claim: ExclusiveClaim) {
    if validators?.exclusion?.isActive != true {
      let exclusion = SubscriptionContext()
      validate(in: exclusion) { [unowned self] _, writer in
        guard let owner = validators?.exclusiveOwner else {
          exclusion.dispose()
          return nil
        }
        if owner === writer { return nil }
        // A binding, and a set by name, pass the error on.
        if writer == nil {
          Diagnostics.report(.refusedWrite, "\(description) belongs to a binding; it was not set")
        }
        return .refused(BindingError.exclusive(property: description))
      }
      validators?.exclusion = exclusion
    }
    validators?.add(claim)
  }
}
