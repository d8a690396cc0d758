/// One property of one object, which is held weakly: what a binding reads from and writes to.
final class PropertyReference<Value> {
  /// The object; nil for what is no property.
  private(set) weak var object: (any PropertyObservable)?
  /// The value now and after every change, until the object dies.
  let values: Observable<Value>
  /// The value, and what tells it from former ones; nil when the object is dead.
  let read: () -> (value: Value, stamp: ReadStamp)?
  /// Sets the property; nil if it cannot be set.
  let write: ((Value) -> Void)?
  /// What reading the property reads.
  let nodes: () -> [AnyBroadcaster]
  /// What the property is made of; nil if it is not a stored one.
  let property: () -> PropertyNode<Value>?

  /// - Parameter write: what sets the property; the path does if it is a key path to a variable.
  init<Object: PropertyObservable>(
    _ object: Object, _ path: PropertyPath<Object, Value>, write: ((Object, Value) -> Void)? = nil
  ) {
    self.object = object
    values = object.observation(of: path)
    read = { [weak object] in object.map { path.evaluate($0) } }
    let keyPath = path.identity(object) as? ReferenceWritableKeyPath<Object, Value>
    let set = write ?? keyPath.map { keyPath in { $0[keyPath: keyPath] = $1 } }
    self.write = set.map { set in
      { [weak object] value in object.map { set($0, value) } }
    }
    nodes = { [weak object] in object.map(path.nodes) ?? [] }
    property = { [weak object] in object.flatMap(path.property) }
  }

  init(
    _ object: (any PropertyObservable)?, values: Observable<Value>,
    read: @escaping () -> (value: Value, stamp: ReadStamp)?,
    nodes: @escaping () -> [AnyBroadcaster] = { [] }, write: ((Value) -> Void)? = nil
  ) {
    (self.object, self.values, self.read, self.write) = (object, values, read, write)
    (self.nodes, property) = (nodes, { nil })
  }

  /// A property of the value, which is read with it, and written by writing all of it.
  func member<Member>(
    _ get: @escaping (Value) -> Member?, _ keyPath: WritableKeyPath<Value, Member>?
  ) -> PropertyReference<Member> {
    PropertyReference<Member>(
      object, values: values.compactMap(get),
      read: { [read] in
        read().flatMap { value, stamp in get(value).map { (value: $0, stamp: stamp) } }
      }, nodes: nodes,
      write: keyPath.flatMap { keyPath in
        write.map { [read] write in
          { member in
            guard var value = read()?.value else { return }
            value[keyPath: keyPath] = member
            write(value)
          }
        }
      })
  }

  /// `Person.name`, for reports.
  var description: String {
    guard let object else { return "\(Value.self)" }
    let name = property().flatMap { StoredProperties.name(of: $0, in: object) }
    return "\(type(of: object)).\(name ?? "\(Value.self)")"
  }
}
