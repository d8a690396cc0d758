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
    /// The objects that it refers to strongly, and those that refer to it, with the property.
    var held: [Entry] = []
    var holders: [(entry: Entry, property: String)] = []
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

  /// A property that something reads or writes, its place on a chain, and the operators behind it.
  typealias End = (node: Node, hop: Int?, stages: [String])

  struct Observation {
    let call: CallSite?
    let binding: (any InspectedBinding)?
    /// The operators next to the call.
    var stages: [String]
    var sources: [End] = []
    var targets: [End] = []
    /// The hop of a chain that leads to nil.
    var brokenHop: Int?
  }

  let length: Int
  private(set) var entries: [Entry] = []
  private(set) var observations: [Observation] = []
  private var entryOfObject: [UInt: Entry] = [:]
  private var observationOfOrigin: [ObjectIdentifier: Int] = [:]
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
    spread(\.takesPart) { $0.holders.map(\.entry) }
    spread(\.isHeldByRoots, to: \.held)
  }

  private func spread(
    _ mark: ReferenceWritableKeyPath<Entry, Bool>, to next: (Entry) -> [Entry]
  ) {
    var pending = entries.filter { $0[keyPath: mark] }
    while let entry = pending.popLast() {
      for other in next(entry) where !other[keyPath: mark] {
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
    }
  }

  private func expand(_ entry: Entry) {
    let properties = entry.object.inspectedProperties
    for property in properties {
      let objects = objects(in: property)
      guard property.kind == .stored || property.kind == .plain else { continue }
      for object in objects {
        let last = object.holders.last
        if last?.entry === entry, last?.property == property.name { continue }
        entry.held.append(object)
        object.holders.append((entry, property.name))
      }
    }
    for node in properties.compactMap(\.node) {
      addReaders(of: node)
      node.sources.forEach(visitOwner)
    }
    for binding in RegisteredObject.existing(of: entry.object)?.bindings ?? [] {
      _ = observation(in: binding.subscription)
    }
  }

  /// The observable objects that the value of a property is or, if that is a collection, holds.
  func objects(in property: InspectedProperty) -> [Entry] {
    let isReference =
      Optionals.isReference(property.type) || Optionals.isCollectionOfReferences(property.type)
    guard isReference || property.kind != .plain,
      let content = property.value().flatMap(Optionals.content)
    else { return [] }
    let collection = isReference ? content as? any Collection : nil
    let elements = collection.map { $0.map { $0 as Any } } ?? [content]
    return (content is any PropertyObservable ? [content] : elements).compactMap {
      (Optionals.content(of: $0) as? any PropertyObservable).map { visit($0) }
    }
  }

  // MARK: Observations

  private func addReaders(of node: Node) {
    addSource(node)
    for reader in node.readers {
      if reader.isProperty {
        visitOwner(of: reader)
      } else if reader.belongsToChain {
        addReaders(of: reader)
      } else if paths.insert(ObjectIdentifier(reader)).inserted {
        retained.append(reader)
        addSource(reader)
      }
    }
  }

  private func visitOwner(of node: Node) {
    if let owner = node.owner.object as? any PropertyObservable { visit(owner).takesPart = true }
  }

  /// Adds what the observers of `node` observe.
  private func addSource(_ node: Node) {
    for context in node.contexts {
      let index = observation(in: context)
      // The ends of a binding are known; the stream that is one is not.
      let binding = observations[index].binding
      guard binding == nil || binding?.sourceEnd == nil && binding?.subscription !== context
      else { continue }
      let stages = Records.path(from: ObjectIdentifier(context))?.stages ?? []
      observations[index].sources += node.observed.map { ($0.node, $0.hop, stages) }
      observations[index].brokenHop = observations[index].brokenHop ?? node.chain?.brokenHop
      for (node, _) in node.observed { visitOwner(of: node) }
    }
  }

  /// The place of the observation that a subscription belongs to.
  private func observation(in context: SubscriptionContext) -> Int {
    let path = Records.path(from: ObjectIdentifier(context))
    let origin = path?.origin ?? ObjectIdentifier(context)
    if let known = observationOfOrigin[origin] { return known }
    let outer = path?.object as? SubscriptionContext ?? context
    var made = Observation(
      call: path?.call, binding: outer.binding, stages: path?.stages ?? [])
    if let binding = made.binding {
      // A stream is observed by an inner subscription.
      let inner = outer.parts.lazy.compactMap { $0 as? SubscriptionContext }
        .compactMap { Records.path(from: ObjectIdentifier($0)) }.first
      made.stages = inner?.stages ?? made.stages
      made.sources = binding.sourceEnd?.properties.map { ($0.node, $0.hop, made.stages) } ?? []
      made.targets = binding.targetEnd.properties.map { ($0.node, $0.hop, []) }
      if binding.targetEnd.isBroken { made.brokenHop = made.targets.last?.hop }
      if binding.sourceEnd?.isBroken == true { made.brokenHop = made.sources.last?.hop }
      for end in made.sources + made.targets { visitOwner(of: end.node) }
      (binding.targetEnd.start as? any PropertyObservable).map { visit($0).takesPart = true }
    }
    observations.append(made)
    observationOfOrigin[origin] = observations.count - 1
    retained.append(context)
    return observations.count - 1
  }
}
