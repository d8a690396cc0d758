/// What a binding writes, for graphs and traces.
protocol BindingRole: AnyObject {
  var mode: BindingMode { get }
  /// The name of the converter, if it has one.
  var converter: String? { get }
  var isExclusive: Bool { get }
  /// The properties at the source, as far as they are not those that the binding observes.
  var sources: [DependencyNode] { get }
  /// The properties at the target, found by reading them.
  var targets: [DependencyNode] { get }
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
  var sources: [DependencyNode] { [] }

  var targets: [DependencyNode] {
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

  var sources: [DependencyNode] { engine?.source?.nodes() ?? [] }
  var targets: [DependencyNode] { engine?.target?.nodes() ?? [] }
}
