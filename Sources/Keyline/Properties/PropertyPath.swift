import KeylineCore

/// A path from an object to a value, as a function.
///
/// A key path that is stored as such costs some 150 ns per read: the closure is made where the key
/// path is a literal, in the client, and nowhere else.
@usableFromInline struct PropertyPath<Value> {
  @usableFromInline let access: PropertyAccess<Value>
  /// Whether it is known to lead to a stored property of the root.
  var isProperty = false
  /// What observes it, if it is another path whose values are converted.
  private var source: Source?
  /// Whether it is worth observing when it reads nothing that can be observed.
  var mayBeConstant = false

  /// As ``attach(_:to:death:in:prior:after:)``.
  private typealias Source = (
    AnyObserver<Value>, AnyObject, Lifetime?, EngineContext, (() -> Void)?,
    (Value, DependencyNode?) -> Void
  ) -> Void

  @usableFromInline init(_ access: @escaping PropertyAccess<Value>) { self.access = access }

  init(read: @escaping (AnyObject) -> Value) { self.init { root, _ in read(root) } }

  /// Inlined always, so that the closure is made where the key path is a literal.
  ///
  /// Proof of unsafeDowncast: a path is used with the roots it was made for.
  @inlinable @inline(__always) init<Root: AnyObject>(
    @_eagerMove _ keyPath: __owned KeyPath<Root, Value>
  ) {
    self.init { root, identity in
      if let identity { leave({ keyPath }, at: identity) }
      return unsafeDowncast(root, to: Root.self)[keyPath: keyPath]
    }
  }

  @inlinable func read(_ root: AnyObject) -> Value { access(root, nil) }

  /// Attaches an observer to whatever the path reads, from `root` on, until `context` ends or the
  /// root dies, which completes it.
  ///
  /// A path that is a stored property joins its observers; any other becomes a computation.
  ///
  /// - Parameters:
  ///   - death: the lifetime of the root; that of what is read unless given.
  ///   - prior: called before every set of something that the path has read.
  ///   - first: receives the current value, before anything else is delivered, and the property it
  ///     is the value of, if the path is one.
  ///
  /// - Returns: the computation, if it has become one.
  @discardableResult @inline(__always) func attach(
    _ observer: @autoclosure () -> AnyObserver<Value>, to root: AnyObject,
    death: @autoclosure () -> Lifetime?,
    in context: EngineContext, prior: (() -> Void)? = nil,
    after first: (Value, DependencyNode?) -> Void
  ) -> ComputedObservation<Value>? {
    if let source {
      source(observer(), root, death(), context, prior, first)
      return nil
    }
    let scope = ThreadScope.ofThread
    scope.open()
    defer { scope.close() }
    // What is subscribed to while something is evaluated is no dependency of that.
    let outer = scope.pointee.evaluation
    defer { scope.pointee.evaluation = outer }
    if let property = KnownPlaces.property(of: root, access) {
      scope.pointee.evaluation = nil
      let value = access(root, nil)
      Self.join(property, value, observer(), in: context, prior, first)
      return nil
    }
    var keyPath: AnyKeyPath?
    let evaluation = scope.begin()
    let value = access(root, &keyPath)
    scope.end(evaluation)
    scope.pointee.evaluation = nil
    // It retains what has been read until then.
    defer { scope.finish(evaluation) }
    let identity = keyPath.take()
    if let property = Self.property(
      evaluation, of: root, identity, isProperty: isProperty)
    {
      if !isProperty { property._withUnsafeGuaranteedRef { KnownPlaces.add($0, access) } }
      Self.join(property, value, observer(), in: context, prior, first)
      return nil
    }
    if evaluation.pointee.first == nil, !mayBeConstant {
      Self.reportUnobservable(root, identity)
    }
    return Self.compute(
      value, evaluation,
      ComputedObservation(
        root, access, observer(), in: context, prior: prior),
      in: scope, death: death(), until: context, first)
  }

  @inline(__always) private static func join(
    _ property: Unmanaged<PropertyNode<Value>>, _ value: Value,
    _ observer: @autoclosure () -> AnyObserver<Value>, in context: EngineContext,
    _ prior: (() -> Void)?, _ first: (Value, DependencyNode?) -> Void
  ) {
    property._withUnsafeGuaranteedRef { property in
      if let prior { property.beforeEach(in: context, prior) }
      property.subscribe(observer(), in: context) { first(value, property) }
    }
  }

  @inline(never) private static func compute(
    _ value: Value, _ evaluation: UnsafeMutablePointer<Evaluation>,
    _ computation: ComputedObservation<Value>, in scope: UnsafeMutablePointer<ThreadScope>,
    death: Lifetime?, until context: EngineContext,
    _ first: (Value, DependencyNode?) -> Void
  ) -> ComputedObservation<Value> {
    computation.start(value, evaluation, in: scope) { first($0, nil) }
    death?.whenEnded(in: context, computation.rootDied)
    return computation
  }

  /// The property that the path is, for `root`; nil if it is no stored one.
  ///
  /// - Parameter isLenient: whether a path that reads one stored property of its own type, and
  ///   nothing else, counts as that property.
  func property(of root: AnyObject, isLenient: Bool = false) -> PropertyNode<Value>? {
    let scope = ThreadScope.ofThread
    var keyPath: AnyKeyPath?
    let evaluation = scope.begin()
    _ = access(root, &keyPath)
    scope.end(evaluation)
    defer { scope.finish(evaluation) }
    return Self.property(evaluation, of: root, keyPath, isProperty: isProperty || isLenient)?
      .takeUnretainedValue()
  }

  /// What the path reads.
  func nodes(of root: AnyObject) -> [DependencyNode] {
    ThreadScope.ofThread.nodes { _ = read(root) }
  }

  /// The property that the path is: it has read that alone, of its root, and its key path is the
  /// property's own.
  ///
  /// A key path from a superclass leads to an override, if there is one.
  ///
  /// - Parameter isProperty: whether its key path need not be looked at.
  @inline(__always)
  private static func property(
    _ evaluation: UnsafeMutablePointer<Evaluation>, of root: AnyObject, _ keyPath: AnyKeyPath?,
    isProperty: Bool
  ) -> Unmanaged<PropertyNode<Value>>? {
    guard let node = evaluation.single,
      node._withUnsafeGuaranteedRef({
        $0.valueType == ObjectIdentifier(Value.self) && $0.isNode(of: root)
      })
    else { return nil }
    // Proof: a node with this type of value is a PropertyNode<Value>.
    let property = Unmanaged<PropertyNode<Value>>.fromOpaque(node.toOpaque())
    if isProperty { return property }
    guard let keyPath, property._withUnsafeGuaranteedRef({ $0.isProperty(keyPath) }) else {
      return nil
    }
    return property
  }

  /// The path, and then `get`.
  func map<Next>(_ get: @escaping (Value) -> Next) -> PropertyPath<Next> {
    let access = access
    return PropertyPath<Next>(read: { get(access($0, nil)) })
  }

  /// The path with its values converted: of a stored property, each one that is set.
  func converted<Result>(_ convert: @escaping (Value) -> Result) -> PropertyPath<Result> {
    var result = map(convert)
    result.source = { observer, root, death, context, prior, first in
      attach(
        observer.withNext { observer.next(convert($0)) }, to: root, death: death, in: context,
        prior: prior
      ) { first(convert($0), $1) }
    }
    return result
  }

  private static func reportUnobservable(_ root: AnyObject, _ keyPath: AnyKeyPath?) {
    let identity = keyPath.map { "\($0)" } ?? ""
    guard Diagnostics.isNew(.unobservablePath, "\(type(of: root)) \(identity)") else { return }
    Diagnostics.report(
      .unobservablePath,
      "nothing on this path to a value of type \(Value.self) is observable; its value is emitted once",
      type: "\(type(of: root))")
  }
}
