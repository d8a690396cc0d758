import KeylineCore

/// Keeps two properties in agreement: the implementation of a ``PropertyBinding`` with options (B2
/// to B7).
///
///     source end ──▶ a property, or none while a chain is broken ─┐
///                                                                 ├─▶ engine ──▶ converter
///     target end ──▶ a property, or none ─────────────────────────┘
///
/// Each end leads to its current property; whenever one is replaced, the two are linked anew.
///
/// What handles values is inlinable, and `bind` with it: the client's code is specialised for their
/// types. To look up `Optional<Value>` and its like for each value would cost four times the rest.
///
/// - Complexity: for one set, one evaluation of an end that is computed when it is delivered, and
///   one of the end that has been written; none of stored properties.
@usableFromInline final class BindingEngine<Source, Target> {
  @usableFromInline let settings: BindingSettings<Source, Target>
  @usableFromInline let context: BindingContext
  @usableFromInline let queue: DeliveryQueue?
  // Proof of unchecked, here and below: confined with the ends; no foreign code runs during an access.
  @exclusivity(unchecked) @usableFromInline var source: BoundProperty<Source>?
  @exclusivity(unchecked) @usableFromInline var target: BoundProperty<Target>?
  @usableFromInline let sourceObservation = SerialDisposable()
  @usableFromInline let targetObservation = SerialDisposable()
  private let ownership = SerialDisposable()
  /// How many transfers there have been, those that wait included.
  @exclusivity(unchecked) @usableFromInline var transfers: UInt = 0
  /// Whether the ends are being brought into agreement.
  @exclusivity(unchecked) @usableFromInline var isTransferring = false
  /// Whether the source has been followed, if only to nowhere; and whether either end has been since
  /// the last transfer began.
  @exclusivity(unchecked) @usableFromInline var isSourceKnown = false
  @exclusivity(unchecked) @usableFromInline var isRelinked = false
  /// Whether the ends are compared at the end of a scope, where either may be an echo.
  @exclusivity(unchecked) @usableFromInline var isComparing = false
  /// Whether it has been reported in the scope under way that they do not agree.
  private var isReported = false

  @usableFromInline init(_ settings: BindingSettings<Source, Target>, _ context: BindingContext) {
    self.settings = settings
    self.context = context
    context.mode = settings.mode
    queue = settings.schedule.map { DeliveryQueue($0.scheduler, until: context) }
    for disposable in [sourceObservation, targetObservation, ownership] { context.add(disposable) }
    context.record(settings.call)
    if Records.isRecorded(context.record) {
      let role = EngineRole(self, settings)
      Records.update(context.record) { $0.role = role }
    }
  }

  // MARK: Ends

  @inlinable func start(from source: BindingEnd<Source>, to target: BindingEnd<Target>) {
    context.start(from: source.root, to: target.root) {
      // The target first: it is there when the first value of the source is delivered.
      target.follow(in: context, isTarget: true, follow(target:))
      source.follow(in: context, follow(source:))
      if settings.mode == .oneTime { deliver { [context] in context.finish(.completed) } }
    }
  }

  /// The latest element of `stream` counts as the value of the source.
  @inlinable func start(from stream: Observable<Source>, to target: BindingEnd<Target>) {
    context.start(from: nil, to: target.root) {
      var latest: Source?
      target.follow(in: context, isTarget: true) { [self] property in
        follow(target: property)
        if let latest { push(latest) }
      }
      context.run(
        stream,
        next: { [self] value in
          deliver { [self] in
            latest = value
            push(value)
          }
        },
        // In turn with the elements.
        terminate: { [self] error in
          deliver { [context] in context.sourceEnded(error, meaning: .sourceCompleted) }
        })
    }
  }

  @inlinable func follow(target: BoundProperty<Target>?) {
    let former = self.target
    self.target = target
    if let former, !former.hasOwner(of: target), case .value(let value) = settings.resetOnUnbind {
      leave(former, resettingTo: value)
    }
    guard context.isActive else { return }
    if settings.isExclusive, settings.mode != .oneWayToSource { own(target) }
    if isSourceKnown { link() }
  }

  @inlinable func follow(source: BoundProperty<Source>?) {
    self.source = source
    isSourceKnown = true
    guard context.isActive else { return }
    if settings.isExclusive, settings.mode == .oneWayToSource { own(source) }
    link()
  }

  /// Writes `value` to a target that has been replaced, and neither owns nor observes it any more.
  @usableFromInline func leave(_ former: BoundProperty<Target>, resettingTo value: Target) {
    ownership.disposable = Disposables.create()
    targetObservation.disposable = Disposables.create()
    former.reset(to: value)
  }

  /// Makes `end` refuse other writers, for as long as the binding writes to it.
  @usableFromInline func own<Value>(_ end: BoundProperty<Value>?) {
    let ownership = EngineContext(inside: context.record)
    self.ownership.disposable = ownership
    guard let end else { return }
    let name = end.description
    guard let property = end.storedProperty() else {
      return Diagnostics.report(
        .misuse, "\(name) is bound exclusively, but is no stored property: others may set it")
    }
    property.add(
      SetRule(owner: context) { [weak property] _, writer in
        // Of several exclusive bindings, the first owns the property.
        guard let owner = property?.exclusiveOwner, writer !== owner else { return nil }
        Diagnostics.report(.refusedWrite, "\(name) belongs to a binding; it was not set")
        return .refused(BindingError.exclusive(property: name))
      }, in: ownership)
  }

  @inlinable func link() {
    isRelinked = true
    sourceObservation.disposable = Disposables.create()
    targetObservation.disposable = Disposables.create()
    switch settings.mode {
    case .oneWay, .oneTime: observe(source, sourceObservation, push)
    case .oneWayToSource: observe(target, targetObservation, pull)
    case .twoWay:
      guard let source, let target else { break }
      // Before anything is delivered: the change of the target by the first transfer is no news.
      observeBothWays(target, targetObservation, .target)
      observeBothWays(source, sourceObservation, .source)
    }
    if source == nil, settings.mode != .oneWayToSource { writeWhenBroken() }
  }

  @inlinable func writeWhenBroken() {
    guard case .value(let value) = settings.whenBroken else { return }
    deliver { [self] in write(value, to: target) }
  }

  /// Does `work` where the binding delivers: at once, or on its scheduler, in order.
  @usableFromInline func deliver(_ work: @escaping () -> Void) {
    guard let queue else { return work() }
    queue.deliver { [context] in if context.isActive { work() } }
  }

  /// Whether an end is another property as soon as what is under way has been delivered (B6, D38).
  @inlinable var isAboutToBeLinked: Bool {
    source?.isAboutToBeReplaced == true || target?.isAboutToBeReplaced == true
  }

  /// Does `work` when the scope closes, if both ends turn out to be the same then, and nothing has
  /// come since.
  @usableFromInline func afterLinking(_ work: @escaping () -> Void) {
    guard ThreadScope.ofThread.isOpen else { return work() }
    let transfer = transfers
    atEnd { [self] in if transfer == transfers { work() } }
  }

  /// Does `work` when the scope closes, if the binding is in force and both ends are the same then.
  private func atEnd(_ work: @escaping () -> Void) {
    let (source, target) = (source, target)
    ThreadScope.ofThread.atEnd { [self] in
      if context.isActive, self.source === source, self.target === target { work() }
    }
  }

  // MARK: One way

  /// Calls `next` where the binding delivers, until `observation` is replaced.
  @inlinable func observe<Value>(
    _ end: BoundProperty<Value>?, _ observation: SerialDisposable, _ next: @escaping (Value) -> Void
  ) {
    let attachment = EndAttachment(settings.mode == .oneWayToSource, of: context)
    observation.disposable = attachment
    guard attachment.isActive, let end else { return }
    end.observe(in: attachment) { [self] value in
      guard let value else { return writeWhenBroken() }
      deliver { if attachment.isActive { next(value) } }
    }
  }

  @inlinable func push(_ value: Source) {
    if let converted = convert(value, settings.forward) { write(converted, to: target) }
  }

  @inlinable func pull(_ value: Target) {
    if let converted = convert(value, settings.converter.backward) { write(converted, to: source) }
  }

  @inlinable func convert<From, To>(_ value: From, _ convert: (From) throws -> To?) -> To? {
    do {
      let converted = try convert(value)
      if converted == nil { context.declined(value) }
      return converted
    } catch {
      context.declined(value, error)
      return nil
    }
  }

  @inlinable func write<Value>(
    _ value: Value, to end: BoundProperty<Value>?, afterLinking isLinked: Bool = false
  ) {
    guard context.isActive, let end else { return }
    transfers &+= 1
    if !isLinked, isAboutToBeLinked {
      return afterLinking { [self] in write(value, to: end, afterLinking: true) }
    }
    if context.mayNest {
      _ = end.write(value, by: context)
    } else {
      context.postpone(end.description) { [context] in _ = end.write(value, by: context) }
    }
  }

  // MARK: Both ways

  @usableFromInline enum Side { case source, target }

  @inlinable func observeBothWays<Value>(
    _ end: BoundProperty<Value>, _ observation: SerialDisposable, _ side: Side
  ) {
    let attachment = EndAttachment(side == .target, of: context)
    observation.disposable = attachment
    guard attachment.isActive else { return }
    end.observe(in: attachment) { [self] value in
      // The source wins initially.
      let isInitial = attachment.isAtFirst
      attachment.isAtFirst = false
      if isInitial, side == .target {
        if let value { end.agree(on: value) }
        return
      }
      guard let value else {
        if side == .source { writeWhenBroken() }
        return
      }
      guard isInitial || (!isTransferring && end.isNews(value)) else { return }
      guard queue == nil else {
        return deliver { [self] in if attachment.isActive { changed(side, isInitial: isInitial) } }
      }
      if context.mayNest { return changed(side, isInitial: isInitial) }
      context.postpone(end.description) { [self] in
        if attachment.isActive { changed(side, isInitial: isInitial) }
      }
    }
  }

  /// One end has changed: its value is written to the other and, if that stores a different one, is
  /// sent back, until both agree: until one stores exactly what the converter returned for the
  /// other's.
  ///
  /// - Parameter relinks: how often an end has been replaced by what its change has caused.
  @inlinable func changed(
    _ side: Side, isInitial: Bool, afterLinking isLinked: Bool = false, relinks: Int = 0
  ) {
    guard !isTransferring, let source, let target else { return }
    transfers &+= 1
    if !isLinked, source.isAboutToBeReplaced || target.isAboutToBeReplaced {
      return afterLinking { [self] in changed(side, isInitial: isInitial, afterLinking: true) }
    }
    var side = side
    if !isInitial {
      guard !isEcho(at: side, source, target) else { return }
      if side == .target, source.hasUndeliveredNews() { side = .source }
    }
    isTransferring = true
    isRelinked = false
    let isAgreed =
      switch side {
      case .source:
        agree(
          source, target, settings.forward, settings.converter.backward, isInitial: isInitial)
      case .target:
        agree(
          target, source, settings.converter.backward, settings.forward, isInitial: isInitial)
      }
    isTransferring = false
    // One end has been replaced meanwhile: the source wins, as it does initially.
    if isRelinked, relinks < bindingRounds {
      return changed(.source, isInitial: true, relinks: relinks + 1)
    }
    if source.isPending || target.isPending { agreeAtEnd() }
    if !isAgreed || isRelinked { reportDisagreement(source, target) }
  }

  /// Reports it once for a scope.
  @usableFromInline func reportDisagreement(
    _ source: BoundProperty<Source>, _ target: BoundProperty<Target>
  ) {
    guard !isReported else { return }
    // Another binding between the ends may bring them here again and again.
    isReported = true
    ThreadScope.ofThread.atEnd { self.isReported = false }
    Diagnostics.report(
      .bindingRounds,
      "\(source.description) and \(target.description) never agree; stopped after "
        + "\(bindingRounds) rounds")
  }

  /// Brings the ends into agreement when the scope closes, if an end that is pending now is set again
  /// until then, and is not delivered because it is back at its value (D31).
  @usableFromInline func agreeAtEnd() {
    atEnd { [self] in
      isComparing = true
      defer { isComparing = false }
      if source?.hasNews == true {
        changed(.source, isInitial: false)
      } else if target?.hasNews == true {
        changed(.target, isInitial: false)
      }
    }
  }
}
