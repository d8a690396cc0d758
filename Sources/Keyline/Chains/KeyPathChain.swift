import KeylineCore

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
  /// The last property; nil for the beginning of a chain.
  @usableFromInline let leaf: ChainLeaf<Value>?

  /// Leads to the root.
  @usableFromInline static var beginning: KeyPathChain<Root, Root> {
    KeyPathChain<Root, Root>(leaf: nil)
  }

  init(leaf: ChainLeaf<Value>?) { self.leaf = leaf }

  /// The chain to the property that `access` reads at `place`, which has the type of its leaf.
  @usableFromInline init(_ place: ChainPlace, _ access: @escaping PropertyAccess<Value>) {
    // Proof of unsafeBitCast: the subscripts below name the type of their own leaf.
    leaf = unsafeBitCast(place.types.leaf, to: ChainLeaf<Value>.Type.self).init(place, access)
  }

  /// A property of the object, or of the value, that the chain leads to.
  ///
  /// The closure is made last, with nothing after it but a store: then the optimiser turns it into
  /// a plain function, in which the key path is folded into an access.
  @inlinable @inline(__always)
  public subscript<Next>(dynamicMember keyPath: KeyPath<Value, Next>) -> KeyPathChain<Root, Next> {
    KeyPathChain<Root, Next>(placeOfNext((ChainLeaf<Next>.self, ChainAttachment<Next>.self))) {
      holder, identity in
      if let identity { leave({ keyPath }, at: identity) }
      return held(by: holder, as: Value.self)[keyPath: keyPath]
    }
  }

  /// How many properties the chain has.
  var length: Int { leaf?.length ?? 0 }

  /// Where a property of what the chain leads to is read.
  @usableFromInline func placeOfNext(_ types: ChainTypes) -> ChainPlace {
    if isReferenceToObservable(Value.self) { return placeInObject(types) }
    return placeInValue(of: Value.self, types) { path in
      switch path {
      case .value(let path): MemberSource(isOptional: false) { holder(of: path.read($0)) }
      case .member(let path): MemberSource { path.read($0).map(holder) }
      }
    }
  }

  /// What the chain leads to is an object, or an optional one: the hops follow it.
  fileprivate func placeInObject(_ types: ChainTypes) -> ChainPlace {
    ChainPlace(previous: leaf, index: length, length: length + 1, types: types)
  }

  /// What the chain leads to is read with the property that holds it.
  ///
  /// - Parameter source: what reads the value by a path from an owner.
  fileprivate func placeInValue<Holder>(
    of type: Holder.Type, _ types: ChainTypes,
    _ source: @escaping (LeafPath<Value>) -> MemberSource
  ) -> ChainPlace {
    guard let leaf else { return ChainPlace(previous: nil, index: 0, length: 1, types: types) }
    return ChainPlace(
      previous: leaf.previous, index: leaf.index, length: length + 1, types: types,
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
    KeyPathChain<Root, Next>(placeUnwrapping((ChainLeaf<Next>.self, ChainAttachment<Next>.self))) {
      holder, identity in
      if let identity { leave({ keyPath }, at: identity) }
      return held(by: holder, as: Value.Wrapped.self)[keyPath: keyPath]
    }
  }

  /// Where a property of what is wrapped is read.
  @usableFromInline func placeUnwrapping(_ types: ChainTypes) -> ChainPlace {
    if isReferenceToObservable(Value.Wrapped.self) { return placeInObject(types) }
    return placeInValue(of: Value.Wrapped.self, types) { path in
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
  // The class first: a conformance is looked up, which takes longer than all the rest.
  type is ReactiveObject.Type || type is any PropertyObservable.Type
    || !(type is AnyClass) && Optionals.isReference(type)
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
@usableFromInline struct ChainPlace {
  /// The hop to the object that has the property, or has the value of which it is a member.
  let previous: ChainHop?
  /// Which property of the chain is observed.
  let index: Int
  /// How many properties the chain has.
  let length: Int
  let types: ChainTypes
  /// The value whose member the property is, of an owner; nil if it is the owner's own property.
  var source: ((_ owner: AnyObject) -> MemberSource?)?
  /// Called once with the property, if it is that of an object that cannot be observed.
  var report: ((AnyKeyPath) -> Void)?

  /// How to look up the property that `access` reads, in each owner; nil if it is the owner's own.
  func lookUp<Value>(
    _ access: @escaping PropertyAccess<Value>
  ) -> ((_ owner: AnyObject) -> LeafPath<Value>?)? {
    guard let source else { return nil }
    var report = report
    let read = { (holder: AnyObject) in
      guard let unreported = report else { return access(holder, nil) }
      report = nil
      var keyPath: AnyKeyPath?
      let value = access(holder, &keyPath)
      if let keyPath { unreported(keyPath) }
      return value
    }
    return { owner in
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

/// The types of a property's leaf, `ChainLeaf<Value>`, and attachment, `ChainAttachment<Value>`: the
/// client names them, because looking them up costs more than what is done with them.
@usableFromInline typealias ChainTypes = (leaf: ChainHop.Type, attachment: HopAttachment.Type)

/// One property of a chain, with those before it: from an object to the next one.
@usableFromInline class ChainHop {
  /// The hop to the object that has the property; nil if that is the root.
  final let previous: ChainHop?
  /// Which property of the chain is observed: the last one, unless that is a member of its value.
  final let index: Int
  /// How many hops come before it.
  final let position: Int
  /// The type of what observes it.
  final let attachmentType: HopAttachment.Type

  init(after previous: ChainHop?, index: Int, _ attachmentType: HopAttachment.Type) {
    self.previous = previous
    self.index = index
    position = previous.map { $0.position + 1 } ?? 0
    self.attachmentType = attachmentType
  }

  /// Observes the property of an object, until the attachment ends, and passes what it leads to to
  /// the follower. Abstract: leads nowhere.
  func attach(_ object: AnyObject, _ attachment: HopAttachment) { attachment.lead(to: nil) }
}

/// A property of a chain as a path from the object that has it: the last one, or a hop.
@usableFromInline final class ChainLeaf<Value>: ChainHop {
  /// How many properties the chain has.
  let length: Int
  /// Reads it, where that is the same for each owner.
  let access: PropertyAccess<Value>?
  private let lookUp: ((_ owner: AnyObject) -> LeafPath<Value>?)?

  required init(_ place: ChainPlace, _ access: @escaping PropertyAccess<Value>) {
    length = place.length
    lookUp = place.lookUp(access)
    self.access = lookUp == nil ? access : nil
    super.init(after: place.previous, index: place.index, place.types.attachment)
  }

  /// A leaf that is looked up in each owner.
  init(
    after previous: ChainHop?, index: Int,
    _ lookUp: @escaping (_ owner: AnyObject) -> LeafPath<Value>?
  ) {
    length = index + 1
    access = nil
    self.lookUp = lookUp
    super.init(after: previous, index: index, ChainAttachment<Value>.self)
  }

  /// A property of the root.
  @usableFromInline convenience init(_ path: PropertyPath<Value>) {
    self.init(
      ChainPlace(
        previous: nil, index: 0, length: 1, types: (Self.self, ChainAttachment<Value>.self)),
      path.access)
  }

  /// The path from an owner; nil if that has no such property, which has been reported.
  @usableFromInline func path(_ owner: AnyObject) -> LeafPath<Value>? {
    if let access { return .value(PropertyPath(access)) }
    return lookUp?(owner)
  }

  override func attach(_ object: AnyObject, _ attachment: HopAttachment) {
    // Proof of unsafeDowncast: it is made of `attachmentType`.
    let attachment = unsafeDowncast(attachment, to: ChainAttachment<Value>.self)
    if let access { return attachment.attach(PropertyPath(access), to: object) }
    switch path(object) {
    case .value(let path): attachment.attach(path, to: object)
    case .member(let path):
      attachment.attach(path, to: object) { $0.flatMap { Optionals.reference(in: $0) } }
    case nil: attachment.lead(to: nil)
    }
  }
}

/// A path to a leaf, which may lead through an optional value.
@usableFromInline enum LeafPath<Value> {
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
