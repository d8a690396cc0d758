/// A path from an object, one hop at a time, that retains nobody on it.
///
/// Chains are written in the closure of `observeWeakly(options:_:)`; optional hops need no `?`:
///
/// ```swift
/// person.observeWeakly { $0.manager.address.city }   // Observable<String?>
/// ```
///
/// Each hop observes one property of the object the former hop leads to, the way `flatMapLatest`
/// follows the latest inner sequence; when an object on the way dies, its hop leads nowhere. A
/// property of a value (a struct or tuple) is read from the property that holds the value.
@dynamicMemberLookup public struct KeyPathChain<Root: PropertyObservable, Value> {
  /// Feeds an observer with what the chain leads to, from a root on.
  let path: (Root, ChainObserver<Value>, SubscriptionContext) -> Void
  /// How many properties the chain consists of.
  let length: Int

  init(_ path: @escaping (Root, ChainObserver<Value>, SubscriptionContext) -> Void, length: Int) {
    (self.path, self.length) = (path, length)
  }

  /// Leads to the root.
  @usableFromInline static var beginning: KeyPathChain<Root, Root> {
    KeyPathChain<Root, Root>({ root, downstream, _ in downstream.next(root, .initial) }, length: 0)
  }

  /// A hop from an object.
  @inlinable @inline(__always)
  public subscript<Next>(
    dynamicMember keyPath: KeyPath<Value, Next>
  ) -> KeyPathChain<Root, Next> where Value: PropertyObservable {
    KeyPathChain<Root, Next>(
      self, hop: PropertyPath(keyPath), from: { $0 },
      as: ChainHop<Value, Next>.self, ChainHop<Value, Next>.Attachment.self)
  }

  /// A hop from an object that may be missing.
  @inlinable @inline(__always)
  public subscript<Object: PropertyObservable, Next>(
    dynamicMember keyPath: KeyPath<Object, Next>
  ) -> KeyPathChain<Root, Next> where Value == Object? {
    KeyPathChain<Root, Next>(
      self, hop: PropertyPath(keyPath), from: { $0 },
      as: ChainHop<Object, Next>.self, ChainHop<Object, Next>.Attachment.self)
  }

  /// A property of a value.
  @inlinable @inline(__always)
  public subscript<Next>(dynamicMember keyPath: KeyPath<Value, Next>) -> KeyPathChain<Root, Next> {
    KeyPathChain<Root, Next>(self, { $0[keyPath: keyPath] }, { keyPath })
  }

  /// A property of a value that may be missing.
  @inlinable @inline(__always)
  public subscript<Wrapped, Next>(
    dynamicMember keyPath: KeyPath<Wrapped, Next>
  ) -> KeyPathChain<Root, Next> where Value == Wrapped? {
    KeyPathChain<Root, Next>(self, { $0?[keyPath: keyPath] }, { keyPath })
  }

  /// `chain`, lengthened by a property of the object it leads to.
  ///
  /// An initialiser, because it takes the closure over: a closure that is only lent is not folded.
  ///
  /// - Parameters:
  ///   - hopType, attachmentType: what is made for each subscription and each object, looked up in the
  ///     client, where the types are known and the look-up is done once.
  @usableFromInline init<Former, Object: PropertyObservable>(
    _ chain: KeyPathChain<Root, Former>, hop: PropertyPath<Object, Value>,
    from object: @escaping (Former) -> Object?,
    as hopType: ChainHop<Object, Value>.Type,
    _ attachmentType: ChainHop<Object, Value>.Attachment.Type
  ) {
    let index = chain.length
    self.init(
      { root, downstream, context in
        if let leaf = downstream.leaf {
          let next: (Former, ChangeCause) -> Void = { former, _ in
            leaf(object(former).map { PropertyReference($0, hop) })
          }
          return chain.path(root, ChainObserver(next: next, broken: { _ in leaf(nil) }), context)
        }
        let hop = hopType.init(hop, index, downstream, attachmentType)
        context.push(hop)
        guard chain.length > 0 else {
          // Proof of unsafeBitCast: only the beginning has no length, and leads to the root itself.
          return hop.follow(object(unsafeBitCast(root, to: Former.self)), .initial)
        }
        chain.path(
          root,
          ChainObserver(
            next: { hop.follow(object($0), $1) }, broken: { hop.follow(nil, $0) },
            prior: downstream.prior),
          context)
      }, length: index + 1)
  }

  /// `chain`, lengthened by a property of the value it leads to.
  @usableFromInline init<Former>(
    _ chain: KeyPathChain<Root, Former>, _ read: @escaping (Former) -> Value?,
    _ keyPath: @escaping () -> AnyKeyPath
  ) {
    if Optionals.wrapped(in: Former.self) is AnyClass {
      Self.reportUnobservable(keyPath(), of: Optionals.wrapped(in: Former.self))
    }
    let index = chain.length
    self.init(
      { root, downstream, context in
        chain.path(
          root,
          ChainObserver(
            next: { former, cause in
              guard let value = read(former) else {
                return downstream.broken(cause.leadingNowhere(at: index))
              }
              downstream.next(value, cause)
            },
            broken: downstream.broken, prior: downstream.prior,
            leaf: downstream.leaf.map { leaf in
              let writable = keyPath() as? WritableKeyPath<Former, Value>
              let isOptional = Optionals.wrapped(in: Former.self) != Former.self
              let watch = SerialDisposable()
              context.add(watch)
              return { owner in
                let attachment = SubscriptionContext()
                watch.disposable = attachment
                let member = owner.map { $0.member(read, writable) }
                guard isOptional, let owner else { return leaf(member) }
                // While the value is missing, the chain is broken.
                owner.values.map { read($0) != nil }.distinctUntilChanged().run(
                  in: attachment, next: { leaf($0 ? member : nil) }, terminate: { _ in })
              }
            }),
          context)
      }, length: index + 1)
  }

  /// Reports, once, a property of a class that is not ``PropertyObservable``: unless it is a constant,
  /// the chain will not notice when it changes.
  private static func reportUnobservable(_ keyPath: AnyKeyPath, of type: Any.Type) {
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

/// Tells key paths to variables from those to constants.
private protocol WritableKeyPathType {}
extension WritableKeyPath: WritableKeyPathType {}

/// An observer of a chain, or of the beginning of one.
struct ChainObserver<Value> {
  /// Takes what the chain leads to now.
  let next: (Value, ChangeCause) -> Void
  /// Is told that the chain is broken now.
  let broken: (ChangeCause) -> Void
  /// To be called before each set on the chain, if anybody wants to know.
  var prior: (() -> Void)?
  /// Takes the leaf itself, in the place of its values, nil for none. It is not observed then.
  var leaf: ((PropertyReference<Value>?) -> Void)?
}

extension ChainObserver {
  /// Hands `next` the leaf whenever it is another, and nil once when there is none.
  init(_ next: @escaping (PropertyReference<Value>?) -> Void) {
    var isBroken = false
    let leaf: (PropertyReference<Value>?) -> Void = { leaf in
      let wasBroken = isBroken
      isBroken = leaf == nil
      if !isBroken || !wasBroken { next(leaf) }
    }
    self.init(next: { _, _ in }, broken: { _ in leaf(nil) }, leaf: leaf)
  }
}

extension ChangeCause {
  /// The cause, given that the hop at `index` finds nothing to start from.
  func leadingNowhere(at index: Int) -> ChangeCause {
    self == .hopReplaced(index - 1) ? .hopBecameNil(index - 1) : self
  }
}
