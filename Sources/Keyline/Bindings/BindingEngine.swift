import KeylineCore

extension PropertyBinding {
  /// Keeps `target` equal to `source`, or both equal.
  @usableFromInline convenience init<Source, Target>(
    _ source: BindingEnd<Source>, to target: BindingEnd<Target>,
    _ settings: BindingSettings<Source, Target>
  ) {
    self.init(settings.mode, at: settings.call)
    let engine = BindingEngine(settings, source: source, target: target, context)
    Transaction.current.perform { engine.start() }
  }

  /// Writes every element of `source` to the property that `target` leads to, and the latest one to
  /// the next such property.
  @usableFromInline convenience init<Value>(
    _ source: Observable<Value>, to target: BindingEnd<Value>,
    _ settings: BindingSettings<Value, Value>
  ) {
    self.init(settings.mode, at: settings.call)
    let engine = BindingEngine(settings, source: nil, target: target, context)
    Transaction.current.perform {
      engine.start()
      engine.follow(source)
    }
  }
}

/// Keeps the two ends of a ``PropertyBinding`` in agreement (B2 to B7).
///
/// - Complexity: for one set, one conversion and one write; of an end that is computed, one evaluation
///   more.
final class BindingEngine<Source, Target>: Disposable, @unchecked Sendable {
  // Proof of @unchecked: confined, with the ends; what is disposed is internally synchronised.
  private let settings: BindingSettings<Source, Target>
  private let context: BindingContext
  /// Nil for a stream.
  private let source: BindingEnd<Source>?
  private let target: BindingEnd<Target>
  private let queue: DeliveryQueue?
  private let ownership = SerialDisposable()
  /// The latest element of the source, if that is a stream.
  private var latest: Source?
  /// Whether the ends are being brought into agreement.
  private var isTransferring = false
  /// The transaction in which it was reported last that they never agree.
  private var reportedIn: UInt = 0
  /// How often the target has been replaced in one transaction, and in which.
  private var rebinds = (count: 0, settling: UInt(0))

  init(
    _ settings: BindingSettings<Source, Target>, source: BindingEnd<Source>?,
    target: BindingEnd<Target>, _ context: BindingContext
  ) {
    self.settings = settings
    self.source = source
    self.target = target
    self.context = context
    queue = settings.schedule.map { DeliveryQueue($0.scheduler, until: context.subscription) }
    context.subscription.add(self)
  }

  /// Called by the end of the subscription, on any thread.
  func dispose() { ownership.dispose() }

  // MARK: Starting

  func start() {
    let subscription = context.subscription
    finish(.sourceDied, with: source?.root)
    finish(.targetDied, with: target.root)
    own()
    target.observeOwner(in: subscription) { [self] in deliver { [self] in rebind() } }
    if settings.mode == .twoWay {
      // Before anything is written: the change of the target by the first transfer is its echo.
      target.observe(
        in: subscription, first: { [target] in $0.map(target.markSynced) },
        next: { [self] in targetChanged($0) })
    }
    source?.observe(
      in: subscription,
      first: { [self] value in deliver { [self] in push(value, isInitial: true) } },
      next: { [self] in sourceChanged($0) })
    if settings.mode == .oneTime { deliver { [context] in context.finish(.completed) } }
  }

  /// Follows a stream, in the place of the source.
  func follow(_ stream: Observable<Source>) {
    stream.run(
      in: context.subscription.child(),
      next: { [self] value in
        deliver { [self] in
          latest = value
          push(value)
        }
      },
      // In turn with the elements.
      terminate: { [self] error in deliver { [context] in context.sourceEnded(error) } })
  }

  private func finish(_ reason: PropertyBinding.EndReason, with root: (any PropertyObservable)?) {
    root?.properties.death.whenEnded(in: context.subscription) { [context] in
      context.finish(reason)
    }
  }

  /// Does `work` where the binding delivers: at once, or on its scheduler, in order.
  private func deliver(_ work: @escaping () -> Void) {
    guard let queue else { return work() }
    queue.deliver { [context] in if context.isActive { work() } }
  }

  // MARK: The target

  /// A hop has been set: the source wins, as it does initially (B6).
  private func rebind() {
    guard context.isActive, followTarget() else { return }
    let settling = Transaction.current.settling
    rebinds = (rebinds.settling == settling ? rebinds.count + 1 : 1, settling)
    guard rebinds.count <= bindingRounds else { return reportDisagreement() }
    source?.markPassed()
    push(source?.read() ?? latest)
  }

  /// Follows the hops of the target; owns the property there.
  ///
  /// - Returns: whether a hop has been set since the last time.
  @discardableResult private func followTarget() -> Bool {
    guard target.rebind(resettingTo: settings.resetOnUnbind) else { return false }
    own()
    return true
  }

  /// Makes the target refuse other writers, for as long as the binding writes to it (B7).
  private func own() {
    guard settings.isExclusive else { return }
    let ownership = SubscriptionContext()
    self.ownership.disposable = ownership
    guard target.owner != nil else { return }
    let name = target.description
    guard let property = target.storedProperty else {
      return Diagnostics.report(
        .misuse, "\(name) is bound exclusively, but is no stored property: others may set it")
    }
    property.add(
      SetRule(owner: context) { [weak property] _, writer in
        // Of several exclusive bindings, the first owns the property.
        guard let owner = property?.validators?.exclusiveOwner, writer !== owner else { return nil }
        Diagnostics.report(.refusedWrite, "\(name) belongs to a binding; it was not set")
        return .refused(BindingError.exclusive(property: name))
      }, in: ownership)
  }

  // MARK: One way

  private func sourceChanged(_ value: Source?) {
    guard let source, !source.isPassed else { return }
    if settings.mode == .twoWay, let value, isTransferring || !source.hasUnsyncedDelivery(value) {
      return
    }
    deliver { [self] in push(value) }
  }

  /// Passes a value of the source on to the target; nil if the chain is broken (B5).
  private func push(_ value: Source?, isInitial: Bool = false) {
    guard context.isActive else { return }
    guard let value else {
      if case .value(let value) = settings.whenBroken { write(value) }
      return
    }
    if settings.mode == .twoWay, let source {
      agree(source, target, settings.forward, settings.converter.backward, isInitial: isInitial)
    } else if let converted = convert(value, settings.forward) {
      write(converted)
    }
  }

  private func write(_ value: Target) {
    guard context.isActive else { return }
    followTarget()
    target.write(value, by: context)
  }

  private func convert<From, To>(_ value: From, _ convert: (From) throws -> To?) -> To? {
    do {
      if let converted = try convert(value) { return converted }
      Instrumentation.enter(.decline(value, nil))
    } catch {
      Instrumentation.enter(.decline(value, error))
      context.report(error)
    }
    Instrumentation.leave()
    return nil
  }

  // MARK: Both ways

  private func targetChanged(_ value: Target?) {
    guard !isTransferring, let value, let source, target.hasUnsyncedDelivery(value) else { return }
    deliver { [self] in
      guard context.isActive else { return }
      // Set in the same batch: the source wins (D38).
      if source.isPending { return push(source.read()) }
      agree(target, source, settings.converter.backward, settings.forward)
    }
  }

  /// Writes the value of `origin` to `end` and, if that stores a different one, sends that back, until both
  /// agree (B3).
  private func agree<From, To>(
    _ origin: BindingEnd<From>, _ end: BindingEnd<To>, _ forward: (From) throws -> To?,
    _ backward: (To) throws -> From?, isInitial: Bool = false
  ) {
    guard !isTransferring, reportedIn != Transaction.current.settling, var value = origin.read()
    else { return }
    isTransferring = true
    defer {
      isTransferring = false
      if source?.isInBatch == true || target.isInBatch { agreeAtEnd() }
    }
    followTarget()
    // Another binding between the ends may have written what the converter makes of the other's value, in
    // the delivery of that. Nothing is to be sent back then.
    if !isInitial, end.isDelivering, end.hasUnsyncedChange, let other = end.read(),
      let wanted = try? backward(other), origin.areEqual(value, wanted) == true
    {
      origin.markSynced(value)
      return end.markSynced(other)
    }
    // It may have written the other end, too, before a chain settles; and a ring of bindings comes back to
    // where it began, where the writes would never end: an end that has an equal value is not written.
    let mayBeEcho =
      !isInitial
      && (origin.isChain || origin.isRedelivering || Transaction.current.isDeliveringHeld)
    for _ in 0..<(bindingRounds / 2) {
      origin.markSynced(value)
      let version = origin.version
      guard let wanted = convert(value, forward),
        let taken = transfer(wanted, to: end, mayBeEcho: mayBeEcho)
      else { return }
      if version != origin.version {
        // Set again meanwhile: that value takes precedence.
        guard let now = origin.read() else { return }
        value = now
        continue
      }
      // The value that the other end has stored is sent back.
      guard case .changed(let other) = taken, let back = convert(other, backward),
        origin.areEqual(value, back) != true,
        case .changed(let now)? = transfer(back, to: origin, mayBeEcho: false)
      else { return }
      value = now
    }
    reportDisagreement()
  }

  /// Writes to `end`, and records its value then as agreed on; nil if it has refused, or there is no owner.
  private func transfer<Value>(
    _ wanted: Value, to end: BindingEnd<Value>, mayBeEcho: Bool
  ) -> Taken<Value>? {
    guard context.isActive else { return nil }
    if mayBeEcho || end.isDelivering, let value = end.read(), end.areEqual(value, wanted) == true {
      end.markSynced(value)
      return .asWanted
    }
    let (version, owner) = (end.version, end.owner)
    let outcome = end.write(wanted, by: context)
    // Another owner is written to when the hops settle.
    guard end.owner === owner, let taken = end.read() else { return nil }
    end.markSynced(taken)
    if case .refused = outcome { return nil }
    let isTaken =
      end.areEqual(taken, wanted)
      ?? (outcome == nil && (version == nil || end.version == version.map { $0 &+ 1 }))
    return isTaken ? .asWanted : .changed(taken)
  }

  /// Brings the ends into agreement when everything has settled, if an end that is pending now is set again
  /// until then, and is not delivered because it is back at its value (D31).
  private func agreeAtEnd() {
    Transaction.current.atEnd { [self] in
      guard context.isActive, let source else { return }
      if source.hasUnsyncedChange {
        push(source.read())
      } else if target.hasUnsyncedChange {
        agree(target, source, settings.converter.backward, settings.forward)
      }
    }
  }

  /// Reports it once for an outermost set: another binding between the ends may bring them here again.
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
  var subscription: SubscriptionContext { context.subscription }
  var sourceEnd: (any InspectedEnd)? { source }
  var targetEnd: any InspectedEnd { target }
}

/// How often the ends of a two-way binding may change each other's value for one change.
private var bindingRounds: Int { 16 }

/// What an end has made of a value that was written to it.
private enum Taken<Value> {
  case asWanted
  /// The end has stored a different value.
  case changed(Value)
}
