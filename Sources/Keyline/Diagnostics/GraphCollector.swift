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
    untracked {
      let collector = GraphCollector(length)
      guard GraphCollector.enter() else { return collector.graph }
      defer { GraphCollector.leave() }
      for object in objects { collector.visit(object, isRoot: true) }
      collector.run()
      defer { collector.release() }
      return collector.graph
    }
  }
}

/// Visits objects, and what observes them.
final class GraphCollector {
  /// Not nil while a thread collects one.
  private static let current = ThreadKey()

  /// - Returns: whether this thread collects no graph yet; then it must `leave()`.
  static func enter() -> Bool {
    guard current.pointer == nil else { return false }
    current.pointer = UnsafeMutableRawPointer(bitPattern: 1)
    return true
  }

  static func leave() { current.pointer = nil }

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
    var objects: [Entry]
    let node: DependencyNode?
  }

  /// A property that something reads or writes.
  struct End {
    let node: DependencyNode
    var hop: Int?
    var stages: [String] = []
    var isTarget = false
    /// The chain that it is a hop of.
    var chain: ObjectIdentifier?
  }

  final class Observation {
    let call: CallSite?
    let role: (any BindingRole)?
    /// The operators next to the call.
    let stages: [String]
    var ends: [End] = []
    let written: [DependencyNode]
    /// The object that a binding writes to, if it is not known which property.
    var targetObject: Entry?
    let isBinding: Bool
    let mode: BindingMode?
    var chain: ChainFollower?
    var isInCycle = false

    init(_ path: RecordedPath?, of binding: EngineContext?) {
      call = path?.call
      stages = path?.stages ?? []
      role = path?.role as? any BindingRole
      isBinding = binding != nil || role != nil
      mode = role?.mode ?? (binding as? BindingContext)?.mode
      written = role?.written ?? []
    }

    /// Puts the hops of a chain together, in order, and before the property that a binding reads at
    /// its end: objects are reached in any order.
    func sortEnds() {
      guard chain != nil else { return }
      var sections: [ObjectIdentifier: Int] = [:]
      let places = ends.enumerated().map { index, end in
        let section = end.chain.map { chain in
          let first = sections[chain] ?? index
          sections[chain] = first
          return first
        }
        return (section ?? (isBinding ? .max : index), end.hop ?? .max, index)
      }
      ends = places.sorted { $0 < $1 }.map { ends[$0.2] }
    }
  }

  let length: Int
  private(set) var entries: [Entry] = []
  private(set) var observations: [Observation] = []
  private var entryOfObject: [ObjectIdentifier: Entry] = [:]
  /// Where the property of a node is.
  private(set) var places: [ObjectIdentifier: (entry: Entry, property: Int)] = [:]
  private var observationOfOrigin: [ObjectIdentifier: Observation] = [:]
  private var observationOfContext: [ObjectIdentifier: Observation] = [:]
  /// What identifiers are taken of, retained so that they stay unique.
  private var retained: [AnyObject] = []
  private var next = 0

  init(_ length: Int) { self.length = length }

  // MARK: Objects

  @discardableResult func visit(_ object: any PropertyObservable, isRoot: Bool = false) -> Entry {
    let id = ObjectIdentifier(object)
    if let entry = entryOfObject[id] { return entry }
    let entry = Entry(object, isRoot: isRoot)
    entryOfObject[id] = entry
    entries.append(entry)
    return entry
  }

  func run() {
    while next < entries.count {
      expand(entries[next])
      next += 1
    }
    for observation in observations {
      observation.sortEnds()
      observation.written.forEach(place)
      for node in observation.ends.map(\.node) + observation.written {
        places[ObjectIdentifier(node)]?.entry.takesPart = true
      }
    }
    markHolders()
    markHeld()
    markCycles()
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
    let registry = (object as? ReactiveObject).map(\.registry) ?? object.properties
    let inspected = registry?.inspected ?? []
    let elements = (object as? any Collection).map { $0.map { $0 as Any } }
    let base = UInt(bitPattern: Unmanaged.passUnretained(object as AnyObject).toOpaque())
    let nodes = StoredProperties.nodes(of: registry)
    Runtime.forEachField(of: type(of: object)) { field, offset, label, isStrong in
      let node = nodes[base + UInt(offset)]
      let type = (field as? any OuterStorage.Type)?.inner ?? field
      if let storage = type as? any PropertyStorage.Type {
        add(
          StoredProperties.name(ofWrapper: label), storage.isWeak ? .weak : .stored,
          storage.value(in: object, offset), node)
      } else if type is any DerivedStorage.Type {
        let derivation = node?.derivation?.takeUnretainedValue()
        add(StoredProperties.name(ofWrapper: label), .derived, derivation?.cached, node)
      } else if isStrong, elements == nil,
        Optionals.isReference(type) || Optionals.isCollectionOfReferences(type)
      {
        add(
          String(cString: label), .plain, StoredProperties.load(type, of: object, at: offset), nil)
      }
      return false
    }
    let states = inspected.filter { $0.storage == nil }.map(\.node)
    for node in states { registry?.name(of: node).map { add($0, .state, nil, node) } }
    if let elements { add("elements", .stored, elements, states.first) }

    func add(
      _ name: String, _ kind: Diagnostics.Graph.Property.Kind, _ value: Any?,
      _ node: DependencyNode?
    ) {
      let objects = value.map(entries(in:)) ?? []
      if kind == .stored || kind == .plain { entry.held += objects }
      if let node {
        retained.append(node)
        places[ObjectIdentifier(node)] = (entry, entry.properties.count)
      }
      entry.properties.append(
        Property(name: name, kind: kind, value: value, objects: objects, node: node))
    }

    for property in entry.properties { if let node = property.node { addReaders(of: node) } }
    for dependent in registry?.dependents ?? [] {
      guard let context = (dependent.starter ?? dependent) as? BindingContext else { continue }
      let observation = observation(of: context)
      // Without options, its context waits for the death of the target alone.
      if observation.role == nil, !context.hasTwoEnds { observation.targetObject = entry }
      for case let node as DependencyNode in context.allObserved { visitOwner(of: node) }
    }
  }

  /// A property may have been read for the first time after its owner has been expanded.
  private func place(_ node: DependencyNode) {
    guard places[ObjectIdentifier(node)] == nil, let owner = node.livingOwner,
      let entry = entryOfObject[ObjectIdentifier(owner)], let name = node.name,
      let index = entry.properties.firstIndex(where: { $0.name == name })
    else { return }
    places[ObjectIdentifier(node)] = (entry, index)
  }

  /// The observable objects that `value` is, or that are in it if it is a collection.
  private func entries(in value: Any) -> [Entry] {
    guard let content = Optionals.content(of: value) else { return [] }
    if let object = content as? any PropertyObservable { return [visit(object)] }
    let type = type(of: content)
    let isCollection = type == [Any].self || Optionals.isCollectionOfReferences(type)
    guard isCollection, let elements = content as? any Collection else { return [] }
    var found: [Entry] = []
    for element in elements {
      guard let content = Optionals.content(of: element),
        let object = content as? any PropertyObservable
      else { continue }
      found.append(visit(object))
    }
    return found
  }

  // MARK: Observations

  private func addReaders(of node: DependencyNode) {
    for context in node.observerContexts { addEnd(node, in: context) }
    for computation in node.readingComputations {
      if let derivation = computation as? DerivedComputation {
        visitOwner(of: derivation.node)
      } else if let context = computation.context {
        addEnd(node, in: context)
      }
    }
    if let derivation = node.derivation?.takeUnretainedValue() {
      for index in 0..<derivation.dependencyCount {
        visitOwner(of: derivation.dependency(index).pointee.node)
      }
    }
  }

  private func visitOwner(of node: DependencyNode) {
    retained.append(node)
    if let owner = node.livingOwner as? any PropertyObservable { visit(owner).takesPart = true }
  }

  private func addEnd(_ node: DependencyNode, in context: EngineContext) {
    let observation = observation(of: context)
    let hop = context as? HopAttachment
    if let hop { observation.chain = hop.follower }
    observation.ends.append(
      End(
        node: node, hop: hop?.position, stages: Records.path(from: context.record)?.stages ?? [],
        isTarget: context.isOfTarget, chain: hop.map { ObjectIdentifier($0.follower) }))
  }

  private func observation(of context: EngineContext) -> Observation {
    let path = Records.path(from: context.record)
    let part: AnyObject = context.binding ?? (context as? HopAttachment)?.follower ?? context
    let known =
      path.map { observationOfOrigin[$0.origin] } ?? observationOfContext[ObjectIdentifier(part)]
    if let known { return known }
    let made = Observation(path, of: context.binding)
    observations.append(made)
    if let path { observationOfOrigin[path.origin] = made }
    observationOfContext[ObjectIdentifier(part)] = made
    retained.append(part)
    made.written.forEach(visitOwner)
    for case let owner as any PropertyObservable in made.role?.owners ?? [] { visit(owner) }
    return made
  }

  // MARK: Marks

  /// Objects that hold what takes part, take part, too.
  private func markHolders() {
    for entry in entries { for held in entry.held { held.holders.append(entry) } }
    var pending = entries.filter(\.takesPart)
    while let entry = pending.popLast() {
      for holder in entry.holders where !holder.takesPart {
        holder.takesPart = true
        pending.append(holder)
      }
    }
  }

  private func markHeld() {
    var pending = entries.filter(\.isRoot)
    while let entry = pending.popLast() {
      for held in entry.held where !held.isHeldByRoots {
        held.isHeldByRoots = true
        pending.append(held)
      }
    }
  }

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
    var ends: [Int: (from: [ObjectIdentifier], to: [ObjectIdentifier])] = [:]
    for (index, observation) in observations.enumerated() where observation.mode != nil {
      let (from, to) = nodes(of: observation)
      ends[index] = (from, to)
      let isTwoWay = observation.mode == .twoWay
      for node in from {
        joints[node, default: Joint()].leaving.insert(index)
        if isTwoWay { joints[node]?.entering.insert(index) }
      }
      for node in to {
        joints[node, default: Joint()].entering.insert(index)
        if isTwoWay { joints[node]?.leaving.insert(index) }
      }
    }
    var pending = Array(joints.keys)
    while let node = pending.popLast() {
      guard let joint = joints[node], !joint.isPassable else { continue }
      joints[node] = nil
      for index in joint.entering.union(joint.leaving) {
        guard let (from, to) = ends.removeValue(forKey: index) else { continue }
        for other in from + to {
          joints[other]?.entering.remove(index)
          joints[other]?.leaving.remove(index)
          pending.append(other)
        }
      }
    }
    for index in ends.keys { observations[index].isInCycle = true }
  }

  private func nodes(
    of observation: Observation
  ) -> (from: [ObjectIdentifier], to: [ObjectIdentifier]) {
    let read = observation.ends.filter { !$0.isTarget || observation.mode == .oneWayToSource }
    let written = observation.ends.filter { $0.isTarget && observation.mode == .twoWay }
    return (
      read.map { ObjectIdentifier($0.node) },
      (written.map(\.node) + observation.written).map(ObjectIdentifier.init)
    )
  }
}
