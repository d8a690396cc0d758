import KeylineCore

extension PropertySequence {
  /// As `debug(_:trimOutput:file:line:function:)` of any observable; the lines name the properties,
  /// too, unless an identifier is given.
  ///
  /// ```swift
  /// _ = worker.observeWeakly { $0.chief.name }.debug("chief").subscribe()
  /// ```
  /// ```text
  /// chief -> subscribed
  /// chief -> Event next(Optional("Grace"))
  /// ```
  ///
  /// - Timing: properties are named as they are found when this is called, by subscribing once and
  ///   disposing the subscription.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file,
    line: UInt = #line, function: String = #function
  ) -> Observable<Element> {
    let place = debugPlace(trimOutput, file, line, function)
    return asObservable().debug(identifier ?? "\(propertyNames), \(place)", trimOutput: trimOutput)
  }

  /// The properties that a subscription observes, in the order in which it finds them.
  var propertyNames: String {
    let (_, trace) = Diagnostics.trace {
      let context = SubscriptionContext()
      run(AnyObserver(next: { _ in }, terminate: { _ in }), in: context)
      context.dispose()
    }
    var names: [String] = []
    func visit(_ entry: Trace.Entry) {
      if entry.step == .subscribe { names.append(entry.subject.replacing(/#[0-9]+/, with: "")) }
      entry.entries.forEach(visit)
    }
    trace.entries.forEach(visit)
    return names.joined(separator: " → ")
  }
}
