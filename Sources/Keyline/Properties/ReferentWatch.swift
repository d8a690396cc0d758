/// The watch over the object that a weak property refers to.
final class ReferentWatch: DependencyLock {
  private let current = SerialDisposable()
  /// What has the property: it may be dying on another thread.
  let owner: WeakReference<AnyObject>
  /// Whether the death is being delivered. For the thread that delivers.
  var isDelivering = false

  fileprivate init(for owner: AnyObject) { self.owner = WeakReference(owner) }

  fileprivate func watch(_ lifetime: Lifetime?, _ action: @escaping (SubscriptionContext) -> Void) {
    let context = SubscriptionContext()
    current.disposable = context
    lifetime?.whenEnded(in: context) { _ in action(context) }
  }

  func end() { current.dispose() }
}

extension PropertyNode {
  /// Delivers nil when `referent`, the object that the weak property refers to from now on, dies.
  ///
  /// An object that is neither ``PropertyObservable`` nor ``LifetimeProviding`` dies unobserved,
  /// which is reported once per property and class.
  @usableFromInline func watch<Object: AnyObject>(_ referent: Object?) where Value == Object? {
    guard referent != nil || referentWatch != nil else { return lock = lock ?? DependencyLock() }
    // In the place of another lock: until now, nothing could change the node on other threads.
    let watch = referentWatch ?? ReferentWatch(for: object)
    lock = watch
    let lifetime = referent.flatMap(Lifetime.of)
    if let referent, lifetime == nil { reportUnobservableDeath(of: referent) }
    watch.watch(lifetime) { [weak self] in self?.deliverDeath($0) }
  }

  /// In its turn: if another object has replaced the dead one meanwhile, `watch` has ended, and
  /// there is nothing to deliver.
  private func deliverDeath<Object: AnyObject>(_ watch: SubscriptionContext)
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

  private func announceDeath<Object: AnyObject>(_ watch: SubscriptionContext)
  where Value == Object? {
    guard watch.end() else { return }
    watch.tearDown()
    let scope = ThreadScope.ofThread
    changeByDeath(in: scope)
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
