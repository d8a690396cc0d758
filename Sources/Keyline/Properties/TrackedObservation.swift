/// Observes whatever a getter reads, and learns it anew at every evaluation.
///
/// A set of something that was read evaluates the getter once, whatever it is and however often it
/// was read, and is one emission; the first set evaluates it once more, to learn what it is. What is
/// set while the getter is evaluated, by the getter itself, has it evaluated again: the value emitted
/// is of what is stored then, nothing is lost.
final class TrackedObservation<Root: PropertyObservable, Value>: Teardown, @unchecked Sendable {
  // Proof of @unchecked: `dependencies` stands behind its mutex; the rest is immutable, or used on
  // the root's isolation domain only.
  private weak var root: Root?
  private let read: (Root) -> Value
  private let output: SerializedObserver<Value>
  private let context: SubscriptionContext
  private let prior: (() -> Void)?
  private let dependencies = Protected<[Dependency]?>([])
  private var isEvaluating = false
  private var isOutdated = false
  private var feedback = FeedbackCounter()

  init(
    _ root: Root, _ read: @escaping (Root) -> Value, _ observer: AnyObserver<Value>,
    _ context: SubscriptionContext, _ prior: (() -> Void)? = nil
  ) {
    (self.root, self.read, self.context, self.prior) = (root, read, context, prior)
    output = SerializedObserver(observer)
    super.init()
    context.push(self)
    root.properties.death.whenEnded(in: context) { [output] in output.terminate(nil) }
  }

  /// Follows what an evaluation has read, and delivers its value through `first`, before anything that
  /// this causes is delivered.
  func start(_ value: Value, _ reads: Tracker.Reads, _ first: (Value) -> Void) {
    output.hold()
    follow(reads.all)
    // What follows was set between reading and following.
    if let root, !reads.areCurrent { first(evaluate(root)) } else { first(value) }
    output.resume()
  }

  /// Takes over a membership in `node`, to keep its place among the others there.
  func observer(of node: PropertyNode<Value>) -> AnyObserver<Value> {
    let membership = Dependency(node)
    dependencies.withLock { $0 = [membership] }
    return AnyObserver(
      next: { value in if membership.isActive { self.changed { node.run($0, during: value) } } },
      terminate: { _ in })
  }

  /// Evaluates anew and emits.
  private func changed(_ during: (() -> Void) -> Void) {
    guard context.isActive, let root else { return }
    guard !isEvaluating else { return isOutdated = true }
    guard feedback.admits(isCaused: !output.isIdle, in: Root.self, "observers of a \(Value.self)")
    else { return }
    var value: Value?
    during { value = self.evaluate(root) }
    if let value { output.next(value) }
  }

  /// The value, when it and what was read for it are up to date.
  private func evaluate(_ root: Root) -> Value {
    isEvaluating = true
    defer { isEvaluating = false }
    var feedback = FeedbackCounter()
    while true {
      isOutdated = false
      let value = Tracker.evaluate({ read(root) }) { value, reads in
        follow(reads.all)
        if !reads.areCurrent { isOutdated = true }
        return value
      }
      guard isOutdated,
        feedback.admits(isCaused: true, in: Root.self, "a getter of a \(Value.self)")
      else { return value }
    }
  }

  private func follow(_ nodes: [AnyBroadcaster]) {
    guard let former = dependencies.withLock({ $0 }),
      !former.elementsEqual(nodes, by: { $0.node === $1 })
    else { return }
    var known = Dictionary(
      former.map { (ObjectIdentifier($0.node), $0) }, uniquingKeysWith: { first, _ in first })
    var joining: [Dependency] = []
    let next = nodes.map { node in
      let dependency = known[ObjectIdentifier(node)] ?? Dependency(node)
      if known.updateValue(dependency, forKey: ObjectIdentifier(node)) == nil {
        joining.append(dependency)
      }
      return dependency
    }
    let isDisposed = dependencies.withLock { dependencies in
      if dependencies != nil { dependencies = next }
      return dependencies == nil
    }
    let staying = Set(next.map(ObjectIdentifier.init))
    for dependency in former where !staying.contains(ObjectIdentifier(dependency)) {
      dependency.dispose()
    }
    guard !isDisposed else { return }
    for dependency in joining {
      dependency.node.onEach(in: dependency, changed)
      if let prior { dependency.node.beforeEach(in: dependency, prior) }
    }
  }

  override func dispose() {
    for dependency in dependencies.exchange(nil) ?? [] { dependency.dispose() }
  }
}

/// A property that is followed, until this ends.
private final class Dependency: SubscriptionContext, @unchecked Sendable {
  // Proof of @unchecked: immutable, above its superclass.
  let node: AnyBroadcaster

  init(_ node: AnyBroadcaster) { self.node = node }
}
