import Keyline
import KeylineCore

extension Diagnostics {
  /// The live graph of `objects`, and of all that is reached from them through what is observed,
  /// bound, derived, or held in observable properties and other stored ones.
  ///
  /// Observations are named if they have been made while ``isRecording`` was on. Values are read in
  /// their storage; getters of the program are called for the targets of bindings, `description`
  /// for objects and values. In a `description` that it calls, a graph is empty.
  ///
  /// - Isolation: to be called where the objects are confined.
  /// - Complexity: linear in the objects and observations reached.
  public static func graph(of objects: any PropertyObservable...) -> Graph { graph(of: objects) }

  /// The live graph of several objects.
  ///
  /// - Parameter length: how many characters values are cut to.
  public static func graph(of objects: [any PropertyObservable], valuesCutTo length: Int = 40)
    -> Graph
  {
    let collector = GraphCollector(length)
    guard GraphCollector.current.value == nil else { return Graph() }
    GraphCollector.current.value = collector
    let recorder = TraceRecorder.installed
    defer {
      GraphCollector.current.value = nil
      collector.release()
    }
    let collect = {
      for object in objects { collector.visit(object, isRoot: true) }
      collector.run()
      return collector.graph
    }
    return recorder?.quietly(collect) ?? untracked(collect)
  }
}

/// Visits objects, and what observes them.
final class GraphCollector {
  /// The one that a thread is collecting with.
  static let current = ThreadLocal<GraphCollector>()

  /// An object that has been reached. It is retained until the graph is complete.
  final class Entry {
    let object: any PropertyObservable
    let isRoot: Bool
    fileprivate(set) var properties: [Property] = []
    /// Objects that it refers to strongly.
    var held: [Entry] = []
    var holders: [Entry] = []
    /// Whether something observes it, it observes something, or it is given.
    var takesPart: Bool
    var isHeldByRoots: Bool
    var id = ""

    init(_ object: any PropertyObservable, isRoot: Bool) {
      self.object = object
      self.isRoot = isRoot
      takesPart = isRoot
      isHeldByRoots = isRoot
    }
  }

  struct Property {
    let name: String
    let kind: Diagnostics.Graph.Property.Kind
    let value: Any?
    let objects: [Entry]
    let node: Node?
  }

  /// A property that something reads or writes.
  struct End {
    let node: Node
    let hop: Int?
    var stages: [String] = []
  }

  final class Observation {
    let call: CallSite?
    let binding: (any InspectedBinding)?
    /// The operators next to the call.
    let stages: [String]
    var sources: [End]
    let targets: [End]
    /// The hop of a chain that leads to nil.
    var brokenHop: Int?
    var isInCycle = false

    init(_ path: RecordedPath?, in context: SubscriptionContext) {
      call = path?.call
      let context = path?.object as? SubscriptionContext ?? context
      binding = context.binding
      // A stream is observed by an inner subscription.
      let inner = context.parts.lazy.compactMap { $0 as? SubscriptionContext }
        .compactMap { Records.path(from: ObjectIdentifier($0))?.stages }.first
      stages = inner ?? path?.stages ?? []
      let ends = [binding?.sourceEnd, binding?.targetEnd].map { $0?.properties ?? [] }
      sources = ends[0].map { End(node: $0.node, hop: $0.hop, stages: path?.stages ?? []) }
      targets = ends[1].map { End(node: $0.node, hop: $0.hop) }
      for (end, properties) in zip([binding?.sourceEnd, binding?.targetEnd], ends)
      where end?.isBroken == true { brokenHop = properties.last?.hop }
    }
  }

  let length: Int
  private(set) var entries: [Entry] = []
  private(set) var observations: [Observation] = []
  private var entryOfObject: [UInt: Entry] = [:]
  private var observationOfOrigin: [ObjectIdentifier: Observation] = [:]
  /// Paths and chains whose sources have been added.
  private var paths: Set<ObjectIdentifier> = []
  /// What identifiers are taken of, retained so that they stay unique.
  private var retained: [AnyObject] = []

  init(_ length: Int) { self.length = length }

  // MARK: Objects

  @discardableResult func visit(_ object: any PropertyObservable, isRoot: Bool = false) -> Entry {
    let address = UInt(bitPattern: ObjectIdentifier(object))
    if let entry = entryOfObject[address] { return entry }
    let entry = Entry(object, isRoot: isRoot)
    entryOfObject[address] = entry
    entries.append(entry)
    return entry
  }

  /// The entry of the object that has the node, if that has been reached.
  func entry(of node: Node) -> Entry? { entryOfObject[node.owner.identity] }

  func run() {
    var next = 0
    while next < entries.count {
      expand(entries[next])
      next += 1
    }
    // Objects that hold what takes part, take part, too.
    for entry in entries { for held in entry.held { held.holders.append(entry) } }
    spread(\.takesPart, to: \.holders)
    spread(\.isHeldByRoots, to: \.held)
    markCycles()
  }

  private func spread(
    _ mark: ReferenceWritableKeyPath<Entry, Bool>, to next: KeyPath<Entry, [Entry]>
  ) {
    var pending = entries.filter { $0[keyPath: mark] }
    while let entry = pending.popLast() {
      for other in entry[keyPath: next] where !other[keyPath: mark] {
        other[keyPath: mark] = true
        pending.append(other)
      }
    }
  }

  /// Releases the objects: entries refer to each other.
  func release() {
    for entry in entries {
      entry.held = []
      entry.holders = []
      entry.properties = []
    }
  }

  private func expand(_ entry: Entry) {
    let object = entry.object
    let registered = RegisteredObject.existing(of: object)
    let elements = (object as? any Collection).map { $0.map { $0 as Any } }
    for property in object.inspectedProperties {
      if property.kind == .plain {
        let type = property.type
        guard elements == nil,
          Optionals.isReference(type) || Optionals.isCollectionOfReferences(type)
        else { continue }
      }
      add(property.name, .init(property.kind), property.value(), property.node, to: entry)
    }
    let states = registered?.stateNodes ?? []
    for node in states { if let name = node.name { add(name, .state, nil, node, to: entry) } }
    if let elements { add("elements", .stored, elements, states.first, to: entry) }
    for node in entry.properties.compactMap(\.node) {
      addReaders(of: node)
      node.sources.forEach(visitOwner)
    }
    for binding in registered?.bindings ?? [] { _ = observation(in: binding.subscription) }
  }

  private func add(
    _ name: String, _ kind: Diagnostics.Graph.Property.Kind, _ value: Any?, _ node: Node?,
    to entry: Entry
  ) {
    let objects = value.map(entries(in:)) ?? []
    if kind == .stored || kind == .plain { entry.held += objects }
    entry.properties.append(
      Property(name: name, kind: kind, value: value, objects: objects, node: node))
  }

  /// The observable objects that `value` is, or that are in it if it is a collection.
  private func entries(in value: Any) -> [Entry] {
    guard let content = Optionals.content(of: value) else { return [] }
    if let object = content as? any PropertyObservable { return [visit(object)] }
    let type = type(of: content)
    let isCollection = type == [Any].self || Optionals.isCollectionOfReferences(type)
    guard isCollection, let elements = content as? any Collection else { return [] }
    return elements.compactMap {
      (Optionals.content(of: $0) as? any PropertyObservable).map { visit($0) }
    }
  }

  // MARK: Observations

  private func addReaders(of node: Node) {
    for context in node.contexts { addSource(node, in: context) }
    for reader in node.readers {
      if reader.isProperty {
        visitOwner(of: reader)
      } else if reader.belongsToChain {
        addReaders(of: reader)
      } else {
        addReaders(ofPath: reader)
      }
    }
  }

  private func addReaders(ofPath node: Node) {
    guard paths.insert(ObjectIdentifier(node)).inserted else { return }
    retained.append(node)
    for context in node.contexts { addSource(node, in: context) }
  }

  private func visitOwner(of node: Node) {
    if let owner = node.owner.object as? any PropertyObservable { visit(owner).takesPart = true }
  }

  /// Adds what an observer of `node` observes.
  private func addSource(_ node: Node, in context: SubscriptionContext) {
    let observation = observation(in: context)
    // The ends of a binding are known; the stream that is one is not.
    if let binding = observation.binding, binding.sourceEnd != nil || binding.subscription === context {
      return
    }
    let stages = Records.path(from: ObjectIdentifier(context))?.stages ?? []
    let ends = node.observed.map { End(node: $0.node, hop: $0.hop, stages: stages) }
    observation.sources += ends
    observation.brokenHop = observation.brokenHop ?? node.chain?.brokenHop
    for end in ends { visitOwner(of: end.node) }
  }

  private func observation(in context: SubscriptionContext) -> Observation {
    let path = Records.path(from: ObjectIdentifier(context))
    let origin = path?.origin ?? ObjectIdentifier(context)
    if let known = observationOfOrigin[origin] { return known }
    let made = Observation(path, in: context)
    observations.append(made)
    observationOfOrigin[origin] = made
    retained.append(context)
    for end in made.sources + made.targets { visitOwner(of: end.node) }
    if let target = made.binding?.targetEnd.start as? any PropertyObservable {
      visit(target).takesPart = true
    }
    return made
  }

  // MARK: Cycles

  /// Marks the bindings that remain when those are removed, again and again, that begin at a property
  /// to which no other binding leads, or end at one from which none does.
  private func markCycles() {
    struct Joint {
      var entering: Set<Int> = []
      var leaving: Set<Int> = []

      /// Whether one can come in by one binding and go on by another.
      var isPassable: Bool {
        !entering.isEmpty && !leaving.isEmpty && entering.union(leaving).count > 1
      }
    }
    var joints: [ObjectIdentifier: Joint] = [:]
    var remaining: [Int: [ObjectIdentifier]] = [:]
    for (index, observation) in observations.enumerated() {
      guard let mode = observation.binding?.mode else { continue }
      let from = observation.sources.map { ObjectIdentifier($0.node) }
      let to = observation.targets.filter { $0.hop == nil }.map { ObjectIdentifier($0.node) }
      remaining[index] = from + to
      for node in mode == .twoWay ? from + to : from {
        joints[node, default: Joint()].leaving.insert(index)
      }
      for node in mode == .twoWay ? from + to : to {
        joints[node, default: Joint()].entering.insert(index)
      }
    }
    var pending = Array(joints.keys)
    while let node = pending.popLast() {
      guard let joint = joints[node], !joint.isPassable else { continue }
      joints[node] = nil
      for index in joint.entering.union(joint.leaving) {
        for other in remaining.removeValue(forKey: index) ?? [] {
          joints[other]?.entering.remove(index)
          joints[other]?.leaving.remove(index)
          pending.append(other)
        }
      }
    }
    for index in remaining.keys { observations[index].isInCycle = true }
  }
}
