// Bindings: writing properties. The forms of `bind`, the engine behind them, and converters.

/// A property that follows a source of values, or two properties that are kept in agreement.
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
/// - B2. The source wins initially.
/// - B3. Two-way bindings converge: after any set both ends agree under the converter, and the end
///   that was set keeps its value. A target that normalises its value (clamps, trims) sends it back
///   once; ends that never agree are stopped after 16 rounds and reported by name. Stored
///   properties, as ends of these, send every set, even of an equal value; computed or overridden ones, and
///   members of structs, send changes only.
/// - B4. A failing conversion leaves the other side as it was, and its error arrives on
///   ``PropertyBinding/errors``. The same holds for a value that the other side refuses. A
///   converter may return nil to leave the other side as it is.
/// - B5. A broken chain (`whenBroken`), a nil leaf (`whenNil`) and a converter's nil are three
///   different cases. A fallback is not a value of the program: it is never converted backwards.
/// - B6. A chain as target writes to the current leaf, and to the new leaf when a hop is replaced.
///   The previous leaf keeps its value, unless `resetOnUnbind` is given.
/// - B7. With `exclusive: true` the written end refuses other writers. A refused binding receives
///   the error, and a set by name throws it; any other refused set is reported. A set by the
///   property's own `didSet`, while the binding writes, is not refused.
/// - B8. A binding does not compile if it would write a property that cannot be set where the
///   binding is made.
/// - B9. Bindings that follow each other, however many, keep the stack flat: beyond a nesting of
///   64, deliveries wait for the outermost set, in order.
/// - B10. Every sequence is written to a property by the same `bind(to:_:)`; an error ends the
///   binding.
/// - B11. `on:` delivers through a scheduler; `.main` delivers at once on the main thread.
///
/// - Isolation: `Sendable`, so that any thread may dispose the binding. The ends stay confined
///   where they are; without `on:`, an end is written on the thread that changes the other one.
/// - SeeAlso: JavaFX `bindBidirectional`, and WPF `Binding`, from which the modes and fallbacks are
///   taken.
public final class PropertyBinding: Cancelable {
  // The place of the call, for descriptions: the three fields take 24 bytes.
  private let file: StaticString
  /// Which end follows the other.
  public let mode: BindingMode
  private let line: UInt32
  /// The subscription of the binding, which ends with it. Its teardown retains the objects that keep
  /// the ends in agreement: they are released with the end, even if the program retains the binding.
  package let subscription = SubscriptionContext()
  /// The class of the object at which the target begins, for descriptions.
  package let targetType: Any.Type
  private let outcome = Protected<(errors: PublishSubject<any Error>?, reason: EndReason?)>(
    (nil, nil))

  /// Keeps `target` equal to `source`, or both in agreement. With a stream as the source, writes
  /// every element to the property at the end of `target`, and the latest element to the new
  /// property when the chain leads to another one.
  ///
  /// Always inlined, so that the fallbacks of most bindings vanish. The parameters stand in the order
  /// of the parameters of `bind`.
  @inlinable @inline(__always) convenience init<Source, Target>(
    _ source: BindingEnd<Source>?, to target: BindingEnd<Target>,
    _ mode: BindingMode, _ converter: BindingConverter<Source, Target>,
    whenBroken: BindingFallback<Target> = .keep, whenNil: BindingFallback<Target>? = nil,
    exclusive: Bool = false, resetOnUnbind: BindingFallback<Target> = .keep,
    on schedule: BindingSchedule<Source, Target>? = nil,
    following stream: Observable<Source>? = nil, _ file: StaticString, _ line: UInt
  ) {
    let isPlain =
      whenBroken.isKept && whenNil == nil && !exclusive && resetOnUnbind.isKept && schedule == nil
    self.init(
      source, to: target, mode, converter.passForward, converter.passBackward, converter.name,
      isPlain ? nil : BindingOptions(whenBroken, whenNil, exclusive, resetOnUnbind, schedule),
      stream, CallSite(file, line, "bind"))
  }

  @usableFromInline convenience init<Source, Target>(
    _ source: BindingEnd<Source>?, to target: BindingEnd<Target>, _ mode: BindingMode,
    _ forward: @escaping BindingConversion<Source, Target>,
    _ backward: @escaping BindingConversion<Target, Source>, _ converter: StaticString,
    _ options: BindingOptions<Source, Target>?, _ stream: Observable<Source>?, _ call: CallSite
  ) {
    self.init(mode, to: target.object?.type ?? Target.self, call)
    // In the deinit of an object, nothing leads to it any more.
    let isSourceDead = if let source { source.root == nil } else { false }
    guard !isSourceDead, target.root != nil, let life = target.object else {
      finish(isSourceDead ? .sourceDied : .targetDied)
      return
    }
    let engine = BindingEngine(source, target, life, forward, backward, converter, options, self)
    Transaction.current.perform {
      engine.start()
      if let stream { engine.follow(stream) }
    }
  }

  // A client that called this initialiser would compile the allocation of the object.
  init(_ mode: BindingMode, to type: Any.Type, _ call: CallSite) {
    self.mode = mode
    targetType = type
    file = call.file
    line = UInt32(truncatingIfNeeded: call.line)
    Instrumentation.report(.called(subscription, call))
  }

  package var call: CallSite { CallSite(file, UInt(line), "bind") }

  /// Whether the binding is active: both ends are alive, it has not been disposed, and its source
  /// has not terminated.
  public var isActive: Bool { subscription.isActive }

  public var isDisposed: Bool { !isActive }

  /// Why the binding has ended; nil while it is active.
  public var endReason: EndReason? { isActive ? nil : outcome.withLock { $0.reason } ?? .disposed }

  /// The errors of conversions, and of refused values; completes when the binding ends.
  ///
  /// - Timing: synchronous. Only current observers receive an error; an error without an observer
  ///   is reported as `bindingError`.
  public var errors: Observable<any Error> {
    let made = PublishSubject<any Error>()
    let errors = outcome.withLock { outcome in
      outcome.errors = outcome.errors ?? made
      return outcome.errors ?? made
    }
    if errors === made { subscription.add(Disposables.create { made.onCompleted() }) }
    return errors
  }

  /// Ends the binding. Both ends keep their values.
  public func dispose() { subscription.dispose() }

  public func _end() -> [any Disposable] { [subscription] }

  /// Ends the binding. Only the first reason counts.
  func finish(_ reason: EndReason) {
    outcome.withLock { $0.reason = $0.reason ?? reason }
    dispose()
  }

  /// An error that ends the source goes to the hook, because no other handler receives it; in place of
  /// a call stack, with the call of `bind` and the target.
  func sourceEnded(_ error: (any Error)?) {
    let bound = error.map { _ in "\(call.place): bound to \(targetType).\(targetProperty ?? "")" }
    finish(error.map { .sourceFailed($0) } ?? .sourceCompleted)
    if let error { Hooks.report(unhandled: error, subscribedAt: bound.map { [$0] } ?? []) }
  }

  /// Converts a value and passes the result to `body`, unless the converter declines.
  func convert<From, To>(
    _ value: From, _ convert: @escaping BindingConversion<From, To>, _ body: (To) -> Void
  ) {
    do { if try !convert(value, body) { decline(value, nil) } } catch { decline(value, error) }
  }

  private func decline(_ value: Any, _ failure: (any Error)?) {
    Instrumentation.enter(.decline(value, failure))
    if let failure { report(failure) }
    Instrumentation.leave()
  }

  func report(_ error: any Error) {
    if let errors = outcome.withLock({ $0.errors }), errors.hasObservers {
      errors.onNext(error)
    } else {
      Diagnostics.report(.bindingError, "\(error)", of: targetType, property: targetProperty)
    }
  }

  /// The name of the target's property; nil once the binding has ended.
  private var targetProperty: String? { subscription.binding?.targetEnd.properties.last?.node.name }

  /// Why a binding has ended.
  public enum EndReason: Sendable {
    /// The binding was disposed.
    case disposed
    /// The source object has died.
    case sourceDied
    /// The target object has died.
    case targetDied
    /// The observable that was the source has completed.
    case sourceCompleted
    /// The observable that was the source has failed.
    case sourceFailed(any Error)
    /// The binding is `.oneTime`, and has passed on the value of the source, if there was one.
    case completed
  }
}
