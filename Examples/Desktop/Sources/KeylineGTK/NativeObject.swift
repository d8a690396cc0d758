import CGtk
import CKeylineGTK

/// An object of GObject, whose properties are observed and bound like the properties of a model.
///
/// ```swift
/// final class Spinner: Widget {
///   init() { super.init(gtk_spinner_new()) }
///   var isSpinning: Bool { get { get("spinning") } set { set("spinning", newValue) } }
/// }
/// let spinner = Spinner()
/// model.bind(\.isLoading, to: spinner, \.isSpinning)
/// ```
///
/// - Lifetime: this object and the native one are one: as long as either is referenced, by Swift or, as a
///   child, by GTK, both live. Subscriptions and bindings end then.
/// - Isolation: confined to the main thread, as all of GTK.
open class NativeObject: ReactiveObject {
  /// The native object.
  public let native: UnsafeMutableRawPointer
  /// Whether this is the first Swift object of the native one.
  private let isFirst: Bool
  /// The handlers of `notify::`, by the property.
  private var notified: [String: gulong] = [:]
  /// The property that the program is setting.
  fileprivate var propertyBeingSet: String?

  /// Takes over a native object that is floating, as new widgets are, or adds a reference to another one.
  public init(_ native: UnsafeMutableRawPointer) {
    self.native = native
    isFirst = g_object_get_data(object(native), "keyline") == nil
    super.init()
    g_object_ref_sink(native)
    // Another Swift object of the same native one, beside the first, only has a reference.
    guard isFirst else { return }
    g_object_set_data(object(native), "keyline", native)
    // A reference that reports whether it is the only one left. While there are others, this object
    // retains itself.
    let this = Unmanaged.passRetained(self)
    g_object_add_toggle_ref(object(native), Self.toggled, this.toOpaque())
    g_object_unref(native)
  }

  deinit {
    guard isFirst else {
      for handler in notified.values { g_signal_handler_disconnect(native, handler) }
      return g_object_unref(native)
    }
    g_object_set_data(object(native), "keyline", nil)
    let this = Unmanaged.passUnretained(self)
    g_object_remove_toggle_ref(object(native), Self.toggled, this.toOpaque())
  }

  private static let toggled: GToggleNotify = { data, _, isLast in
    guard let data else { return }
    let object = Unmanaged<NativeObject>.fromOpaque(data)
    if isLast != 0 { object.release() } else { _ = object.retain() }
  }

  // MARK: Properties

  /// The property `name`, for the computed properties of a subclass: an observed read.
  ///
  /// The class must have such a property; ``read(_:as:)`` throws if it does not.
  public final func get<Value: NativeValue>(_ name: String) -> Value {
    if notified[name] == nil {
      notified[name] = listen("notify::\(name)") { [weak self] in self?.didChange(name) }
    }
    access(name)
    return value(of: name)
  }

  /// Sets the property `name`, for the computed properties of a subclass.
  public final func set<Value: NativeValue>(_ name: String, _ value: Value) {
    let former = propertyBeingSet
    propertyBeingSet = name
    defer { propertyBeingSet = former }
    var native = GValue()
    g_value_init(&native, Value.nativeType)
    value.store(in: &native)
    g_object_set_property(object(self.native), name, &native)
    g_value_unset(&native)
  }

  /// Reads a property that is a position in a list; nil for none.
  final func position(_ name: String) -> Int? {
    let position: Int = get(name)
    return position == Int(UInt32.max) ? nil : position
  }

  final func setPosition(_ name: String, _ position: Int?) {
    set(name, position ?? Int(UInt32.max))
  }

  /// Reads the property `name`.
  public final func read<Value: NativeValue>(
    _ name: String, as type: Value.Type = Value.self
  ) throws(NativeError) -> Value {
    try check(name, type, isWritten: false)
    return value(of: name)
  }

  /// Sets the property `name`.
  public final func write<Value: NativeValue>(_ name: String, _ value: Value) throws(NativeError) {
    try check(name, Value.self, isWritten: true)
    set(name, value)
  }

  private func value<Value: NativeValue>(of name: String) -> Value {
    var value = GValue()
    g_value_init(&value, Value.nativeType)
    defer { g_value_unset(&value) }
    g_object_get_property(object(native), name, &value)
    return Value(&value)
  }

  /// The name of the native class: `GtkEntry`.
  public final var className: String { String(cString: keyline_class_name(native)) }

  fileprivate func check<Value: NativeValue>(
    _ name: String, _ type: Value.Type, isWritten: Bool
  ) throws(NativeError) {
    var fundamental: GType = 0
    var isWritable: gboolean = 0
    let actual = keyline_property_type(native, name, &fundamental, &isWritable)
    if actual == 0 { throw .unknownProperty(name, of: className) }
    if isWritten, isWritable == 0 { throw .readOnly(name, of: className) }
    guard Value.fundamentals.contains(fundamental) else {
      let actual = String(cString: g_type_name(actual))
      throw .typeMismatch(name, of: className, is: actual, requested: "\(type)")
    }
  }

  // MARK: Signals

  /// Calls `handler` whenever the signal is emitted: `clicked`, `notify::label`.
  ///
  /// - Lifetime: until the result is disposed of, or the object dies. `handler` is retained: let it refer
  ///   to this object weakly.
  /// - Throws: ``NativeError/unknownSignal(_:of:)``.
  public final func connect(
    _ signal: String, _ handler: @escaping () -> Void
  ) throws(NativeError) -> any Disposable {
    guard keyline_has_signal(native, signal) != 0 else {
      throw .unknownSignal(signal, of: className)
    }
    let id = listen(signal, handler)
    return Disposables.create { [weak self] in
      if let self { g_signal_handler_disconnect(native, id) }
    }
  }

  private func listen(_ signal: String, _ handler: @escaping () -> Void) -> gulong {
    keyline_connect(native, signal, Handler.call, Handler.retained(handler), Handler.release)
  }
}

// MARK: - Reactive extensions

extension Reactive where Base: NativeObject {
  /// Emits the value of the property `name`, and then every change, whoever makes it; completes with the
  /// object.
  ///
  /// - Errors: ``NativeError``, if there is no such property, or it has another type.
  public func observe<Value: NativeValue>(_ type: Value.Type, _ name: String) -> Observable<Value> {
    changes(of: name, isByUser: false) { try $0.read(name) }
  }

  /// The user's changes of the property `name`; elements that it receives set the property.
  ///
  /// - Throws: ``NativeError``, if there is no such property, it has another type, or cannot be set.
  public func controlProperty<Value: NativeValue>(
    _ type: Value.Type, _ name: String
  ) throws -> ControlProperty<Value> {
    try base.check(name, type, isWritten: true)
    return controlProperty(name, get: { $0.get(name) }, set: { $0.set(name, $1) })
  }

  /// A signal as events.
  ///
  /// - Throws: ``NativeError/unknownSignal(_:of:)``.
  public func controlEvent(_ signal: String) throws -> ControlEvent<Void> {
    guard keyline_has_signal(base.native, signal) != 0 else {
      throw NativeError.unknownSignal(signal, of: base.className)
    }
    return ControlEvent(events: events(signal) { _ in true })
  }

  /// A property of a wrapper whose native one is `name`.
  func controlProperty<Value>(
    _ name: String, get: @escaping (Base) -> Value, set: @escaping (Base, Value) -> Void
  ) -> ControlProperty<Value> {
    ControlProperty(
      values: changes(of: name, isByUser: true, get), valueSink: Binder(base, binding: set))
  }

  private func changes<Value>(
    of name: String, isByUser: Bool, _ get: @escaping (Base) throws -> Value
  ) -> Observable<Value> {
    events("notify::\(name)") { !isByUser || $0.propertyBeingSet != name }
      .startWith(())
      .compactMap { [weak base] in try base.map(get) }
  }

  /// Emits whenever the signal is emitted and `isIncluded` is true; completes with the object.
  func events(
    _ signal: String, _ isIncluded: @escaping (Base) -> Bool
  ) -> Observable<Void> {
    .create { [weak base] observer in
      guard let base else {
        observer.onCompleted()
        return Disposables.create()
      }
      do {
        let handler = try base.connect(signal) { [weak base] in
          if let base, isIncluded(base) { observer.onNext(()) }
        }
        return Disposables.create(
          handler, base.deallocated.subscribe(onCompleted: observer.onCompleted))
      } catch {
        observer.onError(error)
        return Disposables.create()
      }
    }
  }
}

private func object(_ native: UnsafeMutableRawPointer) -> UnsafeMutablePointer<GObject> {
  native.assumingMemoryBound(to: GObject.self)
}
