import CGtk
import CKeylineGTK

/// An object of GObject, whose properties are observed and bound like the properties of a model.
///
/// ```swift
/// final class Spinner: Widget {
///   @Native("spinning") var isSpinning: Bool
///   init() { super.init(gtk_spinner_new()) }
/// }
/// let spinner = Spinner()
/// model.bind(\.isLoading, to: spinner, \.isSpinning)
/// ```
///
/// - Lifetime: the Swift object and the native one live as long as either is referenced: by the program,
///   or by GTK, which references children and windows. Subscriptions and bindings end with them.
/// - Isolation: confined to the main thread, as all of GTK.
open class NativeObject: ReactiveObject {
  /// The native object.
  public let native: UnsafeMutableRawPointer
  /// Whether this is the first Swift object of the native one.
  private let isFirst: Bool
  /// The properties whose changes are reported.
  private var watched: Set<String> = []
  /// The property that the program is setting.
  private var propertyBeingSet: String?
  /// How many handlers of a property's `notify::` are running. If the property is set meanwhile, GLib
  /// notifies again when they have returned.
  private var running: [String: Int] = [:]
  private var notifiedAgain: Set<String> = []
  /// The properties whose last change was made by the program.
  fileprivate private(set) var changedByProgram: Set<String> = []

  /// Takes over a native object that is floating, as new widgets are, or adds a reference to another one.
  public init(_ native: UnsafeMutableRawPointer) {
    self.native = native
    isFirst = NativeObject.of(native) == nil
    super.init()
    g_object_ref_sink(native)
    // Another Swift object of the same native one, beside the first, only has a reference.
    guard isFirst else { return }
    // A reference that reports whether it is the only one left. While there are others, this object
    // retains itself.
    let this = Unmanaged.passRetained(self).toOpaque()
    g_object_set_data(object(native), "keyline", this)
    g_object_add_toggle_ref(object(native), Self.toggled, this)
    g_object_unref(native)
  }

  deinit {
    guard isFirst else { return g_object_unref(native) }
    g_object_set_data(object(native), "keyline", nil)
    let this = Unmanaged.passUnretained(self).toOpaque()
    g_object_remove_toggle_ref(object(native), Self.toggled, this)
  }

  private static let toggled: GToggleNotify = { data, _, isLast in
    guard let data else { return }
    let object = Unmanaged<NativeObject>.fromOpaque(data)
    if isLast != 0 { object.release() } else { _ = object.retain() }
  }

  /// The first Swift object of a native one; nil if there is none.
  public static func of(_ native: UnsafeMutableRawPointer?) -> NativeObject? {
    native.flatMap { g_object_get_data(object($0), "keyline") }
      .map { Unmanaged<NativeObject>.fromOpaque($0).takeUnretainedValue() }
  }

  // MARK: Properties

  /// Reads a property: an observed read. A property that the class does not have, or of another type, goes
  /// to `Hooks.defaultErrorHandler`.
  public final func get<Value: NativeValue>(_ name: String) -> Value {
    do { return try read(name) } catch { Hooks.defaultErrorHandler([], error) }
    return Value()
  }

  /// Sets a property, unless it has the value already. A property that the class does not have, of another
  /// type, or that cannot be set, goes to `Hooks.defaultErrorHandler`.
  public final func set<Value: NativeValue>(_ name: String, _ value: Value) {
    do { try write(name, value) } catch { Hooks.defaultErrorHandler([], error) }
  }

  /// Reads a property: an observed read.
  public final func read<Value: NativeValue>(
    _ name: String, as type: Value.Type = Value.self
  ) throws(NativeError) -> Value {
    try check(name, type, isWritten: false)
    watch(name)
    access(name)
    return value(of: name)
  }

  /// Sets a property, unless it has the value already. GLib limits the value to the property's range, and
  /// prints a warning.
  public final func write<Value: NativeValue>(_ name: String, _ value: Value) throws(NativeError) {
    try check(name, Value.self, isWritten: true)
    let former: Value = self.value(of: name)
    if value == former { return }
    let outer = exchange(&propertyBeingSet, name)
    defer { propertyBeingSet = outer }
    var native = GValue()
    g_value_init(&native, keyline_kind_type(Value.kind))
    value.store(in: &native)
    g_object_set_property(object(self.native), name, &native)
    g_value_unset(&native)
    if running[name] != nil, self.value(of: name) != former { notifiedAgain.insert(name) }
  }

  private func value<Value: NativeValue>(of name: String) -> Value {
    var value = GValue()
    g_value_init(&value, keyline_kind_type(Value.kind))
    defer { g_value_unset(&value) }
    g_object_get_property(object(native), name, &value)
    return Value(&value)
  }

  /// The name of the native class: `GtkEntry`.
  public final var className: String { String(cString: keyline_class_name(native)) }

  fileprivate func check<Value: NativeValue>(
    _ name: String, _ type: Value.Type, isWritten: Bool
  ) throws(NativeError) {
    var found: UnsafePointer<CChar>?
    switch keyline_use_of_property(native, name, Value.kind, isWritten ? 1 : 0, &found) {
    case KEYLINE_USABLE: return
    case KEYLINE_READ_ONLY: throw .readOnly(name, of: className)
    case KEYLINE_MISMATCH:
      let found = found.map { String(cString: $0) } ?? ""
      throw .typeMismatch(name, of: className, is: found, requested: "\(type)")
    default: throw .unknownProperty(name, of: className)
    }
  }

  /// Reports the changes of a property, and classifies them before any other handler is called.
  fileprivate func watch(_ name: String) {
    guard watched.insert(name).inserted else { return }
    _ = listen("notify::\(name)") { [weak self] in
      guard let self else { return }
      let isByProgram = notifiedAgain.remove(name) != nil || propertyBeingSet == name
      if isByProgram { changedByProgram.insert(name) } else { changedByProgram.remove(name) }
      didChange(name)
    }
  }

  // MARK: Signals

  /// Calls `handler` whenever the signal is emitted: `clicked`, `notify::label`. Arguments of the signal are
  /// not passed. A signal that asks gets the result: `close-request`, whose handler returns true to keep
  /// the window open.
  ///
  /// - Lifetime: until the result is disposed of, or the object dies. `handler` is retained: let it refer
  ///   to this object weakly.
  /// - Throws: ``NativeError/unknownSignal(_:of:)``.
  @discardableResult public final func connect<Result>(
    _ signal: String, _ handler: @escaping () -> Result
  ) throws(NativeError) -> any Disposable {
    if keyline_has_signal(native, signal) != 0 { return listen(signal, handler) }
    throw .unknownSignal(signal, of: className)
  }

  fileprivate func listen<Result>(
    _ signal: String, _ handler: @escaping () -> Result
  ) -> any Disposable {
    let name = String(signal.dropFirst("notify::".count))
    let handler = Handler.retained { [weak self] in
      self?.running[name, default: 0] += 1
      defer { self?.running[name] = self?.running[name].flatMap { $0 > 1 ? $0 - 1 : nil } }
      return handler() as? Bool == true
    }
    let id = keyline_connect(native, signal, Handler.call, handler, Handler.release)
    return Disposables.create { [weak self] in
      if let self { g_signal_handler_disconnect(native, id) }
    }
  }
}

/// A property of a widget's class: `@Native("label") var text: String`.
@propertyWrapper public struct Native<Value: NativeValue> {
  private let name: String

  /// - Parameter name: the name of the native property.
  public init(_ name: String) { self.name = name }

  public static subscript<Owner: NativeObject>(
    _enclosingInstance owner: Owner, wrapped _: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Native>
  ) -> Value {
    get { owner.get(owner[keyPath: storage].name) }
    set { owner.set(owner[keyPath: storage].name, newValue) }
  }

  @available(*, unavailable, message: "@Native belongs to a subclass of NativeObject")
  public var wrappedValue: Value {
    get { Value() }
    set {}
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
  ) throws(NativeError) -> ControlProperty<Value> {
    try base.check(name, type, isWritten: true)
    return property(name)
  }

  /// A signal as events.
  ///
  /// - Throws: ``NativeError``, for an unknown signal.
  public func controlEvent(_ signal: String) throws(NativeError) -> ControlEvent<Void> {
    if keyline_has_signal(base.native, signal) != 0 { return event(signal) }
    throw .unknownSignal(signal, of: base.className)
  }

  /// A property that the class has.
  func property<Value: NativeValue>(_ name: String) -> ControlProperty<Value> {
    ControlProperty(
      values: changes(of: name, isByUser: true) { $0.get(name) },
      valueSink: binder { $0.set(name, $1) })
  }

  /// A binder on the main thread, to which all objects of GTK are confined.
  func binder<Value>(_ binding: @escaping (Base, Value) -> Void) -> Binder<Value> {
    Binder(base, scheduler: MainScheduler().unsafelyConfined, binding: binding)
  }

  /// A signal that the class has.
  func event(_ signal: String) -> ControlEvent<Void> {
    ControlEvent(events: events(signal) { _ in true })
  }

  private func changes<Value>(
    of name: String, isByUser: Bool, _ get: @escaping (Base) throws -> Value
  ) -> Observable<Value> {
    base.watch(name)
    return events("notify::\(name)") { !isByUser || !$0.changedByProgram.contains(name) }
      .startWith(())
      .compactMap { [weak base] in try base.map(get) }
  }

  /// Emits whenever the signal is emitted and `isIncluded` is true; completes with the object.
  private func events(
    _ signal: String, _ isIncluded: @escaping (Base) -> Bool
  ) -> Observable<Void> {
    .create { [weak base] observer in
      guard let base else {
        observer.onCompleted()
        return Disposables.create()
      }
      let handler = base.listen(signal) { [weak base] in
        if let base, isIncluded(base) { observer.onNext(()) }
      }
      return Disposables.create(
        handler, base.deallocated.subscribe(onCompleted: observer.onCompleted))
    }
  }
}

private func object(_ native: UnsafeMutableRawPointer) -> UnsafeMutablePointer<GObject> {
  native.assumingMemoryBound(to: GObject.self)
}

/// Stores `value`, and returns the former one.
func exchange<Value>(_ variable: inout Value, _ value: Value) -> Value {
  defer { variable = value }
  return variable
}
