import KeylineCore

/// The watch over the object that a weak property refers to.
final class ReferentWatch: DependencyLock {
  private let current = SerialDisposable()
  /// What has the property: it may be dying on another thread.
  let owner: WeakReference<AnyObject>
  /// Whether the death is being delivered. For the thread that delivers.
  var isDelivering = false

  fileprivate init(for owner: AnyObject) { self.owner = WeakReference(owner) }

  fileprivate func watch(
    _ lifetime: Lifetime?, by node: DependencyNode, _ action: @escaping (ReferentContext) -> Void
  ) {
    let context = ReferentContext(node)
    current.disposable = context
    lifetime?.whenEnded(in: context) { _ in action(context) }
  }

  func end() { current.dispose() }
}

/// The subscription of a weak property to the death of what it refers to.
final class ReferentContext: EngineContext, @unchecked Sendable {
  // Proof of @unchecked: what is mutable is used by the thread on which the object dies.
  private let node: WeakReference<DependencyNode>
  private var hasChanged = false

  fileprivate init(_ node: DependencyNode) {
    self.node = WeakReference(node)
    super.init()
  }

  /// Marks what has been computed from the property, before anybody is told that the object dies.
  func change(in scope: UnsafeMutablePointer<ThreadScope>) {
    guard isActive, !hasChanged else { return }
    hasChanged = true
    node.withObject {
      $0.changeByDeath(in: scope)
      // Before something that the death causes sets it in the batch, and finds nil there already.
      $0.collectDeath(in: scope)
    }
  }
}

extension PropertyNode {
  /// Delivers nil when `referent`, the object that the weak property refers to from now on, dies.
  ///
  /// An object that is neither ``PropertyObservable`` nor ``LifetimeProviding`` dies unobserved,
  /// which is reported once per property and class.
  @usableFromInline func watch<Object: AnyObject>(_ referent: Object?) where Value == Object? {
    guard referent != nil || referentWatch != nil else {
      lock = lock ?? DependencyLock()
      return
    }
    // In the place of another lock: until now, nothing could change the node on other threads.
    let watch = referentWatch ?? ReferentWatch(for: object)
    lock = watch
    let lifetime = referent.flatMap(Lifetime.of)
    if let referent, lifetime == nil { reportUnobservableDeath(of: referent) }
    watch.watch(lifetime, by: self) { [weak self] in self?.deliverDeath($0) }
  }

  /// In its turn: if another object has replaced the dead one meanwhile, `watch` has ended, and
  /// there is nothing to deliver.
  private func deliverDeath<Object: AnyObject>(_ watch: ReferentContext)
  where Value == Object? {
    let scope = ThreadScope.ofThread
    scope.open()
    if let observers {
      observers.perform { self.announceDeath(watch) }
    } else {
      announceDeath(watch)
    }
    scope.close()
  }

  private func announceDeath<Object: AnyObject>(_ watch: ReferentContext)
  where Value == Object? {
    let scope = ThreadScope.ofThread
    watch.change(in: scope)
    guard watch.end() else { return }
    watch.tearDown()
    let trace = scope.trace
    let entry = trace?.beginSet(of: self, ": → nil, because the object has died")
    defer { trace?.endSet(entry, in: scope) }
    if scope.pointee.batch.isActive, collect(isDeath: true, in: scope) != nil { return }
    guard let observers else { return }
    referentWatch?.isDelivering = true
    observers.deliver(nil, recordedBy: trace)
    referentWatch?.isDelivering = false
  }

  private func reportUnobservableDeath(of referent: AnyObject) {
    let message = "the death of a \(type(of: referent)) cannot be observed: it has no Lifetime"
    guard Diagnostics.isNew(.unobservableDeath, "\(description) \(message)") else { return }
    Diagnostics.report(
      .unobservableDeath, message, type: "\(type(of: object))", property: name)
  }
}
