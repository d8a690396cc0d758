import Keyline

extension Diagnostics {
  /// The live graph of `objects`, and of every object reachable from them through observations,
  /// bindings, derived values and stored properties, observable or not.
  ///
  /// A property leads to the objects in its value: in optionals, collections, structs, tuples, payloads
  /// of enumerations, and `Any`. Not followed are objects of other classes than
  /// ``/Keyline/PropertyObservable`` ones, closures, weak and unowned fields, and values that a
  /// `customMirror` leaves out.
  ///
  /// Observations made while ``isRecording`` was on have names. Values are read directly from storage.
  /// The program's getters are called only for the targets of bindings, `description` for objects and
  /// values, and `customMirror` for values. A graph requested inside such a `description` is empty.
  ///
  /// - Isolation: to be called where the objects are confined.
  /// - Complexity: linear in the objects and observations reached, and in the elements of collections
  ///   that may hold objects.
  public static func graph(of objects: any PropertyObservable...) -> Graph { graph(of: objects) }

  /// The live graph of several objects.
  ///
  /// - Parameter length: how many characters values are cut to, at least 0.
  public static func graph(of objects: [any PropertyObservable], valuesCutTo length: Int = 40)
    -> Graph
  {
    let collector = GraphCollector(max(0, length))
    guard GraphCollector.current.value == nil else { return Graph(objects: [], observations: []) }
    GraphCollector.current.value = collector
    defer { GraphCollector.current.value = nil }
    return TraceRecorder.pause { collector.graph(of: objects) }
  }
}

/// Visits objects and their observations.
final class GraphCollector {
  /// The collector at work on the current thread.
  static let current = ThreadLocal<GraphCollector>()

  /// An object that has been reached. It is retained until the graph is complete.
  struct Entry {
    let object: any PropertyObservable
    let isRoot: Bool
    /// The objects that refer to it strongly, by their places in `entries`, with the property.
    var holders: [(index: Int, property: String)] = []
    /// Whether something observes it, it observes something, or it is given.
    var takesPart: Bool
    var id = ""
  }

  /// A property that something reads or writes, its place on a chain, and the operators behind it.
  typealias End = (node: Node, hop: Int?, stages: [String])

  struct Observation {
    let path: Record?
    let binding: (any InspectedBinding)?
    var sources: [End] = []
    var targets: [End] = []
    /// The hop of a chain that leads to nil.
    var brokenHop: Int?
  }

  let length: Int
  var entries: [Entry] = []
  private(set) var observations: [Observation] = []
  /// The places of objects in `entries`, by address.
  private(set) var indexes: [UInt: Int] = [:]
  private var observationOfOrigin: [ObjectIdentifier: Int] = [:]
  /// Paths and chains whose sources have been added.
  private var paths: Set<ObjectIdentifier> = []
  /// The objects behind the identifiers, retained so that the identifiers stay unique.
  private var retained: [AnyObject] = []

  init(_ length: Int) { self.length = length }

  // MARK: Objects

  /// The place of an object in `entries`.
  func visit(_ object: any PropertyObservable, isRoot: Bool = false) -> Int {
    let address = UInt(bitPattern: ObjectIdentifier(object))
    if let index = indexes[address] { return index }
    indexes[address] = entries.count
    entries.append(Entry(object: object, isRoot: isRoot, takesPart: isRoot))
    return entries.count - 1
  }

  func collect(from objects: [any PropertyObservable]) {
    for object in objects { _ = visit(object, isRoot: true) }
    var next = 0
    while next < entries.count {
      expand(next)
      next += 1
    }
    // An object that holds a participant is a participant, too.
    var pending = entries.filter(\.takesPart)
    while let entry = pending.popLast() {
      for (index, _) in entry.holders where !entries[index].takesPart {
        entries[index].takesPart = true
        pending.append(entries[index])
      }
    }
  }

  private func expand(_ index: Int) {
    let object = entries[index].object
    let properties = object.inspectedProperties
    for property in properties {
      let isHolder = property.kind == .stored || property.kind == .plain
      for object in Set(objects(in: property)) where isHolder {
        entries[object].holders.append((index, property.name))
      }
    }
    for node in properties.compactMap(\.node) {
      addReaders(of: node)
      node.sources.forEach(visitOwner)
    }
    guard let object = RegisteredObject.existing(of: object) else { return }
    let ending = object.deathObservers.compactMap { $0 as? any InspectedBinding }
    for binding in object.nodes.flatMap(\.contexts).compactMap(\.binding) + ending {
      _ = observation(in: binding.binding.subscription)
    }
  }

  /// The observable objects that the value of a property is, or that its parts are.
  func objects(in property: InspectedProperty) -> [Int] {
    var objects: [Int] = []
    // Without recursion: the payload of an enumeration may be a long list.
    var pending = property.value().map { [$0] } ?? []
    while let value = pending.popLast() {
      if type(of: value) is AnyClass {
        (value as? any PropertyObservable).map { objects.append(visit($0)) }
      } else if !holdsNoObject(type(of: value)) {
        pending += parts(of: value).reversed()
      }
    }
    return objects
  }

  /// The elements, fields or payload of a value, as its mirror lists them; of a struct, only the fields
  /// that refer to objects strongly.
  private func parts(of value: Any) -> [Any] {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .struct, !(value is any CustomReflectable) else {
      return mirror.children.map(\.value)
    }
    var parts: [Any] = []
    var indexes = mirror.children.indices.makeIterator()
    Reflection.forEachField(of: type(of: value)) { _, _, _, isStrong, _ in
      if let index = indexes.next(), isStrong { parts.append(mirror.children[index].value) }
    }
    return parts
  }

  /// Whether values of `type` hold no object: numbers, texts, and collections of these.
  private func holdsNoObject(_ type: Any.Type) -> Bool {
    func isTrivial<Value>(_ type: Value.Type) -> Bool { _isPOD(type) }
    func element<Values: Collection>(of type: Values.Type) -> Any.Type { Values.Element.self }
    let types = [type] + ((type as? any Collection.Type).map { [element(of: $0)] } ?? [])
    return types.contains { $0 == String.self || _openExistential($0, do: isTrivial) }
  }

  // MARK: Observations

  private func addReaders(of node: Node) {
    addSource(node)
    for reader in node.readers {
      if reader.isProperty {
        visitOwner(of: reader)
      } else if reader.isHop {
        addReaders(of: reader)
      } else if paths.insert(ObjectIdentifier(reader)).inserted {
        retained.append(reader)
        addSource(reader)
      }
    }
  }

  private func visitOwner(of node: Node) { visitPart(node.owner.object) }

  private func visitPart(_ object: AnyObject?) {
    (object as? any PropertyObservable).map { entries[visit($0)].takesPart = true }
  }

  /// Adds the properties that the observers of `node` observe to their observations.
  private func addSource(_ node: Node) {
    for context in node.contexts {
      let index = observation(in: context)
      // The ends of a binding are known; the stream that is one is not.
      let binding = observations[index].binding
      if binding?.sourceEnd != nil || binding?.binding.subscription === context { continue }
      let stages = Records.path(from: ObjectIdentifier(context))?.stages ?? []
      observations[index].sources += node.observed.map { ($0.node, $0.hop, stages) }
      observations[index].brokenHop = observations[index].brokenHop ?? node.chain?.brokenHop
      for (node, _) in node.observed { visitOwner(of: node) }
    }
  }

  /// The place of the observation that a subscription belongs to.
  private func observation(in context: SubscriptionContext) -> Int {
    let path = Records.path(from: ObjectIdentifier(context))
    let origin = path?.id ?? ObjectIdentifier(context)
    if let known = observationOfOrigin[origin] { return known }
    let whole = path?.object as? SubscriptionContext ?? context
    let binding = whole.binding
    var made = Observation(path: path, binding: binding)
    if let (source, target) = binding.map({ ($0.sourceEnd, $0.targetEnd) }) {
      made.sources = source?.properties.map { ($0.node, $0.hop, path?.stages ?? []) } ?? []
      made.targets = target.properties.map { ($0.node, $0.hop, []) }
      if target.owner == nil { made.brokenHop = made.targets.last?.hop }
      if let source, source.owner == nil { made.brokenHop = made.sources.last?.hop }
      for end in made.sources + made.targets { visitOwner(of: end.node) }
      visitPart(target.root)
    }
    observations.append(made)
    observationOfOrigin[origin] = observations.count - 1
    retained += [context, whole]
    return observations.count - 1
  }
}
