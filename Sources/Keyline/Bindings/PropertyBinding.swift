// Bindings: what writes properties. `bind` in its forms, the engine behind it, and converters.

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
/// - B2. The source wins initially.
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
/// - B9. Rows of bindings of any length keep the stack flat: beyond a nesting of 64, deliveries are left
///   to the outermost set, in order.
/// - B10. Every sequence that cannot fail is written to a property by the same `bind(to:_:)`.
/// - B11. `on:` delivers through a scheduler; `.main` at once on the main thread.
///
/// - Isolation: `Sendable`, for disposal from any thread; the ends stay where they are confined;
///   without `on:`, an end is written on the thread that changes the other.
/// - SeeAlso: JavaFX `bindBidirectional`, WPF `Binding`, whose modes and fallbacks these are.
public final class PropertyBinding: Cancelable {
  /// Which end follows which.
  public let mode: BindingMode
  /// Ends with the binding.
  let subscription = SubscriptionContext()
  private let outcome = Protected<EndReason?>(nil)
  private let subject = Protected<PublishSubject<any Error>?>(nil)

  /// The class of the object at which the target begins, for descriptions.
  let targetType: Any.Type

  init(_ mode: BindingMode, to targetType: Any.Type, at call: CallSite) {
    self.mode = mode
    self.targetType = targetType
    Instrumentation.report(.called(subscription, call))
  }

  /// Whether the binding is in force: neither end has died, it has not been disposed, and its
  /// source has not terminated.
  public var isActive: Bool { subscription.isActive }

  public var isDisposed: Bool { !isActive }

  /// Why the binding has ended; nil while it is in force.
  public var endReason: EndReason? { isActive ? nil : outcome.withLock { $0 } ?? .disposed }

  /// Errors of conversions, and of values that were refused; completes when the binding ends.
  ///
  /// - Timing: synchronous, to the observers at that time. Errors without an observer are reported
  ///   as `bindingError`.
  public var errors: Observable<any Error> {
    let made = PublishSubject<any Error>()
    let errors = subject.withLock { subject in
      subject = subject ?? made
      return subject ?? made
    }
    if errors === made { subscription.add(Disposables.create { made.onCompleted() }) }
    return errors
  }

  /// Ends the binding. Both ends keep their values.
  public func dispose() { subscription.dispose() }

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
}

extension PropertyBinding {
  /// Keeps `target` equal to `source`, or both equal; or writes every element of a stream to the property that
  /// `target` leads to, and the latest one to the next such property.
  @usableFromInline convenience init<Source, Target>(
    _ source: BindingEnd<Source>?, to target: BindingEnd<Target>,
    _ settings: BindingSettings<Source, Target>, following stream: Observable<Source>? = nil
  ) {
    self.init(
      settings.mode, to: target.start.map { type(of: $0) } ?? Target.self, at: settings.call)
    let engine = BindingEngine(settings, source: source, target: target, self)
    Transaction.current.perform {
      engine.start()
      stream.map(engine.follow)
    }
  }
}

extension PropertyBinding {
  /// Ends the binding. The first reason given stays.
  func finish(_ reason: EndReason) {
    outcome.withLock { $0 = $0 ?? reason }
    dispose()
  }

  /// An error that ends the source goes to the hook, its only handler.
  func sourceEnded(_ error: (any Error)?) {
    finish(error.map { .sourceFailed($0) } ?? .sourceCompleted)
    if let error { Hooks.report(unhandled: error) }
  }

  func report(_ error: any Error) {
    if let subject = subject.withLock({ $0 }), subject.hasObservers {
      subject.onNext(error)
    } else {
      Diagnostics.report(.bindingError, "\(error)")
    }
  }
}
