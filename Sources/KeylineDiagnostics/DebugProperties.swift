import Keyline
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
    let context = SubscriptionContext()
    run(AnyObserver(next: { _ in }, terminate: { _ in }), in: context)
    defer { context.dispose() }
    return context.observedNodes.flatMap { $0.chain == nil ? [$0] : $0.sources }
      .map { $0.title(of: "\($0.owner.type)") }.joined(separator: " → ")
  }
}

extension Node {
  /// `Person#1.name`, if `Person#1` is the object; of a path, `Int of Person#1`.
  func title(of object: String) -> String {
    if isProperty { return object + (name.map { ".\($0)" } ?? "") }
    return (chain == nil ? "" : "chain to ") + "\(valueType) of \(object)"
  }
}
