import KeylineCore

/// What a binding does beside observing, for graphs and traces.
protocol BindingRole: AnyObject {
  var mode: BindingMode { get }
  /// The name of the converter, if it has one.
  var converter: String? { get }
  var isExclusive: Bool { get }
  /// The properties that it writes and does not observe, found by reading them.
  var written: [DependencyNode] { get }
  /// The objects at its ends, as far as it observes them.
  var owners: [AnyObject] { get }
}

extension BindingMode {
  /// What stands between the ends, the source first.
  var arrow: String {
    switch self {
    case .oneWay, .oneTime: " → "
    case .twoWay: " ⇄ "
    case .oneWayToSource: " ← "
    }
  }
}

/// The target of a binding without options.
final class TargetRole: BindingRole {
  private weak var target: AnyObject?
  private let property: AnyKeyPath

  init(_ target: AnyObject, _ property: AnyKeyPath) {
    self.target = target
    self.property = property
  }

  var mode: BindingMode { .oneWay }
  var converter: String? { nil }
  var isExclusive: Bool { false }

  var owners: [AnyObject] { [] }

  var written: [DependencyNode] {
    func read<Target: AnyObject>(_ target: Target) -> [DependencyNode] {
      ThreadScope.ofThread.nodes { _ = target[keyPath: property] }
    }
    return target.map { read($0) } ?? []
  }
}

/// The ends of a binding with options.
final class EngineRole<Source, Target>: BindingRole {
  private weak var engine: BindingEngine<Source, Target>?
  let mode: BindingMode
  let converter: String?
  let isExclusive: Bool

  init(_ engine: BindingEngine<Source, Target>, _ settings: BindingSettings<Source, Target>) {
    self.engine = engine
    mode = settings.mode
    let name = CallSite.baseName(settings.converter.name)
    converter = name.isEmpty ? nil : name
    isExclusive = settings.isExclusive
  }

  var owners: [AnyObject] {
    [engine?.source?.livingOwner, engine?.target?.livingOwner].compactMap { $0 }
  }

  var written: [DependencyNode] {
    switch mode {
    case .oneWay, .oneTime: engine?.target?.nodes() ?? []
    case .oneWayToSource: engine?.source?.nodes() ?? []
    case .twoWay: []
    }
  }
}

/// The observation of one end of a binding.
@usableFromInline final class EndAttachment: EngineContext, @unchecked Sendable {
  // Proof of @unchecked: immutable, but for what is confined.
  private let isTarget: Bool
  /// Proof of unowned: what is called with the values retains it.
  private unowned let ofBinding: BindingContext
  /// Whether nothing has been delivered yet.
  // Proof of unchecked: confined, with the end.
  @exclusivity(unchecked) @usableFromInline var isAtFirst = true

  @usableFromInline init(_ isTarget: Bool, of binding: BindingContext) {
    self.isTarget = isTarget
    ofBinding = binding
    super.init(inside: binding.record)
  }

  override var isOfTarget: Bool { isTarget }

  override var binding: EngineContext? { ofBinding }
}

extension BindingContext {
  /// Records that the converter has returned nil for `value`.
  @usableFromInline @inline(never) func declined<Value>(_ value: Value) {
    guard let trace = TraceRecorder.ofThread else { return }
    trace.begin(.decline, "", "\(trace.describe(value)): the converter has returned nil")?.end()
  }

  /// Reports that the converter has thrown `error` for `value`.
  @usableFromInline @inline(never) func declined<Value>(_ value: Value, _ error: any Error) {
    let entry = TraceRecorder.ofThread.flatMap { trace in
      trace.begin(.decline, "", "\(trace.describe(value)): \(trace.describe(error))")
    }
    report(error)
    entry?.end()
  }
}
