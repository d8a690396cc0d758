// Chains: paths from an object to a leaf, one object at a time, that retain nothing on the way.

/// A path from an object, one hop at a time, that retains nothing on it.
///
/// Chains are written in the closure of `observeWeakly(options:_:)`; optional hops need no `?`:
///
/// ```swift
/// _ = person.observeWeakly { $0.manager.address.city }   // Observable<String?>
/// ```
///
/// A chain is the path to the leaf's owner, and the leaf. Each hop observes one property of the
/// object the previous hop leads to; when an object on the way dies, the chain is broken. A
/// property of a value (a struct or tuple) is read together with the property that holds the value.
/// Whether a hop is an object is determined from its type, when the chain is made.
@dynamicMemberLookup public struct KeyPathChain<Root: PropertyObservable, Value> {
  /// Where the last property is read; nil at the beginning of a chain.
  private let origin: ChainOrigin?
  /// Reads the last property; nil if it is looked up in each owner.
  private let access: PropertyAccess<Value>?
  private let lookUp: ((_ owner: AnyObject) -> LeafPath<Value>?)?

  /// Leads to the root.
  @usableFromInline static var beginning: KeyPathChain<Root, Root> { KeyPathChain<Root, Root>() }

  private init() {
    origin = nil
    access = nil
    lookUp = nil
  }

  @usableFromInline init(_ origin: ChainOrigin, _ access: @escaping PropertyAccess<Value>) {
    self.origin = origin
    self.access = access
    lookUp = nil
  }

  /// A chain to a leaf that is looked up in each owner.
  init(hops: [ChainHop], lookUp: @escaping (_ owner: AnyObject) -> LeafPath<Value>?) {
    origin = ChainOrigin(hops: hops, index: hops.count, length: hops.count + 1)
    access = nil
    self.lookUp = lookUp
  }

  /// A property of the object, or of the value, that the chain leads to.
  ///
  /// The closure is made last, with nothing after it but a store: then the optimiser turns it into
  /// a plain function, in which the key path is folded into an access.
  @inlinable @inline(__always)
  public subscript<Next>(dynamicMember keyPath: KeyPath<Value, Next>) -> KeyPathChain<Root, Next> {
    KeyPathChain<Root, Next>(originOfNext()) { holder, identity in
      if let identity { leave({ keyPath }, at: identity) }
      return held(by: holder, as: Value.self)[keyPath: keyPath]
    }
  }

  /// The hops to the leaf's owner.
  var hops: [ChainHop] { origin?.hops ?? [] }

  /// How many properties the chain has.
  var length: Int { origin?.length ?? 0 }

  /// The leaf; nil for the beginning of a chain.
  var leaf: ChainLeaf<Value>? {
    guard let origin else { return nil }
    if let lookUp { return ChainLeaf(index: origin.index, lookUp) }
    guard let access else { return nil }
    return origin.leaf(access)
  }

  /// Where a property of what the chain leads to is read.
  @usableFromInline func originOfNext() -> ChainOrigin {
    if isReferenceToObservable(Value.self) { return originInObject }
    return originInValue(of: Value.self) { path in
      switch path {
      case .value(let path): MemberSource(isOptional: false) { holder(of: path.read($0)) }
      case .member(let path): MemberSource { path.read($0).map(holder) }
      }
    }
  }

  /// What the chain leads to is an object, or an optional one: the hops follow it.
  fileprivate var originInObject: ChainOrigin {
    var hops = hops
    if let hop { hops.append(hop) }
    return ChainOrigin(hops: hops, index: length, length: length + 1)
  }

  private var hop: ChainHop? {
    guard let origin else { return nil }
    if let access, origin.source == nil { return ChainHop(index: origin.index, access) }
    return leaf.map(ChainHop.init)
  }

  /// What the chain leads to is read with the property that holds it.
  ///
  /// - Parameter source: what reads the value by a path from an owner.
  fileprivate func originInValue<Holder>(
    of type: Holder.Type, _ source: @escaping (LeafPath<Value>) -> MemberSource
  ) -> ChainOrigin {
    guard let leaf else { return ChainOrigin(hops: [], index: 0, length: 1) }
    return ChainOrigin(
      hops: hops, index: leaf.index, length: length + 1,
      source: { owner in leaf.path(owner).map(source) },
      report: type is AnyClass ? { reportUnobservable($0, of: type) } : nil)
  }

  /// Reports a property that is not a constant: its changes are not observed.
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
    KeyPathChain<Root, Next>(originUnwrapping()) { holder, identity in
      if let identity { leave({ keyPath }, at: identity) }
      return held(by: holder, as: Value.Wrapped.self)[keyPath: keyPath]
    }
  }

  /// Where a property of what is wrapped is read.
  @usableFromInline func originUnwrapping() -> ChainOrigin {
    if isReferenceToObservable(Value.Wrapped.self) { return originInObject }
    return originInValue(of: Value.Wrapped.self) { path in
      switch path {
      case .value(let path): MemberSource { path.read($0).optional.map(holder) }
      case .member(let path): MemberSource { path.read($0)?.optional.map(holder) }
      }
    }
  }
}

/// Whether values of `type` are objects whose properties can be observed: of such a class, or of a
/// protocol that only classes conform to.
func isReferenceToObservable(_ type: Any.Type) -> Bool {
  type is any PropertyObservable.Type || !(type is AnyClass) && Optionals.isReference(type)
}

/// The object that `value` is, or one that holds it.
private func holder<Value>(of value: Value) -> AnyObject {
  Value.self is AnyClass ? unsafeBitCast(value, to: AnyObject.self) : ValueHolder(value)
}

/// The value that `holder` is, or holds.
@inlinable @inline(__always)
func held<Value>(by holder: AnyObject, as type: Value.Type) -> Value {
  // Proof of unsafeBitCast: a class type is a reference, and the object came out of a value of it.
  type is AnyClass ? unsafeBitCast(holder, to: type) : heldValue(by: holder)
}

@usableFromInline func heldValue<Value>(by holder: AnyObject) -> Value {
  (holder as? ValueHolder<Value>)?.value ?? holder as! Value
}

/// Reads a value whose members a chain reads.
struct MemberSource {
  /// Whether it may be missing.
  var isOptional = true
  /// Returns the value in a holder; nil if it is missing.
  let read: (_ owner: AnyObject) -> AnyObject?
}

/// Holds a value whose members a chain reads.
private final class ValueHolder<Value> {
  let value: Value

  init(_ value: Value) { self.value = value }
}

/// Where a property on a chain is read.
@usableFromInline final class ChainOrigin {
  /// The hops to the object that has the property, or has the value of which it is a member.
  let hops: [ChainHop]
  /// Which property of the chain is observed.
  let index: Int
  /// How many properties the chain has.
  let length: Int
  /// The value whose member the property is, of an owner; nil if it is the owner's own property.
  let source: ((_ owner: AnyObject) -> MemberSource?)?
  /// Called once with the property, if it is that of an object that cannot be observed.
  private let report: ((AnyKeyPath) -> Void)?

  init(
    hops: [ChainHop], index: Int, length: Int,
    source: ((AnyObject) -> MemberSource?)? = nil,
    report: ((AnyKeyPath) -> Void)? = nil
  ) {
    self.hops = hops
    self.index = index
    self.length = length
    self.source = source
    self.report = report
  }

  /// The property that `access` reads here, as a leaf.
  func leaf<Value>(_ access: @escaping PropertyAccess<Value>) -> ChainLeaf<Value> {
    guard let source else { return ChainLeaf(index: index, access) }
    var report = report
    let read = { (holder: AnyObject) in
      guard let unreported = report else { return access(holder, nil) }
      report = nil
      var keyPath: AnyKeyPath?
      let value = access(holder, &keyPath)
      if let keyPath { unreported(keyPath) }
      return value
    }
    return ChainLeaf(index: index) { owner in
      guard let source = source(owner) else { return nil }
      guard !source.isOptional else {
        return .member(PropertyPath(read: { source.read($0).map(read) }))
      }
      // Proof of unsafelyUnwrapped: what is not optional is there.
      return .value(PropertyPath(read: { read(source.read($0).unsafelyUnwrapped) }))
    }
  }
}

/// What `Optional` is, for the members of chains: do not conform other types to it.
public protocol OptionalValue<Wrapped> {
  /// The type of the value, if there is one.
  associatedtype Wrapped
  /// The value itself.
  var optional: Wrapped? { get }
}

extension Optional: OptionalValue {
  public var optional: Wrapped? { self }
}

/// Distinguishes key paths to variables from those to constants.
private protocol WritableKeyPathType {}
extension WritableKeyPath: WritableKeyPathType {}

/// The last property of a chain, as a path from the object that has it.
final class ChainLeaf<Value> {
  /// Which property of the chain is observed: the last one, unless that is a member of its value.
  let index: Int
  /// Reads it, where that is the same for each owner.
  let access: PropertyAccess<Value>?
  private let lookUp: ((_ owner: AnyObject) -> LeafPath<Value>?)?

  init(index: Int, _ access: @escaping PropertyAccess<Value>) {
    self.index = index
    self.access = access
    lookUp = nil
  }

  init(index: Int, _ lookUp: @escaping (_ owner: AnyObject) -> LeafPath<Value>?) {
    self.index = index
    access = nil
    self.lookUp = lookUp
  }

  /// The path from an owner; nil if that has no such property, which has been reported.
  func path(_ owner: AnyObject) -> LeafPath<Value>? {
    if let access { return .value(PropertyPath(access)) }
    guard let lookUp else { return nil }
    return lookUp(owner)
  }
}

/// A path to a leaf, which may lead through an optional value.
enum LeafPath<Value> {
  case value(PropertyPath<Value>)
  /// To a member of an optional value, nil while that is missing: the chain is broken then.
  case member(PropertyPath<Value?>)
}

extension ChangeCause {
  /// The cause, given that the hop with that cause has become nil.
  var leadingNowhere: ChangeCause {
    if case .hopReplaced(let index) = self { .hopBecameNil(index) } else { self }
  }
}
