/// Passes the values of the source of a ``PropertyBinding`` on to the target, and back (B2 to B7,
/// B11).
///
///     source's node ──▶ observer ──▶ BindingEngine ──▶ ends, converter
///     target's life ─────────────────────┘  │  ▲
///                   PropertyBinding ◀──┘  └── teardown of its subscription
///
/// The engine waits for the death of the target. An end that is observed need not be waited for: its
/// death completes the observer.
///
/// - Complexity: one conversion and one write for each set, and one more evaluation for a computed
///   end.
final class BindingEngine<Source, Target>: DeathObserver, @unchecked Sendable {
  // Proof of @unchecked: confined, with the ends; the place in the list of the target's life is under
  // its mutex.
  let binding: PropertyBinding
  /// The source end; nil if the source is a stream.
  let source: BindingEnd<Source>?
  let target: BindingEnd<Target>
  let forward: BindingConversion<Source, Target>
  /// Kept by bindings with options, and by those to a chain.
  let options: BindingOptions<Source, Target>?
  let converterName: StaticString
  /// Whether the ends are being brought into agreement.
  var isTransferring = false
  /// The last transaction in which the ends were found never to agree.
  var stoppedIn: UInt64 = 0
  /// The state that both ends have agreed on; nil unless the binding is `.twoWay`.
  let origin: Agreement<Source, Target>?
  let end: Agreement<Target, Source>?

  init(
    _ source: BindingEnd<Source>?, _ target: BindingEnd<Target>, _ life: RegisteredObject,
    _ forward: @escaping BindingConversion<Source, Target>,
    _ backward: @escaping BindingConversion<Target, Source>, _ name: StaticString,
    _ options: BindingOptions<Source, Target>?, _ binding: PropertyBinding
  ) {
    self.binding = binding
    self.source = source
    self.target = target
    self.options = options ?? (target.isChain ? BindingOptions() : nil)
    // Not `??`: in a generic function closures are wrapped, and stay wrapped.
    if let options { self.forward = options.conversion(forward) } else { self.forward = forward }
    converterName = name
    if binding.mode == .twoWay, let source {
      origin = Agreement(source, self.forward)
      end = Agreement(target, backward)
    } else {
      (origin, end) = (nil, nil)
    }
    super.init(life, .dead)
    origin?.replacesNil = options?.whenNil != nil
    if let options, let schedule = options.schedule {
      options.queue = SchedulerQueue(
        schedule.scheduler, isBatching: true, until: binding.subscription)
    }
    binding.subscription.add(self)
  }

  // MARK: Starting

  func start() {
    own()
    target.observeOwner(in: binding.subscription) { [self] in
      let follow = { [self] in deliver { [self] in rebind() } }
      // A stream has no current value: what the new owner causes in this transaction is newer than the
      // stream's latest element.
      if source == nil { Transaction.current.atEnd(follow) } else { follow() }
    }
    if let end {
      // The target is observed before the first write, so that its change by this write is
      // recognised as an echo.
      target.observe(
        in: binding.subscription, first: end.markSynced, next: { [self] in targetChanged($0) },
        broken: {}, terminate: { [self] _ in phaseReached() })
    } else if life?.wait(self) != true {
      phaseReached()
    }
    source?.observe(
      in: binding.subscription, first: { [self] in sourceChanged(to: $0, isFirst: true) },
      next: { [self] in sourceChanged(to: $0, isFirst: false) },
      broken: { [self] in
        if !isPassed { deliverChange(ofTarget: false) { [self] in writeWhenBroken() } }
      },
      terminate: { [binding] _ in binding.finish(.sourceDied) })
    if binding.mode == .oneTime { deliver { [binding] in binding.finish(.completed) } }
  }

  override func phaseReached() { binding.finish(.targetDied) }

  /// Follows a stream as the source.
  func follow(_ stream: Observable<Source>) {
    stream.run(
      in: binding.subscription.child(),
      next: { [self] value in deliver { [self] in pass(value) } },
      // The termination is delivered in order with the elements.
      terminate: { [self] error in deliver { [binding] in binding.sourceEnded(error) } })
  }

  /// Performs `work` at once or, for a binding on a scheduler, in order on the scheduler. With the main
  /// scheduler, work that is submitted on the main thread is performed at once, even during another delivery.
  func deliver(_ work: @escaping () -> Void) {
    Transaction.current.untracked {
      guard let queue = options?.queue else { return work() }
      queue.append { [binding] in if binding.isActive { work() } }
    }
  }

  // MARK: The target

  /// Called when a hop of the target has been set: the source wins, as it does initially (B6).
  private func rebind() {
    guard binding.isActive, let options, followHops() else { return }
    let replacements = target.chain?.ownerNode?.settlement.count ?? 0
    guard replacements < bindingRounds else { return reportDisagreement() }
    if let source, readsSource {
      options.passedVersion = source.currentVersion
      pushValue(of: source)
    } else {
      options.latest.map { pass($0) } ?? writeWhenBroken()
    }
  }

  /// Whether a new owner of the target gets the source's value of that moment. On a scheduler, the source of a
  /// one-way binding may belong to another thread.
  private var readsSource: Bool { origin != nil || source != nil && options?.queue == nil }

  /// Follows the hops of the target, and acquires the property there.
  ///
  /// - Returns: whether a hop has been set since the last call.
  @discardableResult func followHops() -> Bool {
    guard target.isChain, let options, target.rebind(options, by: binding) else { return false }
    own()
    return true
  }

  /// Makes the target refuse other writers while the binding writes to it (B7).
  private func own() {
    guard let options, options.isExclusive else { return }
    options.claim?.binding = nil
    guard target.owner != nil else { return }
    guard let property = target.storedProperty else {
      return Diagnostics.report(
        .misuse,
        "\(target.description) is bound exclusively, but is no stored property: others may set it")
    }
    let claim = ExclusiveClaim(of: binding.subscription) { BindingError.exclusive(property: $0) }
    options.claim = claim
    property.makeValidators().add(claim)
  }

  // MARK: Passing values

  /// Passes a value that the source delivers.
  ///
  /// - Parameter isFirst: whether the source had the value when the binding was made.
  private func sourceChanged(to value: Source, isFirst: Bool) {
    // A later value may be a consequence of a write by the binding.
    guard isFirst || !isPassed && !isTransferring && origin?.hasUnsyncedDelivery(value) != false
    else { return }
    if options?.queue == nil { return pass(value, wins: isFirst) }
    deliverChange(ofTarget: false) { [self] in pass(value, wins: isFirst) }
  }

  /// Whether the value that the source delivers was passed on before, because the target has another
  /// owner.
  private var isPassed: Bool {
    guard let version = options?.passedVersion, version > 0 else { return false }
    return source?.node?.delivered == version
  }

  /// Performs `work`, which passes on a change of one end. On a scheduler, the work is dropped if
  /// the other end has changed since (B3).
  func deliverChange(ofTarget isTarget: Bool, _ work: @escaping () -> Void) {
    guard let options, options.queue != nil, binding.mode == .twoWay else { return deliver(work) }
    options.isTargetLatest = isTarget
    if !isTarget { options.sourceBatch = Transaction.current.batch.delivered }
    deliver { if options.isTargetLatest == isTarget { work() } }
  }

  /// Writes the fallback for a broken chain. Both ends agree on the result: a fallback is not a value
  /// of the program, and is not converted backwards.
  private func writeWhenBroken() {
    options?.latest = nil
    guard case .value(let value)? = options?.whenBroken else { return }
    // In a transaction of its own: sets by observers of the target settle afterwards, and are passed on.
    Transaction.current.perform {
      let outer = exchange(&isTransferring, with: true)
      write(value)
      if let end { target.withValue(end.markSynced) }
      isTransferring = outer
    }
  }

  func pushValue(of source: BindingEnd<Source>) {
    if !source.withValue({ pass($0) }) { writeWhenBroken() }
  }

  /// Passes a value of the source to the target.
  ///
  /// - Parameter wins: whether the target gets the value even if its own converts to it.
  func pass(_ value: Source, wins: Bool = false) {
    guard binding.isActive else { return }
    if let origin, let end { return agree(origin, end, wins: wins) }
    if target.isChain, !readsSource { options?.remember(value) }
    binding.convert(value, forward) { write($0) }
  }

  private func write(_ value: Target) {
    guard binding.isActive else { return }
    followHops()
    guard let owner = target.owner else { return }
    // Another binding may have passed this value back to the source: without this test, the two would
    // go on.
    var isEcho = false
    if options?.queue == nil, let node = source?.node, node.isComputed, node.settlement.count > 0 {
      target.withValue(of: owner) { isEcho = Equality<Target>.of($0, value) == true }
    }
    if !isEcho { target.write(value, to: owner, by: binding) }
  }

  /// Reports a disagreement once in an outermost set, because another binding between the ends may
  /// lead here again.
  func reportDisagreement() {
    let settling = Transaction.current.settling
    guard let source, stoppedIn != settling else { return }
    stoppedIn = settling
    Diagnostics.report(
      .bindingRounds,
      "\(source.description) and \(target.description) never agree; stopped after "
        + "\(bindingRounds) rounds")
  }
}

extension BindingEngine: InspectedBinding {
  var isExclusive: Bool { options?.isExclusive ?? false }
  var sourceEnd: (any InspectedEnd)? { source }
  var targetEnd: any InspectedEnd { target }
}

/// How often the ends of a two-way binding may change each other's value because of one change.
var bindingRounds: Int { 16 }
