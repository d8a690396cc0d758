// Two-way bindings: keeping both ends in agreement (B3).

extension BindingEngine {
  func targetChanged(_ value: Target) {
    guard !isTransferring, let origin, let end, end.hasUnsyncedDelivery(value) else { return }
    // If the same batch has set the source, whose change is on its way to the scheduler, the source
    // wins (D38).
    let batch = options?.sourceBatch ?? 0
    if batch != 0, batch == Transaction.current.batch.delivered { return }
    deliverChange(ofTarget: true) { [self] in
      // On a scheduler, the ends may have agreed since.
      guard binding.isActive, options?.queue == nil || end.hasUnsyncedChange else { return }
      // If the same batch has set the source, the source wins (D38), even if its value is the conversion
      // of the target's: unless it is a broken chain, which has no value.
      let isBatch = Transaction.current.batch.delivered > 0
      if origin.isPending, source?.withValue({ pass($0, wins: isBatch) }) == true { return }
      agree(end, origin)
    }
  }

  /// Writes the value of `origin` to `end`. If `end` stores a different value, sends that value
  /// back, until both ends agree (B3).
  func agree<From, To>(
    _ origin: Agreement<From, To>, _ end: Agreement<To, From>, wins: Bool = false
  ) {
    guard !isTransferring, stoppedIn != Transaction.current.settling else { return }
    isTransferring = true
    defer {
      isTransferring = false
      if origin.property.isInBatch || end.property.isInBatch { agreeAtEnd() }
    }
    followHops()
    if !wins, end.property.isDelivering, end.hasUnsyncedChange, origin.isMade(of: end) { return }
    let mayBeEcho = !wins && mayEcho(from: origin.property)
    for _ in 0..<(bindingRounds / 2) {
      var mustGoOn = false
      origin.property.withValue {
        mustGoOn = origin.transfer($0, to: end, by: binding, mayBeEcho: mayBeEcho)
      }
      if !mustGoOn { return }
    }
    reportDisagreement()
  }

  /// Whether a value that the other end has already is not written to it. Before a chain settles, the
  /// program may have set the other end, too. A ring of bindings returns to where it began, and so
  /// do two bindings on a scheduler, which would write to each other forever.
  private func mayEcho(from origin: BindingEnd<some Any>) -> Bool {
    options?.queue != nil || origin.isChain || origin.isRedelivering || Transaction.current.pass > 0
  }

  /// Compares the ends after everything has settled. Until then, a pending end may be set again,
  /// and is not delivered if its former value is back (D31).
  private func agreeAtEnd() {
    Transaction.current.atEnd { [self] in
      guard binding.isActive, let origin, let end else { return }
      if origin.hasUnsyncedChange {
        pushValue(of: origin.property)
      } else if end.hasUnsyncedChange {
        agree(end, origin)
      }
    }
  }
}
