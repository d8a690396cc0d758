import KeylineCore
import Synchronization

// Bindings: what writes properties. `bind` in its forms, the engine behind it, converters, and the
// rules that a value has to pass (`validate`).

/// A property kept equal to a source of values, or two properties kept in agreement.
///
/// ```swift
/// model.bind(\.name, to: viewModel, \.title)                       // now, and on every change
/// model.bind(\.price, to: form, \.priceText, mode: .twoWay, converter: .decimal)
/// model.bind({ $0.owner.address.city }, to: row, \.text, whenBroken: .value("—"))
/// source.bind(\.volume, to: root, { $0.player.output.gain })       // follows replacements
/// model.observe(\.query).skip(1).bind(to: search, \.text)          // any observable
/// ```
///
/// Laws, tested under these numbers:
/// - B1. A binding holds both ends weakly and ends when either dies; it need not be retained.
/// - B2. The source wins initially; with `.oneWayToSource`, the target.
/// - B3. Two-way converges: after any set both ends agree under the converter, and the end that was
///   set keeps its value. A target that normalises its value (clamps, trims) sends it back once;
///   ends that never agree are stopped after 16 rounds and reported by name. Of a stored property
///   every set is passed on, equal or not; of a computed or overridden one, or a member of a value,
///   only a change of its own value.
/// - B4. A failing conversion leaves the other side as it was and arrives on
///   ``PropertyBinding/errors``; so does a value that the other side refuses. A converter may return
///   nil: leave it.
/// - B5. A broken chain (`whenBroken`), a nil leaf (`whenNil`) and a declined conversion are three
///   things.
/// - B6. A chain as target writes to the current leaf, and to the next when a hop is replaced. The
///   previous leaf keeps its value, unless `resetOnUnbind` is given.
/// - B7. With `exclusive: true` the written end refuses other writers, which is reported. A set by
///   its own `didSet`, while the binding writes, is not refused.
/// - B8. What cannot be written where the binding is made does not compile.
/// - B9. Rows of bindings of any length keep the stack flat: beyond a nesting of 64, writes are
///   left to the outermost set, in order. A two-way binding takes an equal value there for its own
///   echo.
/// - B10. Every sequence that cannot fail is written to a property by the same `bind(to:_:)`.
/// - B11. `on:` delivers through a scheduler; `.main` at once on the main thread.
///
/// - Isolation: `Sendable`, for disposal from any thread; the ends stay where they are confined;
///   without `on:`, an end is written on the thread that changes the other.
/// - SeeAlso: JavaFX `bindBidirectional`, WPF `Binding`, whose modes and fallbacks these are.
public final class PropertyBinding: Cancelable {
  @usableFromInline let context = BindingContext()

  /// Which end follows which.
  public let mode: BindingMode

  /// The mode, under its former name.
  public var direction: BindingMode { mode }

  /// Whether the binding is in force: neither end has died, it has not been disposed, and its
  /// source has not terminated.
  public var isActive: Bool { context.isActive }

  public var isDisposed: Bool { context.isDisposed }

  /// Why the binding has ended; nil while it is in force.
  public var endReason: EndReason? { context.isActive ? nil : context.endReason ?? .disposed }

  /// Errors of conversions, and of values that were refused; completes when the binding ends.
  ///
  /// - Timing: synchronous, to the observers at that time. Errors without an observer are reported
  ///   as `bindingError`. A binding without options records the outcome of its writes only once
  ///   this has been requested: what a rule of any of the target's own properties refuses reaches
  ///   observers subscribed before, and otherwise the rule's own `results` only.
  public var errors: Observable<any Error> { context.errors }

  /// Where it was made; the properties at its ends: for descriptions.
  var place: String? { Records.path(from: context.record)?.call?.place }

  var ends: (sources: [String], targets: [String]) {
    var (sources, targets): ([String], [String]) = ([], [])
    func collect(_ part: EngineItem, _ isTarget: Bool) {
      let isTarget = isTarget || (part as? EngineContext)?.isOfTarget == true
      let names = part.observed.compactMap { ($0 as? DependencyNode)?.livingName }
      if isTarget { targets += names } else { sources += names }
      for inner in part.parts.reversed() { collect(inner, isTarget) }
    }
    collect(context, false)
    let role = Records.path(from: context.record)?.role as? any BindingRole
    let written = role?.written.compactMap(\.livingName) ?? []
    if mode == .oneWayToSource { sources += written } else { targets += written }
    return (sources, targets)
  }

  /// Ends the binding. Both ends keep their values.
  public func dispose() { context.dispose() }

  /// Why a binding has ended.
  public enum EndReason: Sendable {
    /// It has been disposed.
    case disposed
    /// The object of the source has died.
    case sourceDied
    /// The object of the target has died.
    case targetDied
    /// The observable that was the source has completed.
    case sourceCompleted
    /// The observable that was the source has failed.
    case sourceFailed(any Error)
    /// `.oneTime`: the target has been set.
    case completed
  }

  /// Writes every element of `source` to `target`.
  ///
  /// - Parameters:
  ///   - end: what it means when the source completes.
  ///   - write: sets the property, through its own accessors, and stores its key path in
  ///     `identity`, unless that is nil. One closure, as for ``PropertyAccess``.
  @usableFromInline
  init<Target: PropertyObservable, Value>(
    _ source: Observable<Value>, end: EndReason = .sourceCompleted, to target: Target,
    at call: CallSite,
    write: @escaping (Target, Value, _ identity: UnsafeMutablePointer<AnyKeyPath?>?) -> Void
  ) {
    mode = .oneWay
    let context = context
    context.record(call)
    target.properties.death.whenEnded(in: context) { _ in context.finish(.targetDied) }
    // It may die meanwhile, on another thread too.
    let target = WeakReference(target)
    @inline(__always) func set(_ value: Value) {
      target.withObject { target in
        guard _slowPath(context.isAttended) else { return write(target, value, nil) }
        context.attend(to: target) { write(target, value, $0) }
      }
    }
    context.run(
      source,
      next: { value in
        guard context.isActive else { return }
        if context.mayNest { return set(value) }
        context.postpone("\(Target.self)") { set(value) }
      }, terminate: { context.sourceEnded($0, meaning: end) })
  }

  @inlinable init<Source, Target>(
    _ source: BindingEnd<Source>, to target: BindingEnd<Target>,
    _ settings: BindingSettings<Source, Target>
  ) {
    mode = settings.mode
    BindingEngine(settings, context).start(from: source, to: target)
  }

  /// Writes every element of `source` to the property that `target` leads to, and the latest one to
  /// the next such property.
  @inlinable init<Value>(
    _ source: Observable<Value>, to target: BindingEnd<Value>,
    _ settings: BindingSettings<Value, Value>
  ) {
    mode = settings.mode
    BindingEngine(settings, context).start(from: source, to: target)
  }
}

/// The context of a binding, which ends with it.
@usableFromInline final class BindingContext: EngineContext, @unchecked Sendable {
  // Proof of @unchecked: a mutex and an atomic, above its superclass.
  private let outcome = Protected<PropertyBinding.EndReason?>(nil)
  private let subject = Protected<PublishSubject<any Error>?>(nil)
  /// Whether `errors` has been requested.
  private let areErrorsWanted = Atomic<Bool>(false)
  /// Whether writes are more than stores: errors have been requested, or it is recorded.
  private let isWatched = Atomic<Bool>(false)

  /// The first reason given stays.
  var endReason: PropertyBinding.EndReason? {
    get { outcome.withLock { $0 } }
    set { outcome.withLock { $0 = $0 ?? newValue } }
  }

  @usableFromInline func finish(_ reason: PropertyBinding.EndReason) {
    endReason = reason
    dispose()
  }

  /// An error that ends the source goes to the hook, its only handler.
  @usableFromInline func sourceEnded(_ error: (any Error)?, meaning end: PropertyBinding.EndReason)
  {
    finish(error.map { .sourceFailed($0) } ?? end)
    if let error { Hooks.report(unhandled: error) }
  }

  /// Whether the death of the source's object ends it, too. Set before anything can end it.
  private(set) var hasTwoEnds = false
  /// Which end follows which, for inspection; nil for a binding without options.
  var mode: BindingMode?

  override var binding: EngineContext? { self }

  /// Does `work`, which leads from `source` to `target`, in one scope; the death of either ends the
  /// binding.
  ///
  /// - Parameter source: nil if that is a stream.
  @usableFromInline func start(
    from source: (any PropertyObservable)?, to target: any PropertyObservable, _ work: () -> Void
  ) {
    hasTwoEnds = source != nil
    ThreadScope.ofThread.within {
      source?.properties.death.whenEnded(in: self) { [self] _ in finish(.sourceDied) }
      target.properties.death.whenEnded(in: self) { [self] _ in finish(.targetDied) }
      work()
    }
  }

  @usableFromInline override init() {
    super.init()
    if Diagnostics.isRecording { isWatched.store(true, ordering: .relaxed) }
  }

  @inline(__always)
  var isAttended: Bool { isWatched.load(ordering: .relaxed) }

  /// Writes a property of `target`: reports if the set is refused, and records which one it is.
  ///
  /// - Parameter write: sets the property, and stores its key path in what it is given, if anything.
  func attend(to target: AnyObject, _ write: (UnsafeMutablePointer<AnyKeyPath?>?) -> Void) {
    var keyPath: AnyKeyPath?
    if areErrorsWanted.load(ordering: .relaxed) {
      self.write(to: { $0.owner === target }) { write(&keyPath) }
    } else {
      write(&keyPath)
    }
    if Records.isRecorded(record), let keyPath {
      let role = TargetRole(target, keyPath)
      Records.update(record) { if $0.role == nil { $0.role = role } }
    }
  }

  var errors: Observable<any Error> {
    areErrorsWanted.store(true, ordering: .relaxed)
    isWatched.store(true, ordering: .relaxed)
    let made = PublishSubject<any Error>()
    let errors = subject.withLock { subject in
      subject = subject ?? made
      return subject ?? made
    }
    if errors === made { add(Disposables.create { made.onCompleted() }) }
    return errors
  }

  /// Sets a property whose node `isMeant` accepts, and reports if the set is refused.
  @discardableResult
  func write(to isMeant: @escaping (DependencyNode) -> Bool, _ set: () -> Void) -> SetOutcome? {
    let outcome = PropertyWrite.make(of: isMeant, by: self, set)
    if case .refused(let error) = outcome { report(error) }
    return outcome
  }

  // MARK: Rows of bindings

  /// How many writes have been left to the outermost set, and wait (B9). Confined, like the next
  /// one, with the ends.
  private var postponed = 0
  @usableFromInline private(set) var isMakingPostponedWrite = false
  /// The last round in which a write was postponed.
  private var lastRound: ThreadScope.Round?

  /// Whether an end may be written at once: not if too many sets are nested already on this thread,
  /// or an earlier write of this binding waits. So a row of bindings of any length needs the stack
  /// of 64.
  @usableFromInline @inline(__always) var mayNest: Bool {
    _fastPath(postponed == 0 && !ThreadScope.isAnyDeep) || !mustPostpone
  }

  private var mustPostpone: Bool { postponed > 0 || ThreadScope.ofThread.isDeep }

  /// Leaves `work`, which writes an end, to the outermost set.
  ///
  /// - Parameter end: what is written, for a report.
  @usableFromInline @inline(never) func postpone(
    _ end: @autoclosure () -> String, _ work: @escaping () -> Void
  ) {
    let scope = ThreadScope.ofThread
    let round = scope.postponedRound
    // A row of bindings comes to each of them once, however long it is; a ring comes back.
    guard round.number <= Diagnostics.feedbackLimit || lastRound?.scope != round.scope else {
      if lastRound != round {
        Diagnostics.report(
          .feedbackLoop,
          "the binding to \(end()) is in a ring, which has written it again and again; it is stopped"
        )
      }
      lastRound = round
      return
    }
    lastRound = round
    postponed += 1
    scope.postpone { [self] in
      postponed -= 1
      isMakingPostponedWrite = true
      if isActive { work() }
      isMakingPostponedWrite = false
    }
  }

  func report(_ error: any Error) {
    if let subject = subject.withLock({ $0 }), subject.hasObservers {
      subject.onNext(error)
    } else {
      Diagnostics.report(.bindingError, "\(error)")
    }
  }
}
