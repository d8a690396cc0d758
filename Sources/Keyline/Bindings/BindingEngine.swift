/// Keeps two properties in agreement: what is behind a ``PropertyBinding`` that does more than to pass
/// values on.
///
///     source side ──▶ a property, or none while a chain is broken ─┐
///                                                                  ├─▶ engine ──▶ converter
///     target side ──▶ a property, or none ─────────────────────────┘
///
/// The sides tell which properties they stand for; whenever one is another, the two are linked anew.
final class BindingEngine<Source, Target> {
  private let settings: BindingSettings<Source, Target>
  private let context: BindingContext
  private var source: PropertyReference<Source>?
  private var target: PropertyReference<Target>?
  private let sourceObservation = SerialDisposable()
  private let targetObservation = SerialDisposable()
  private let ownership = SerialDisposable()
  /// Whether the ends are being made to agree, and what they had when they did.
  private var isTransferring = false
  private var agreement: (source: ReadStamp?, target: ReadStamp?)

  init(_ settings: BindingSettings<Source, Target>, _ context: BindingContext) {
    (self.settings, self.context) = (settings, context)
    for disposable in [sourceObservation, targetObservation, ownership] { context.add(disposable) }
  }

  // MARK: Sides

  func start(from source: BindingSide<Source>, to target: BindingSide<Target>) {
    let roots = [(source.root, PropertyBinding.EndReason.sourceDied), (target.root, .targetDied)]
    for (root, reason) in roots {
      root?.properties.death.whenEnded(in: context) { [context] in context.finish(reason) }
    }
    // The target first: the first value of the source finds it.
    target.follow(context, follow(target:))
    source.follow(context, follow(source:))
    if settings.mode == .oneTime {
      observe(.just(()), SerialDisposable()) { [context] in context.finish(.completed) }
    }
  }

  private func follow(target: PropertyReference<Target>?) {
    let former = self.target
    self.target = target
    if let former, former.object !== target?.object,
      case .value(let value) = settings.resetOnUnbind
    {
      for bond in [ownership, targetObservation] { bond.disposable = Disposables.create() }
      former.write?(value)
    }
    guard context.isActive, settings.mode == .oneWayToSource || isWritable(target) else { return }
    if settings.isExclusive, settings.mode != .oneWayToSource { own(target) }
    if source != nil { link() }
  }

  private func follow(source: PropertyReference<Source>?) {
    self.source = source
    let isWritten = settings.mode == .twoWay || settings.mode == .oneWayToSource
    guard context.isActive, !isWritten || isWritable(source) else { return }
    if settings.isExclusive, settings.mode == .oneWayToSource { own(source) }
    link()
  }

  private func isWritable<Value>(_ end: PropertyReference<Value>?) -> Bool {
    guard let end, end.write == nil else { return true }
    Diagnostics.report(.misuse, "\(end.description) is bound to be set, but is read-only")
    context.finish(.readOnly)
    return false
  }

  /// Has `end` refuse other writers, for as long as it is what the binding writes to.
  private func own<Value>(_ end: PropertyReference<Value>?) {
    let ownership = SubscriptionContext()
    self.ownership.disposable = ownership
    guard let end else { return }
    let name = end.description
    guard let property = end.property() else {
      return Diagnostics.report(
        .misuse, "\(name) is bound exclusively, but is no stored property: others may set it")
    }
    property.add(
      SetStage(owner: context) { [weak property] _, writer in
        // Of several that want it, the first one has it.
        guard let owner = property?.owner, writer !== owner else { return nil }
        Diagnostics.report(.refusedWrite, "\(name) belongs to a binding; it was not set")
        return .refused(BindingError.exclusive(property: name))
      }, in: ownership)
  }

  private func link() {
    for bond in [sourceObservation, targetObservation] { bond.disposable = Disposables.create() }
    switch settings.mode {
    case .oneWay, .oneTime: observe(source?.values, sourceObservation, push)
    case .oneWayToSource: observe(target?.values, targetObservation, pull)
    case .twoWay:
      agreement = (nil, nil)
      observe(source?.values, sourceObservation) { _ in self.changed(.source) }
      observe(target?.values, targetObservation) { _ in self.changed(.target) }
    }
    if source == nil, settings.mode != .oneWayToSource,
      case .value(let value) = settings.whenBroken
    {
      observe(.just(value), sourceObservation) { self.write($0, to: self.target) }
    }
  }

  /// Has `next` called where the binding delivers, until `observation` is of something else.
  private func observe<Value>(
    _ values: Observable<Value>?, _ observation: SerialDisposable, _ next: @escaping (Value) -> Void
  ) {
    let attachment = SubscriptionContext()
    observation.disposable = attachment
    guard attachment.isActive, let values else { return }
    (settings.schedule.map { values.observe(onUnchecked: $0.scheduler) } ?? values).run(
      in: attachment, next: { value in if attachment.isActive { next(value) } },
      // The death of a property's object is the sides' to tell.
      terminate: { _ in })
  }

  // MARK: One way

  private func push(_ value: Source) {
    if let converted = convert(value, settings.forward) { write(converted, to: target) }
  }

  private func pull(_ value: Target) {
    if let converted = convert(value, settings.converter.backward) { write(converted, to: source) }
  }

  private func convert<From, To>(_ value: From, _ convert: (From) throws -> To?) -> To? {
    do {
      return try convert(value)
    } catch {
      context.report(error)
      return nil
    }
  }

  @discardableResult
  private func write<Value>(_ value: Value, to end: PropertyReference<Value>?) -> SetOutcome? {
    guard context.isActive, let end else { return nil }
    let nodes = end.nodes()
    return context.attempt(on: { node in nodes.contains { $0 === node } }) { end.write?(value) }
  }

  // MARK: Both ways

  private enum Side { case source, target }
  private enum Transfer { case done, sendBack, repeated }

  /// One end has changed: the other takes its value and, if it makes something else of it, sends that
  /// back, until both agree, which is when one has taken exactly what the converter made of the
  /// other's.
  ///
  /// Ends are compared by what they have now, not by what they say: what was set meanwhile shows in
  /// the stamps, no echo is taken for a change, and no change for an echo.
  private func changed(_ side: Side) {
    guard !isTransferring, isNews(side) else { return }
    isTransferring = true
    defer {
      agreement = (source?.read()?.stamp, target?.read()?.stamp)
      isTransferring = false
    }
    var side = side
    for _ in 0..<bindingRounds {
      guard context.isActive, let source, let target else { return }
      let transfer =
        switch side {
        case .source: transfer(from: source, to: target, settings.forward)
        case .target: transfer(from: target, to: source, settings.converter.backward)
        }
      switch transfer {
      // One end is another meanwhile: the source wins, as it does initially.
      case _ where source !== self.source || target !== self.target: side = .source
      case .done: return
      case .sendBack: side = side == .source ? .target : .source
      case .repeated: break
      }
    }
    Diagnostics.report(
      .bindingRounds,
      "\(source?.description ?? "") and \(target?.description ?? "") never agree; stopped after "
        + "\(bindingRounds) rounds")
  }

  private func isNews(_ side: Side) -> Bool {
    side == .source
      ? source?.read()?.stamp != agreement.source : target?.read()?.stamp != agreement.target
  }

  private func transfer<From, To>(
    from origin: PropertyReference<From>, to end: PropertyReference<To>,
    _ convert: (From) throws -> To?
  ) -> Transfer {
    guard let value = origin.read(), let former = end.read(),
      let wanted = self.convert(value.value, convert), areEqual(former.value, wanted) != true
    else { return .done }
    let outcome = write(wanted, to: end)
    guard let taken = end.read(), let now = origin.read() else { return .done }
    if now.stamp != value.stamp { return .repeated }
    if case .refused = outcome { return .done }
    let isTaken =
      areEqual(taken.value, wanted)
      ?? (outcome == nil && taken.stamp.sets == former.stamp.sets &+ 1)
    return isTaken ? .done : .sendBack
  }
}

/// How often the ends of a two-way binding may change each other's value for one change.
private let bindingRounds = 16

/// Whether two values are the same, as far as that can be told: nil if they are neither objects nor
/// `Equatable`, and for what does not equal itself: a floating-point number that is none.
///
/// An object is the same as itself only: others that equal it may not for long.
func areEqual<Value>(_ one: Value, _ other: Value) -> Bool? {
  let isObject = Optionals.wrapped(in: Value.self) is AnyClass
  if isObject { return Optionals.object(in: one) === Optionals.object(in: other) }
  guard let one = one as? any Equatable, one.isEqual(to: one) else { return nil }
  return one.isEqual(to: other)
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool { (other as? Self) == self }
}
