// Chains: paths from an object to a leaf, one object at a time, that retain nothing on the way.

/// A path from an object, one hop at a time, that retains nothing on it.
///
/// Chains are written in the closure of `observeWeakly(options:_:)`; optional hops need no `?`:
///
/// ```swift
/// person.observeWeakly { $0.manager.address.city }   // Observable<String?>
/// ```
///
/// A chain is the path to the leaf's owner, and the leaf. Each hop observes one property of the object
/// the former hop leads to; when an object on the way dies, its hop leads nowhere. A property of a value
/// (a struct or tuple) is read together with the property that holds the value. Whether a hop is an
/// object is found out from its type, when the chain is made.
@dynamicMemberLookup public struct KeyPathChain<Root: PropertyObservable, Value> {
  /// The hops to the leaf's owner.
  let hops: [ChainHop]
  /// The leaf; nil for the beginning of a chain.
  let leaf: ChainLeaf<Value>?
  /// How many properties the chain has.
  let length: Int

  init(hops: [ChainHop], leaf: ChainLeaf<Value>?, length: Int) {
    self.hops = hops
    self.leaf = leaf
    self.length = length
  }

  /// Leads to the root.
  @usableFromInline static var beginning: KeyPathChain<Root, Root> {
    KeyPathChain<Root, Root>(hops: [], leaf: nil, length: 0)
  }

  /// A property of the object, or of the value, that the chain leads to.
  @inlinable @inline(__always)
  public subscript<Next>(dynamicMember keyPath: KeyPath<Value, Next>) -> KeyPathChain<Root, Next> {
    appending { value, identify in
      identify?({ keyPath })
      return value[keyPath: keyPath]
    }
  }

  @usableFromInline func appending<Next>(
    _ access: @escaping ChainAccess<Value, Next>
  ) -> KeyPathChain<Root, Next> {
    if let object = appendingToObject(access) { return object }
    let get = reportingUnobservable(access)
    let member =
      leaf.map { leaf in
        ChainLeaf<Next>(index: leaf.index) { owner in
          switch leaf.path(owner) {
          case .value(let path): .value(path.map(get))
          case .member(let path): .member(path.map { $0.map(get) })
          case nil: nil
          }
        }
      }
    return KeyPathChain<Root, Next>(hops: hops, leaf: member, length: length + 1)
  }

  /// The chain lengthened by a property of the object it leads to; nil if `Object` is no type of
  /// observable objects.
  fileprivate func appendingToObject<Object, Next>(
    _ access: @escaping ChainAccess<Object, Next>
  ) -> KeyPathChain<Root, Next>? {
    guard let object = ObjectConversion<Object>() else { return nil }
    let path = PropertyPath<Next> { access(object.value($0), $1) }
    return KeyPathChain<Root, Next>(
      hops: leaf.map { hops + [ChainHop($0)] } ?? hops,
      leaf: ChainLeaf(index: length) { _ in .value(path) }, length: length + 1)
  }

  /// Reads a member, and reports once a property of a class that is not ``PropertyObservable``.
  fileprivate func reportingUnobservable<Owner, Next>(
    _ access: @escaping ChainAccess<Owner, Next>
  ) -> (Owner) -> Next {
    guard Owner.self is AnyClass else { return { access($0, nil) } }
    var isReported = false
    return { owner in
      guard !isReported else { return access(owner, nil) }
      isReported = true
      return access(owner) { self.reportUnobservable($0(), of: Owner.self) }
    }
  }

  /// Reports a property that is no constant: its changes go unnoticed.
  private func reportUnobservable(_ keyPath: AnyKeyPath, of type: Any.Type) {
    // A stored property describes itself as `\Class.name`, a computed one by an address.
    let description = "\(keyPath)".split(separator: ".", maxSplits: 1).last.map(String.init)
    let name = description.flatMap { $0.hasPrefix("<") ? nil : $0 }
    guard name == nil || Swift.type(of: keyPath) is any WritableKeyPathType.Type,
      Diagnostics.isNew(.unobservablePath, "\(type) \(keyPath)")
    else { return }
    Diagnostics.report(
      .unobservablePath,
      "a chain of \(Root.self) leads through this class, whose properties are not observable: "
        + "changes of this one go unnoticed",
      type: "\(type)", property: name)
  }
}

extension KeyPathChain where Value: OptionalValue {
  /// A property of the object, or of the value, that the chain leads to and that may be missing.
  @_disfavoredOverload @inlinable @inline(__always)
  public subscript<Next>(
    dynamicMember keyPath: KeyPath<Value.Wrapped, Next>
  ) -> KeyPathChain<Root, Next> {
    appending(unwrapping: { value, identify in
      identify?({ keyPath })
      return value[keyPath: keyPath]
    })
  }

  @usableFromInline func appending<Next>(
    unwrapping access: @escaping ChainAccess<Value.Wrapped, Next>
  ) -> KeyPathChain<Root, Next> {
    if let object = appendingToObject(access) { return object }
    let get = reportingUnobservable(access)
    let member =
      leaf.map { leaf in
        ChainLeaf<Next>(index: leaf.index) { owner in
          switch leaf.path(owner) {
          case .value(let path): .member(path.map { $0.optional.map(get) })
          case .member(let path): .member(path.map { $0.flatMap(\.optional).map(get) })
          case nil: nil
          }
        }
      }
    return KeyPathChain<Root, Next>(hops: hops, leaf: member, length: length + 1)
  }
}

/// Reads a property of a value, and passes on its key path if that is asked for: as ``PropertyAccess``.
@usableFromInline typealias ChainAccess<Value, Next> = (
  _ value: Value, _ identify: ((() -> AnyKeyPath) -> Void)?
) -> Next

/// What `Optional` is, for the members of chains: do not conform other types to it.
public protocol OptionalValue<Wrapped> {
  associatedtype Wrapped
  var optional: Wrapped? { get }
}

extension Optional: OptionalValue {
  public var optional: Wrapped? { self }
}

/// Tells key paths to variables from those to constants.
private protocol WritableKeyPathType {}
extension WritableKeyPath: WritableKeyPathType {}

/// How a value of an object type is made of an object.
struct ObjectConversion<Object> {
  /// Whether it is a class, not a protocol: key paths then start from it.
  let isExact: Bool

  /// Nil if values of the type are not observable objects.
  init?() {
    if Object.self is any PropertyObservable.Type {
      isExact = true
    } else if !(Object.self is AnyClass), Optionals.isReference(Object.self) {
      isExact = false
    } else {
      return nil
    }
  }

  func value(_ object: AnyObject) -> Object {
    // Proof of unsafeBitCast: a class type is a reference, and the object came out of a value of it.
    isExact ? unsafeBitCast(object, to: Object.self) : object as! Object
  }
}

/// The last property of a chain, as a path from the object that has it.
struct ChainLeaf<Value> {
  /// Which property of the chain is observed: the last one, unless that is a member of its value.
  let index: Int
  /// The path from an owner; nil if that has no such property, which has been reported.
  let path: (_ owner: AnyObject) -> LeafPath<Value>?
}

/// A path to a leaf, which may lead through an optional value.
enum LeafPath<Value> {
  case value(PropertyPath<Value>)
  /// To a member of an optional value, nil while that is missing: the chain is broken then.
  case member(PropertyPath<Value?>)
}

extension ChangeCause {
  /// The cause, given that the hop with that cause leads nowhere.
  var leadingNowhere: ChangeCause {
    if case .hopReplaced(let index) = self { .hopBecameNil(index) } else { self }
  }
}
