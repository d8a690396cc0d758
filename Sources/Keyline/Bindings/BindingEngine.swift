/// Keeps the two ends of a ``PropertyBinding`` in agreement (B2 to B7).
///
/// - Complexity: one conversion and one write for each set, and one more evaluation for a computed
///   end.
final class BindingEngine<Source, Target>: Disposable, @unchecked Sendable {
  // Proof of @unchecked: confined, with the ends; the objects that `dispose` uses are internally
  // synchronised.
  private let settings: BindingSettings<Source, Target>
  private let binding: PropertyBinding
  /// The source end; nil if the source is a stream.
  private let source: BindingEnd<Source>?
  private let target: BindingEnd<Target>
  private let forward: BindingConversion<Source, Target>
  private let backward: BindingConversion<Target, Source>
  private let queue: DeliveryQueue?
  /// The claim to the target's property, if the binding is exclusive.
  private var claim: ExclusiveClaim?
  /// The latest element of the source, if the source is a stream.
  private var latest: Source?
  /// Whether the ends are being brought into agreement.
  private var isTransferring = false
  /// For a binding on a scheduler: whether the target is the end that changed last, and the batch
  /// that set the source last; 0 for none.
  private var isTargetLatest = false
  private var sourceBatch: UInt64 = 0
  /// The last transaction in which a report said that the ends never agree.
  private var reportedIn: UInt64 = 0
  /// How often the target's owner was replaced in one transaction, and the number of that
  /// transaction.
  private var rebinds = (count: 0, settling: UInt64(0))

  init(
    _ settings: BindingSettings<Source, Target>, source: BindingEnd<Source>?,
    target: BindingEnd<Target>, _ binding: PropertyBinding
  ) {
    self.settings = settings
    self.source = source
    self.target = target
    self.binding = binding
    forward = settings.conversion
    backward = settings.converter.passBackward
    queue = settings.schedule.map { DeliveryQueue($0.scheduler, until: binding.subscription) }
    binding.subscription.add(self)
  }

  /// Called by the end of the subscription, on any thread: nothing of it remains to be done.
  func dispose() {}

  // MARK: Starting

  func start() {
    let subscription = binding.subscription
    if let source { finish(.sourceDied, with: source.root) }
    finish(.targetDied, with: target.root)
    own()
    target.observeOwner(in: subscription) { [self] in deliver { [self] in rebind() } }
    if settings.mode == .twoWay {
      // The target is observed before the first write, so that its change by this write is
      // recognised as an echo.
      target.observe(
        in: subscription, first: { [target] in $0.map(target.markSynced) },
        next: { [self] in targetChanged($0) }, broken: {})
    }
    source?.observe(
      in: subscription, first: { [self] in passFirst($0) },
      next: { [self] in sourceChanged($0) }, broken: { [self] in sourceBroke() })
    if settings.mode == .oneTime { deliver { [binding] in binding.finish(.completed) } }
  }

  /// Follows a stream as the source.
  func follow(_ stream: Observable<Source>) {
    stream.run(
      in: binding.subscription.child(),
      next: { [self] value in
        deliver { [self] in
          if target.isChain { latest = value }
          pass(value)
        }
      },
      // The termination is delivered in order with the elements.
      terminate: { [self] error in deliver { [binding] in binding.sourceEnded(error) } })
  }

  private func finish(_ reason: PropertyBinding.EndReason, with root: (any PropertyObservable)?) {
    // In the object's deinit, nothing leads to it any more.
    guard let root else { return binding.finish(reason) }
    root.life.when(.dead, in: binding.subscription) { [binding] in
      binding.finish(reason)
    }
  }

  /// Performs `work` at once or, for a binding on a scheduler, in order on the scheduler.
  private func deliver(_ work: @escaping () -> Void) {
    Transaction.current.untracked {
      guard let queue else { return work() }
      queue.deliver { [binding] in if binding.isActive { work() } }
    }
  }

  // MARK: The target

  /// Called when a hop of the target has been set: the source wins, as it does initially (B6).
  private func rebind() {
    guard binding.isActive, followTarget() else { return }
    let settling = Transaction.current.settling
    rebinds = (rebinds.settling == settling ? rebinds.count + 1 : 1, settling)
    guard rebinds.count <= bindingRounds else { return reportDisagreement() }
    source?.markPassed()
    if let source { pushValue(of: source) } else if let latest { pass(latest) }
  }

  /// Follows the hops of the target, and acquires the property there.
  ///
  /// - Returns: whether a hop has been set since the last call.
  @discardableResult private func followTarget() -> Bool {
    guard target.isChain, target.rebind(resettingTo: settings.resetOnUnbind) else { return false }
    own()
    return true
  }

  /// Makes the target refuse other writers while the binding writes to it (B7).
  private func own() {
    guard settings.isExclusive else { return }
    claim?.isGivenUp = true
    guard target.owner != nil else { return }
    guard let property = target.storedProperty else {
      return Diagnostics.report(
        .misuse,
        "\(target.description) is bound exclusively, but is no stored property: others may set it")
    }
    let claim = ExclusiveClaim(of: binding.subscription)
    self.claim = claim
    property.add(claim)
  }

  // MARK: One way

  /// Passes the value that the source has when the binding is made.
  private func passFirst(_ value: Source?) {
    deliver { [self] in
      if let value { pass(value, wins: true) } else { writeWhenBroken() }
    }
  }

  private func sourceChanged(_ value: Source) {
    if source?.isPassed != false { return }
    if settings.mode == .twoWay, isTransferring || source?.hasUnsyncedDelivery(value) != true {
      return
    }
    if queue == nil { return pass(value) }
    deliverChange(ofTarget: false) { [self] in pass(value) }
  }

  private func sourceBroke() {
    if source?.isPassed == false { deliverChange(ofTarget: false) { [self] in writeWhenBroken() } }
  }

  /// Writes the fallback for a broken chain. Both ends agree on the result: a fallback is not a value
  /// of the program, and is not converted backwards.
  private func writeWhenBroken() {
    guard case .value(let value) = settings.whenBroken else { return }
    // In a transaction of its own: sets by observers of the target settle afterwards, and are passed on.
    Transaction.current.perform {
      let outer = exchange(&isTransferring, with: true)
      write(value)
      if settings.mode == .twoWay { target.withValue(target.markSynced) }
      isTransferring = outer
    }
  }

  private func pushValue(of source: BindingEnd<Source>) {
    if !source.withValue({ pass($0) }) { writeWhenBroken() }
  }

  /// Passes a value of the source to the target.
  ///
  /// - Parameter wins: whether the target gets the value even if its own converts to it.
  private func pass(_ value: Source, wins: Bool = false) {
    guard binding.isActive else { return }
    if settings.mode == .twoWay, let source {
      agree(source, target, forward, backward, wins: wins)
    } else {
      convert(value, forward) { write($0) }
    }
  }

  private func write(_ value: Target) {
    guard binding.isActive else { return }
    followTarget()
    if let owner = target.owner { target.write(value, to: owner, by: binding) }
  }

  /// Converts a value and passes the result to `body`, unless the converter declines.
  private func convert<From, To>(
    _ value: From, _ convert: @escaping BindingConversion<From, To>, _ body: (To) -> Void
  ) {
    do {
      if try convert(value, body) { return }
      Instrumentation.enter(.decline(value, nil))
    } catch {
      Instrumentation.enter(.decline(value, error))
      binding.report(error)
    }
    Instrumentation.leave()
  }

  // MARK: Both ways

  /// Performs `work`, which passes on a change of one end. On a scheduler, the work is dropped if
  /// the other end has changed since (B3).
  private func deliverChange(ofTarget isTarget: Bool, _ work: @escaping () -> Void) {
    guard queue != nil, settings.mode == .twoWay else { return deliver(work) }
    isTargetLatest = isTarget
    if !isTarget { sourceBatch = Transaction.current.batch.delivered }
    deliver { [self] in if isTargetLatest == isTarget { work() } }
  }

  private func targetChanged(_ value: Target) {
    guard !isTransferring, let source, target.hasUnsyncedDelivery(value) else { return }
    // If the same batch has set the source, whose change is on its way to the scheduler, the source
    // wins (D38).
    if queue != nil, sourceBatch != 0, sourceBatch == Transaction.current.batch.delivered { return }
    deliverChange(ofTarget: true) { [self] in
      // On a scheduler, the ends may have agreed since.
      guard binding.isActive, queue == nil || target.hasUnsyncedChange else { return }
      // If the same batch has set the source, the source wins (D38), even if its value is the conversion
      // of the target's: unless it is a broken chain, which has no value.
      let isBatch = Transaction.current.batch.delivered > 0
      if source.isPending, source.withValue({ pass($0, wins: isBatch) }) { return }
      agree(target, source, backward, forward)
    }
  }

  /// Writes the value of `origin` to `end`. If `end` stores a different value, sends that value
  /// back, until both ends agree (B3).
  private func agree<From, To>(
    _ origin: BindingEnd<From>, _ end: BindingEnd<To>,
    _ forward: @escaping BindingConversion<From, To>,
    _ backward: @escaping BindingConversion<To, From>, wins: Bool = false
  ) {
    guard !isTransferring, reportedIn != Transaction.current.settling else { return }
    isTransferring = true
    defer {
      isTransferring = false
      if source?.isInBatch == true || target.isInBatch { agreeAtEnd() }
    }
    followTarget()
    if !wins, end.isDelivering, end.hasUnsyncedChange, isMade(origin, of: end, backward) {
      return
    }
    // In these cases a value that `end` has already is not written. Before a chain settles, the
    // program may have set the other end, too. A ring of bindings returns to where it began, and so
    // do two bindings on a scheduler, which would write to each other forever.
    let mayBeEcho =
      !wins
      && (queue != nil || origin.isChain || origin.isRedelivering
        || Transaction.current.pass > 0)
    for _ in 0..<(bindingRounds / 2) {
      var mustGoOn = false
      origin.withValue { value in
        mustGoOn = transfer(value, from: origin, to: end, forward, backward, mayBeEcho: mayBeEcho)
      }
      if !mustGoOn { return }
    }
    reportDisagreement()
  }

  /// Whether the value of `origin` is the conversion of the value of `end`. Then both are recorded
  /// as agreed on, and nothing is sent back: another binding between the ends may have written
  /// `origin` during the delivery of `end`.
  private func isMade<From, To>(
    _ origin: BindingEnd<From>, of end: BindingEnd<To>,
    _ backward: @escaping BindingConversion<To, From>
  ) -> Bool {
    var isMade = false
    origin.withValue { value in
      end.withValue { other in
        _ = try? backward(other) { isMade = origin.areEqual(value, $0) == true }
        guard isMade else { return }
        origin.markSynced(value)
        end.markSynced(other)
      }
    }
    return isMade
  }

  /// Writes the conversion of `value` to `end`; if `end` stores a different value, sends that value
  /// back.
  ///
  /// - Returns: whether `origin` has a different value now.
  private func transfer<From, To>(
    _ value: From, from origin: BindingEnd<From>, to end: BindingEnd<To>,
    _ forward: @escaping BindingConversion<From, To>,
    _ backward: @escaping BindingConversion<To, From>, mayBeEcho: Bool
  ) -> Bool {
    origin.markSynced(value)
    let version = origin.version
    var isChanged = false
    convert(value, forward) { wanted in
      let taken = write(wanted, to: end, mayBeEcho: mayBeEcho)
      if taken == .nothing { return }
      if version != origin.version {
        // `origin` was set again in the meantime. The new value takes precedence, unless it is the
        // same.
        isChanged = true
        origin.withValue { if origin.areEqual(value, $0) == true { isChanged = taken == .another } }
        if !isChanged { origin.markSynced(value) }
      } else if taken == .another, !isReplaced(value, of: origin) {
        end.withValue { other in
          convert(other, backward) { back in
            guard origin.areEqual(value, back) != true else { return }
            isChanged = write(back, to: origin, mayBeEcho: false) == .another
          }
        }
      }
    }
    return isChanged
  }

  /// Whether `whenNil` replaces the value. What the target makes of a fallback is not sent back.
  private func isReplaced<Value>(_ value: Value, of end: BindingEnd<Value>) -> Bool {
    end === source && settings.whenNil != nil && Optionals.content(of: value) == nil
  }

  /// Writes to `end`, and records the value that it has afterwards as agreed on.
  private func write<Value>(
    _ wanted: Value, to end: BindingEnd<Value>, mayBeEcho: Bool
  ) -> Taken {
    guard binding.isActive, let owner = end.owner else { return .nothing }
    if mayBeEcho || end.isDelivering {
      var isEqual = false
      end.withValue(of: owner) { value in
        isEqual = end.areEqual(value, wanted) == true
        if isEqual { end.markSynced(value) }
      }
      if isEqual { return .wanted }
    }
    let version = end.version
    let outcome = end.write(wanted, to: owner, by: binding)
    // A new owner is written to when the hops settle.
    guard !end.isChain || end.owner === owner else { return .nothing }
    var taken = Taken.nothing
    end.withValue(of: owner) { value in
      end.markSynced(value)
      if case .refused = outcome { return }
      let isTaken =
        end.areEqual(value, wanted)
        ?? (outcome == nil && (version == nil || end.version == version.map { $0 &+ 1 }))
      taken = isTaken ? .wanted : .another
    }
    return taken
  }

  /// Compares the ends after everything has settled. Until then, a pending end may be set again,
  /// and is not delivered if its former value is back (D31).
  private func agreeAtEnd() {
    Transaction.current.atEnd { [self] in
      guard binding.isActive, let source else { return }
      if source.hasUnsyncedChange {
        pushValue(of: source)
      } else if target.hasUnsyncedChange {
        agree(target, source, backward, forward)
      }
    }
  }

  /// Reports a disagreement once in an outermost set, because another binding between the ends may
  /// lead here again.
  private func reportDisagreement() {
    let transaction = Transaction.current
    guard let source, reportedIn != transaction.settling else { return }
    reportedIn = transaction.settling
    Diagnostics.report(
      .bindingRounds,
      "\(source.description) and \(target.description) never agree; stopped after "
        + "\(bindingRounds) rounds")
  }
}

extension BindingEngine: InspectedBinding {
  var mode: BindingMode { settings.mode }
  var converterName: StaticString { settings.converter.name }
  var isExclusive: Bool { settings.isExclusive }
  var call: CallSite { settings.call }
  var subscription: SubscriptionContext { binding.subscription }
  var sourceEnd: (any InspectedEnd)? { source }
  var targetEnd: any InspectedEnd { target }
}

/// How often the ends of a two-way binding may change each other's value because of one change.
private var bindingRounds: Int { 16 }

/// The result of writing a value to an end: nothing was stored, or the value, or another one in its place.
private enum Taken {
  case nothing, wanted, another
}
